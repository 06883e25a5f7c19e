/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical.h"
#include "tall-error.h"
#include "tall-limits.h"
#include "tall-test-orders.h"
#include "tall-must.h"

static void
assert_invalid (TallCustomer *customer, const char *field, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_assert_false (tall_customer_normalize (customer, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpstr (tall_error_get_field (error), ==, field);
  g_assert_nonnull (strstr (error->message, message));
}

static void
test_fields (void)
{
  static char bad[] = "\xff";
  g_autoptr (TallCustomer) customer = tall_test_plain_customer ("C");
  const struct
  {
    char **text;
    const char *field;
  } cases[] = {
    { &customer->number, "number" },
    { &customer->name, "name" },
    { &customer->email, "email" },
    { &customer->phones[1], "phones[1]" },
    { &customer->address->country, "address.country" },
    { &customer->attributes[0]->value, "attributes[0].value" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      char *before = *cases[i].text;
      *cases[i].text = bad;
      assert_invalid (customer, cases[i].field, "UTF-8");
      *cases[i].text = before;
    }
  customer->phones[0] = NULL;
  assert_invalid (customer, "phones[0]", "must be there");
}

static void
test_number (void)
{
  g_autoptr (TallCustomer) none = tall_customer_new (NULL);
  assert_invalid (none, "number", "missing");
  g_autoptr (TallCustomer) empty = tall_customer_new ("");
  assert_invalid (empty, "number", "empty");
  g_autoptr (TallCustomer) control = tall_customer_new ("a\nb");
  assert_invalid (control, "number", "control");
}

/* Exactly 1 MiB is taken, one byte more is not. */
static void
test_size (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (TallCustomer) customer = tall_customer_new ("C");
  gsize text = TALL_MAX_CANONICAL_BYTES - tall_customer_to_canonical (customer, arena).len - 4;
  g_autofree char *name = g_strnfill (text + 1, 'x');

  customer->name = name + 1;
  must (tall_customer_normalize (customer, &error));
  g_assert_cmpuint (tall_customer_to_canonical (customer, arena).len, ==, TALL_MAX_CANONICAL_BYTES);

  customer->name = name;
  must_fail (tall_customer_normalize (customer, &error), TALL_ERROR_TOO_LARGE, "1048577");
}

static void
test_equal (void)
{
  char empty[] = "";
  g_autoptr (TallCustomer) a = tall_test_plain_customer ("C");
  g_autoptr (TallCustomer) b = tall_test_plain_customer ("C");
  g_assert_true (tall_customer_equal (a, b));

  char **texts[] = { &b->number,
                     &b->name,
                     &b->email,
                     &b->phones[1],
                     &b->address->line2,
                     &b->attributes[0]->key,
                     &b->attributes[0]->value };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      char *before = *texts[i];
      *texts[i] = empty;
      g_assert_false (tall_customer_equal (a, b));
      *texts[i] = before;
    }

  b->n_phones--;
  g_assert_false (tall_customer_equal (a, b));
  b->n_phones++;
  b->n_attributes--;
  g_assert_false (tall_customer_equal (a, b));
  b->n_attributes++;
  b->address = NULL;
  g_assert_false (tall_customer_equal (a, b));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/customer/fields", test_fields);
  g_test_add_func ("/model/customer/number", test_number);
  g_test_add_func ("/model/customer/size", test_size);
  g_test_add_func ("/model/customer/equal", test_equal);
  return g_test_run ();
}
