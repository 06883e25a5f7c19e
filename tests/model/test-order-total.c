/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-orders.h"
#include "tall-must.h"

/* Up to three lines and adjustments; a NULL text is absent. */
typedef struct
{
  const char *lines[3][3]; /* quantity, price, discount */
  const char *total;       /* NULL: does not fit */
  const char *amounts[3];
  const char *subtotal; /* where there are amounts */
} Case;

static const Case cases[] = {
  { { { "1", "1", NULL } }, "1.00" },
  { { { "12", "14.00", "0" }, { "10", "9.80", "0" }, { "5", "34.80", "0" } }, "440.00" },
  { { { "10", "9.80", "0.15" } }, "83.30" },
  { { { "1", "0.125", NULL } }, "0.125" },
  { { { "1", "0.125", NULL }, { "1", "0.875", NULL } }, "1.00" },
  { { { "-3", "2.50", NULL } }, "-7.50" },
  { { { "-3", "2.50", NULL }, { "3", "2.5000", NULL } }, "0.00" },
  { { { "5", NULL, NULL }, { NULL, "5", NULL } }, "0.00" },
  { { { "5", "3", "1" } }, "0.00" },
  { { { "0.000000000000000001", "1", NULL } }, "0.000000000000000001" },
  { { { "0.000000001", "0.0000000001", NULL } }, NULL },
  { { { "0.2", "0.000000000000000005", NULL } }, "0.000000000000000001" },
  { { { "1.000000000000000000", "2.000000000000000000", "0.500000000000000000" } }, "1.00" },
  { { { "92233720368547758.07", "1", NULL } }, "92233720368547758.07" },
  { { { "92233720368547758.07", "1", NULL }, { "1", "0.01", NULL } }, NULL },
  { { { "-92233720368547758.08", "1", NULL } }, "-92233720368547758.08" },
  { { { "46116860184273879.04", "-2", NULL } }, "-92233720368547758.08" },
  { { { "9223372036854775807", "9223372036854775807", NULL } }, NULL },
  { { { "9223372036854775807", "9223372036854775807", NULL },
      { "-9223372036854775807", "9223372036854775807", NULL },
      { "1", "7", NULL } },
    "7.00" },
  { { { "9223372036854775807", "9223372036854775807", "0.123456789012345678" } }, NULL },
  { { { "-9223372036854775808", "-9223372036854775808", NULL },
      { "-9223372036854775808", "-9223372036854775808", NULL } },
    NULL },
  { { { "9223372036854775807", "1", NULL }, { "0.000000000000000001", "0.1", NULL } }, NULL },
  { { { "12", "14.00", "0.1" } }, "160.16", { "4.95", "-1.00", "5.01" }, "151.20" },
  { { { "1", "10", NULL } }, "-0.005", { "-10.005", NULL, NULL }, "10.00" },
  { { { NULL, NULL, NULL } }, "1.99", { "1.990000000000000000", NULL, NULL }, "0.00" },
  { { { "1", "92233720368547758.07", NULL } },
    NULL,
    { "0.01", NULL, NULL },
    "92233720368547758.07" },
  { { { "2", "92233720368547758.07", NULL } },
    "92233720368547758.07",
    { "-92233720368547758.07", NULL, NULL },
    NULL },
  { { { "1", "9223372036854775807", NULL } }, NULL, { "0.000000000000000001" }, NULL },
};

static TallDecimal *
parse (const char *text, TallArena *arena)
{
  if (text == NULL)
    return NULL;

  TallDecimal *decimal = tall_decimal_new (arena, 0, 0);
  must (tall_decimal_parse (text, -1, decimal, &error));
  return decimal;
}

/* Each line at a location of its own. */
static TallOrder *
make_order (const Case *test)
{
  TallOrder *order = tall_test_empty_order ("C", "1", 3);
  for (guint i = 0; i < 3; i++)
    {
      tall_test_add_lines (order, i, i + 1, 1);
      TallArena *arena = tall_order_get_arena (order);
      TallLineItem *line = order->shipping_locations[i]->line_items[0];
      line->quantity = parse (test->lines[i][0], arena);
      line->price = parse (test->lines[i][1], arena);
      line->discount = parse (test->lines[i][2], arena);
      if (test->amounts[i] != NULL)
        tall_order_add_adjustment (order, "fee", 0, 0)->amount = parse (test->amounts[i], arena);
    }
  return order;
}

static void
test_cases (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TallOrder) order = make_order (&cases[i]);
      must (tall_order_normalize (order, &error));

      TallDecimal total;
      char text[TALL_DECIMAL_TEXT_SIZE];
      gboolean fits = tall_order_compute_total (order, &total);
      g_test_message ("case %u", i);
      g_assert_cmpstr (fits ? tall_decimal_format (total, text) : NULL, ==, cases[i].total);
      const char *subtotal = cases[i].amounts[0] != NULL ? cases[i].subtotal : cases[i].total;
      fits = tall_order_compute_subtotal (order, &total);
      g_assert_cmpstr (fits ? tall_decimal_format (total, text) : NULL, ==, subtotal);
    }
}

static void
test_no_lines (void)
{
  g_autoptr (TallOrder) order = tall_order_new ("C", "1");
  TallDecimal total;
  g_assert_true (tall_order_compute_total (order, &total));
  g_assert_true (tall_decimal_identical (total, TALL_DECIMAL (0, 2)));
}

/* What a forged digest proves may have a discount that no order has. */
static void
test_forged_discount (void)
{
  g_autoptr (TallOrder) order = make_order (&cases[0]);
  TallLineItem *line = order->shipping_locations[0]->line_items[0];
  TallDecimal total;
  line->discount = tall_decimal_new (tall_order_get_arena (order), G_MININT64, 0);
  g_assert_false (tall_order_compute_total (order, &total));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/order-total/cases", test_cases);
  g_test_add_func ("/model/order-total/no-lines", test_no_lines);
  g_test_add_func ("/model/order-total/forged-discount", test_forged_discount);
  return g_test_run ();
}
