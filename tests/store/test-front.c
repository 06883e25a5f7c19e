/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-must.h"
#include "tall-test-front.h"

#define FIRST_SLOT G_STRUCT_OFFSET (TallFrontClass, put_order)
#define END_OF_SLOTS G_STRUCT_OFFSET (TallFrontClass, padding)

/* The function at @offset of the front that has every slot but the optional ones. */
static gpointer *
find_slot (gsize offset)
{
  return G_STRUCT_MEMBER_P (g_type_class_ref (TALL_TYPE_TEST_FRONT), offset);
}

/* A front without a slot does not come into being. */
static void
test_missing_slot (gconstpointer data)
{
  if (g_test_subprocess ())
    {
      *find_slot (GPOINTER_TO_SIZE (data)) = NULL;
      g_object_unref (tall_test_front_new ());
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr ("*TallTestFront does not implement every slot of TallFrontClass: *");
}

/* Which slot is missing is in the message. */
static void
test_name (void)
{
  if (g_test_subprocess ())
    {
      *find_slot (G_STRUCT_OFFSET (TallFrontClass, delete_customer)) = NULL;
      g_object_unref (tall_test_front_new ());
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr ("*: delete_customer is missing*");
}

/* What is optional may be missing. */
static void
test_optional (void)
{
  TallVerifySummary summary;
  g_autoptr (TallFront) front = tall_test_front_new ();
  g_autoptr (GError) error = NULL;

  const TallEraseRequest request = { .customer_number = "C" };
  const TallFindOptions search = { .index = "number" };
  g_assert_null (TALL_FRONT_GET_CLASS (front)->verify);
  TALL_FRONT_GET_CLASS (front)->measure_order = NULL;
  TALL_FRONT_GET_CLASS (front)->erase_some = NULL;
  TALL_FRONT_GET_CLASS (front)->find_orders = NULL;
  g_assert_false (tall_front_verify (front, NULL, &summary, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED);
  g_assert_cmpuint (tall_front_measure_order (front, NULL), >, 0);
  g_clear_error (&error);
  must_fail (tall_front_erase_some (front, &request, &error), TALL_ERROR_UNSUPPORTED);
  must_fail (tall_front_find_orders (front, &search, &error), TALL_ERROR_UNSUPPORTED);
}

static gboolean
is_optional (gsize offset)
{
  return *find_slot (offset) == NULL || offset == G_STRUCT_OFFSET (TallFrontClass, measure_order)
         || offset == G_STRUCT_OFFSET (TallFrontClass, erase_some)
         || offset == G_STRUCT_OFFSET (TallFrontClass, find_orders);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/store/front/missing-slot/name", test_name);
  g_test_add_func ("/store/front/optional", test_optional);
  for (gsize offset = FIRST_SLOT; offset < END_OF_SLOTS; offset += sizeof (gpointer))
    if (!is_optional (offset))
      {
        g_autofree char *path = g_strdup_printf ("/store/front/missing-slot/%" G_GSIZE_FORMAT,
                                                 (offset - FIRST_SLOT) / sizeof (gpointer));
        g_test_add_data_func (path, GSIZE_TO_POINTER (offset), test_missing_slot);
      }
  return g_test_run ();
}
