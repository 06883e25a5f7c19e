/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* The list of layouts: each is complete, and one that is not ends the process at its first use. */
#include "tall-error.h"
#include "layout/layout.h"

#define N_SLOTS (sizeof (TallLayout) / sizeof (gpointer))

/* Of a layout whose orders have several rows, everything must be set but the flag that says so, and
 * what finds parts of an order. */
static gboolean
is_mandatory (gsize slot)
{
  gsize offset = slot * sizeof (gpointer);
  return offset != G_STRUCT_OFFSET (TallLayout, single_row)
         && offset != G_STRUCT_OFFSET (TallLayout, plan_header)
         && offset != G_STRUCT_OFFSET (TallLayout, plan_location);
}

static void
use_without (gsize slot)
{
  TallLayout broken = tall_layout_normalized;
  memset ((guint8 *)&broken + slot * sizeof (gpointer), 0, sizeof (gpointer));
  tall_layout_check (&broken);
}

/* Each slot in a process of its own: also one that is added to the contract later. */
static void
test_missing_slot (gconstpointer data)
{
  gsize slot = GPOINTER_TO_SIZE (data);
  if (g_test_subprocess ())
    {
      use_without (slot);
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  if (!is_mandatory (slot))
    {
      g_test_trap_assert_passed ();
      return;
    }
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr (slot == G_STRUCT_OFFSET (TallLayout, most_memory) / sizeof (gpointer)
                                 ? "*normalized does not say how much memory*"
                                 : "*does not implement every slot of TallLayout*");
}

/* An order of one row has no other rows to append and to find. */
static void
test_single_row (void)
{
  TallLayout single = tall_layout_blob;
  g_assert_true (single.single_row);
  g_assert_null (single.append_children);
  g_assert_null (single.plan_children);
  tall_layout_check (&single);
}

static void
test_list (void)
{
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  g_assert_cmpuint (n, >, 0);
  g_assert_true (tall_layout_choose (NULL, NULL) == layouts[0]);
  g_assert_true (tall_layout_choose (layouts[n - 1]->name, NULL) == layouts[n - 1]);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_true (tall_layout_find (layouts[i]->name, &error) == layouts[i]);
      g_assert_no_error (error);
      tall_layout_check (layouts[i]);
    }
}

static const TallLayoutTable *
find_table (const TallLayout *layout, const char *name)
{
  for (const TallLayoutTable *table = layout->tables; table->name != NULL; table++)
    if (g_str_equal (table->name, name))
      return table;
  g_error ("%s: there is no table %s", layout->name, name);
}

/* Orders and customers are in tables that the layout lists. A TTL takes no customers. */
static void
test_tables (void)
{
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  for (guint i = 0; i < n; i++)
    {
      const char *orders = tall_layout_get_order_table (layouts[i]);
      const char *customers = tall_layout_get_customer_table (layouts[i]);
      g_assert_false (find_table (layouts[i], customers)->expires);
      g_assert_true (find_table (layouts[i], orders)->expires != g_str_equal (orders, customers));
    }
}

static void
test_unknown (void)
{
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  g_autoptr (GError) error = NULL;
  g_assert_null (tall_layout_find ("tall", &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  for (guint i = 0; i < n; i++)
    g_assert_nonnull (strstr (error->message, layouts[i]->name));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize slot = 0; slot < N_SLOTS; slot++)
    {
      g_autofree char *path =
          g_strdup_printf ("/layout/layouts/missing-slot/%" G_GSIZE_FORMAT, slot);
      g_test_add_data_func (path, GSIZE_TO_POINTER (slot), test_missing_slot);
    }
  g_test_add_func ("/layout/layouts/single-row", test_single_row);
  g_test_add_func ("/layout/layouts/list", test_list);
  g_test_add_func ("/layout/layouts/tables", test_tables);
  g_test_add_func ("/layout/layouts/unknown", test_unknown);
  return g_test_run ();
}
