/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical.h"
#include "tall-test-orders.h"
#include "tall-must.h"

static TallOrder *
copy_order (const TallOrder *order)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallOrder *copy =
      must (tall_order_from_canonical (tall_order_to_canonical (order, arena), &error));
  return copy;
}

/* Every text of an order in turn becomes another one. */
static void
test_texts_count (void)
{
  char other[] = "other";
  g_autoptr (TallOrder) a = tall_test_order_with_lines ("C", "1", 2);
  g_autoptr (TallOrder) b = copy_order (a);
  TallShippingLocation *location = b->shipping_locations[0];
  TallAddress *address = location->address;
  TallLineItem *line = location->line_items[1];
  char **texts[] = {
    &b->customer_number, &b->order_number,  &b->currency,       &location->name,
    &address->line1,     &address->line2,   &address->city,     &address->state,
    &address->zip,       &address->country, &line->item_number, &line->description
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      char *before = *texts[i];
      *texts[i] = other;
      g_assert_false (tall_order_equal (a, b));
      g_assert_false (tall_order_equal (b, a));
      *texts[i] = before;
      g_assert_true (tall_order_equal (a, b));
    }
}

/* An empty text is not an absent one. */
static void
test_empty_is_not_absent (void)
{
  char empty[] = "";
  g_autoptr (TallOrder) a = tall_test_order_with_lines ("C", "1", 1);
  g_autoptr (TallOrder) b = copy_order (a);
  a->currency = NULL;
  b->currency = empty;
  g_assert_false (tall_order_equal (a, b));
  b->currency = NULL;
  g_assert_true (tall_order_equal (a, b));
  a->shipping_locations[0]->address->state = empty;
  g_assert_false (tall_order_equal (a, b));
}

/* Every flag, and then every count, in turn becomes another one. */
static void
test_presence_counts (void)
{
  g_autoptr (TallOrder) a = tall_test_order_with_lines ("C", "1", 2);
  g_autoptr (TallOrder) b = copy_order (a);
  TallShippingLocation *location = b->shipping_locations[0];
  TallLineItem *line = location->line_items[1];
  gboolean *flags[] = { &b->has_sales_date, &location->has_ship_date };
  for (guint i = 0; i < G_N_ELEMENTS (flags); i++)
    {
      *flags[i] = FALSE;
      g_assert_false (tall_order_equal (a, b));
      *flags[i] = TRUE;
    }

  TallDecimal **decimals[] = { &line->quantity, &line->price, &line->discount };
  for (guint i = 0; i < G_N_ELEMENTS (decimals); i++)
    {
      TallDecimal *before = *decimals[i];
      *decimals[i] = NULL;
      g_assert_false (tall_order_equal (a, b));
      *decimals[i] = before;
    }

  gsize *counts[] = { &b->n_shipping_locations, &location->n_line_items };
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      --*counts[i];
      g_assert_false (tall_order_equal (a, b));
      ++*counts[i];
    }
  g_assert_true (tall_order_equal (a, b));
}

static void
test_values_count (void)
{
  g_autoptr (TallOrder) a = tall_test_order_with_lines ("C", "1", 2);
  g_autoptr (TallOrder) b = copy_order (a);
  TallShippingLocation *location = b->shipping_locations[0];
  TallLineItem *line = location->line_items[1];
  gint64 *values[] = { &b->sales_date, &location->ship_date, &line->quantity->unscaled,
                       &line->price->unscaled, &line->discount->unscaled };
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      ++*values[i];
      g_assert_false (tall_order_equal (a, b));
      --*values[i];
    }

  gint32 *numbers[] = { &location->number, &line->number };
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      ++*numbers[i];
      g_assert_false (tall_order_equal (a, b));
      --*numbers[i];
    }
  g_assert_true (tall_order_equal (a, b));
}

/* 1.5 and 1.50 are the same amount, but not the same value. */
static void
test_scale_counts (void)
{
  g_autoptr (TallOrder) a = tall_test_order_with_lines ("C", "1", 1);
  g_autoptr (TallOrder) b = copy_order (a);
  a->shipping_locations[0]->line_items[0]->price =
      tall_decimal_new (tall_order_get_arena (a), 15, 1);
  b->shipping_locations[0]->line_items[0]->price =
      tall_decimal_new (tall_order_get_arena (b), 150, 2);
  g_assert_false (tall_order_equal (a, b));
}

static void
test_attributes_count (void)
{
  g_autoptr (TallOrder) a = tall_order_new ("C", "1");
  g_autoptr (TallOrder) b = tall_order_new ("C", "1");
  tall_order_add_attribute (a, "k", "v");
  g_assert_false (tall_order_equal (a, b));
  tall_order_add_attribute (b, "k", "w");
  g_assert_false (tall_order_equal (a, b));
  b->attributes[0]->value[0] = 'v';
  g_assert_true (tall_order_equal (a, b));
}

/* Values that are absent do not count, whatever is left in their place. */
static void
test_absent_is_equal (void)
{
  g_autoptr (TallOrder) a = tall_test_order_with_lines ("C", "1", 1);
  g_autoptr (TallOrder) b = copy_order (a);
  a->has_sales_date = b->has_sales_date = FALSE;
  a->sales_date = 5;
  g_assert_true (tall_order_equal (a, b));
}

static void
test_count_lines (void)
{
  g_autoptr (TallOrder) order = tall_test_empty_order ("C", "1", 4);
  g_assert_cmpuint (tall_order_count_lines (order), ==, 0);
  tall_test_add_lines (order, 1, 1, 5);
  tall_test_add_lines (order, 3, 6, 2);
  g_assert_cmpuint (tall_order_count_lines (order), ==, 7);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/order/equal/texts-count", test_texts_count);
  g_test_add_func ("/model/order/equal/empty-is-not-absent", test_empty_is_not_absent);
  g_test_add_func ("/model/order/equal/presence-counts", test_presence_counts);
  g_test_add_func ("/model/order/equal/values-count", test_values_count);
  g_test_add_func ("/model/order/equal/scale-counts", test_scale_counts);
  g_test_add_func ("/model/order/equal/attributes-count", test_attributes_count);
  g_test_add_func ("/model/order/equal/absent-is-equal", test_absent_is_equal);
  g_test_add_func ("/model/order/count-lines", test_count_lines);
  return g_test_run ();
}
