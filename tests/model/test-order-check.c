/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-limits.h"
#include "model/model-type.h"
#include "model/canonical.h"
#include "tall-test-orders.h"
#include "tall-must.h"

/* Texts of a model are not const, though nothing here writes into one. */
#define TEXT(literal) ((char *)(literal))

static void
assert_valid (TallOrder *order)
{
  must (tall_order_normalize (order, &error));
}

static void
assert_invalid (TallOrder *order, const char *field, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_assert_false (tall_order_normalize (order, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpstr (tall_error_get_field (error), ==, field);
  g_assert_true (g_str_has_prefix (error->message, field));
  g_assert_nonnull (strstr (error->message, message));
}

static void
assert_too_large (TallOrder *order, const char *limit, const char *figure)
{
  must_fail (tall_order_normalize (order, &error), TALL_ERROR_TOO_LARGE, limit, figure);
}

static char *
fill (TallArena *arena, gsize n)
{
  char *text = tall_arena_alloc (arena, n + 1);
  memset (text, 'x', n);
  text[n] = '\0';
  return text;
}

static void
test_sorts (void)
{
  g_autoptr (TallOrder) order = tall_test_empty_order ("C", "1", 3);
  tall_test_add_lines (order, 0, 1, 2);
  tall_test_add_lines (order, 2, 10, 3);
  order->shipping_locations[0]->number = 30;
  order->shipping_locations[2]->number = 20;
  order->shipping_locations[1]->number = 10;
  order->shipping_locations[2]->line_items[0]->number = 99;
  tall_order_add_attribute (order, "b", "2");
  tall_order_add_attribute (order, "\xc3\xa9", "3");
  tall_order_add_attribute (order, "B", "1");

  assert_valid (order);
  g_assert_cmpint (order->shipping_locations[0]->number, ==, 10);
  g_assert_cmpint (order->shipping_locations[1]->number, ==, 20);
  g_assert_cmpint (order->shipping_locations[2]->number, ==, 30);
  g_assert_cmpuint (order->shipping_locations[0]->n_line_items, ==, 0);
  g_assert_cmpint (order->shipping_locations[1]->line_items[0]->number, ==, 11);
  g_assert_cmpint (order->shipping_locations[1]->line_items[1]->number, ==, 12);
  g_assert_cmpint (order->shipping_locations[1]->line_items[2]->number, ==, 99);
  g_assert_cmpint (order->shipping_locations[2]->line_items[0]->number, ==, 1);
  g_assert_cmpstr (order->attributes[0]->key, ==, "B");
  g_assert_cmpstr (order->attributes[1]->key, ==, "b");
  g_assert_cmpstr (order->attributes[2]->key, ==, "\xc3\xa9");
  g_assert_cmpstr (order->attributes[2]->value, ==, "3");
}

/* Any order of locations and lines normalizes to the same canonical form. */
static void
test_sorts_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  for (guint i = 0; i < 500; i++)
    {
      g_autoptr (TallArena) arena = tall_arena_new (0);
      g_autoptr (TallOrder) order = tall_test_random_order (rand, 20);
      TallSlice before = tall_order_to_canonical (order, arena);
      for (guint k = 0; k < order->n_shipping_locations; k++)
        {
          guint other = g_rand_int_range (rand, 0, order->n_shipping_locations);
          TallShippingLocation *moved = order->shipping_locations[k];
          order->shipping_locations[k] = order->shipping_locations[other];
          order->shipping_locations[other] = moved;
          for (guint l = 1; l < moved->n_line_items; l += 2)
            {
              TallLineItem *line = moved->line_items[l];
              moved->line_items[l] = moved->line_items[0];
              moved->line_items[0] = line;
            }
        }
      assert_valid (order);
      TallSlice after = tall_order_to_canonical (order, arena);
      g_assert_cmpmem (before.data, before.len, after.data, after.len);
    }
}

static void
test_numbers (void)
{
  static const char *const good[] = {
    "1", " ", "a b", "\u00a0", "~", "日本", "\U0001F34E", "\u00ad"
  };
  static const char *const bad[] = { "",     "\n",           "a\tb",      "\x1f",
                                     "\x7f", "\xc2\x80",     "x\xc2\x9f", "\xff",
                                     "\xc3", "\xed\xa0\x80", "\xc0\x80",  "\xc2" };

  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    must (tall_validate_number (good[i], "order_number", &error));
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (TallOrder) customer = tall_order_new (bad[i], "1");
      assert_invalid (customer, "customer_number", "number");
      g_autoptr (TallOrder) order = tall_order_new ("C", bad[i]);
      assert_invalid (order, "order_number", "number");
    }

  g_autoptr (TallOrder) missing = tall_order_new ("C", NULL);
  assert_invalid (missing, "order_number", "missing");
}

static void
test_number_length (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (TallOrder) longest = tall_order_new (fill (arena, 128), fill (arena, 128));
  assert_valid (longest);
  g_autoptr (TallOrder) order = tall_order_new ("C", fill (arena, 129));
  assert_too_large (order, "128", "129");
  g_autoptr (TallOrder) customer = tall_order_new (fill (arena, 129), "1");
  assert_too_large (customer, "128", "129");
}

static void
test_positions (void)
{
  g_autoptr (TallOrder) order = tall_test_empty_order ("C", "1", 2);
  tall_test_add_lines (order, 1, 1, 2);
  order->shipping_locations[1]->number = G_MAXINT32;
  order->shipping_locations[1]->line_items[1]->number = G_MAXINT32;
  assert_valid (order);

  order->shipping_locations[1]->line_items[1]->number = 0;
  assert_invalid (order, "shipping_locations[1].line_items[1].number", "0 is out of range");
  order->shipping_locations[0]->number = -1;
  assert_invalid (order, "shipping_locations[0].number", "-1 is out of range");
}

static void
test_duplicates (void)
{
  g_autoptr (TallOrder) order = tall_test_empty_order ("C", "1", 3);
  tall_test_add_lines (order, 0, 5, 2);
  tall_test_add_lines (order, 2, 1, 2);
  assert_valid (order);

  order->shipping_locations[2]->line_items[1]->number = 6;
  assert_invalid (order, "shipping_locations[2].line_items[1].number",
                  "shipping_locations[0].line_items[1] has the same number 6");
  order->shipping_locations[2]->number = 1;
  assert_invalid (order, "shipping_locations[2].number",
                  "shipping_locations[0] has the same number 1");
  g_assert_cmpint (order->shipping_locations[1]->number, ==, 2);

  g_autoptr (TallOrder) twice = tall_order_new ("C", "1");
  tall_order_add_attribute (twice, "b", "");
  tall_order_add_attribute (twice, "a", "");
  tall_order_add_attribute (twice, "b", "");
  assert_invalid (twice, "attributes[2].key", "attributes[0] has the same key “b”");
}

static void
check_texts_of (TallOrder *order, const TallModelType *type, gpointer base, const char *prefix)
{
  static const char bad[] = "a\xff";
  for (guint i = 0; i < type->n_fields; i++)
    {
      const TallModelField *field = &type->fields[i];
      if (tall_model_kind (field) != TALL_MODEL_TEXT)
        continue;
      gpointer before = tall_model_get_pointer (field, base);
      g_autofree char *path = g_strconcat (prefix, field->name, NULL);
      tall_model_set_pointer (field, base, bad);
      assert_invalid (order, path, "UTF-8");
      tall_model_set_pointer (field, base, before);
      assert_valid (order);
    }
}

/* Every text of an order, made wrong in turn. */
static void
test_texts (void)
{
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("C", "1", 2);
  TallShippingLocation *location = order->shipping_locations[0];
  check_texts_of (order, &tall_model_order, order, "");
  check_texts_of (order, &tall_model_location, location, "shipping_locations[0].");
  check_texts_of (order, &tall_model_address, location->address, "shipping_locations[0].address.");
  check_texts_of (order, &tall_model_line, location->line_items[1],
                  "shipping_locations[0].line_items[1].");

  tall_order_add_attribute (order, "k", "\xff");
  assert_invalid (order, "attributes[0].value", "UTF-8");
  order->attributes[0]->key = TEXT ("\xff");
  assert_invalid (order, "attributes[0].key", "UTF-8");
}

static void
test_attributes_present (void)
{
  g_autoptr (TallOrder) order = tall_order_new ("C", "1");
  tall_order_add_attribute (order, NULL, "");
  assert_invalid (order, "attributes[0].key", "empty");
  order->attributes[0]->key = TEXT ("");
  assert_invalid (order, "attributes[0].key", "empty");
  order->attributes[0]->key = TEXT ("a");
  tall_order_add_attribute (order, "b", NULL);
  assert_invalid (order, "attributes[1].value", "must be there");
}

/* A byte that is not UTF-8, at every place of texts of every short length. */
static void
test_every_byte (void)
{
  char text[41];
  g_autoptr (TallOrder) order = tall_order_new ("C", "1");
  order->currency = text;
  for (gsize len = 1; len < sizeof text; len++)
    for (gsize bad = 0; bad < len; bad++)
      {
        memset (text, 'a', len);
        text[len] = '\0';
        assert_valid (order);
        text[bad] = '\xff';
        assert_invalid (order, "currency", "UTF-8");
      }
}

static void
test_dates (void)
{
  g_autoptr (TallOrder) order = tall_test_empty_order ("C", "1", 1);
  order->sales_date = TALL_MAX_DATE + 1; /* absent, so it may be anything */
  assert_valid (order);
  order->has_sales_date = order->shipping_locations[0]->has_ship_date = TRUE;
  order->sales_date = TALL_MIN_DATE;
  order->shipping_locations[0]->ship_date = TALL_MAX_DATE;
  assert_valid (order);

  order->shipping_locations[0]->ship_date = TALL_MAX_DATE + 1;
  assert_invalid (order, "shipping_locations[0].ship_date", "years 1 to 9999");
  order->sales_date = TALL_MIN_DATE - 1;
  assert_invalid (order, "sales_date", "years 1 to 9999");
}

static void
test_decimals (void)
{
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("C", "1", 1);
  TallLineItem *line = order->shipping_locations[0]->line_items[0];
  TallArena *arena = tall_order_get_arena (order);
  line->quantity = tall_decimal_new (arena, G_MININT64, 18);
  line->price = tall_decimal_new (arena, G_MAXINT64, 18);
  line->discount = tall_decimal_new (arena, G_GINT64_CONSTANT (1000000000000000000), 18);
  assert_valid (order);

  line->discount->unscaled++;
  assert_invalid (order, "shipping_locations[0].line_items[0].discount", "0 to 1");
  line->discount = tall_decimal_new (arena, -1, 18);
  assert_invalid (order, "shipping_locations[0].line_items[0].discount", "0 to 1");
  line->discount = tall_decimal_new (arena, 0, 19);
  assert_invalid (order, "shipping_locations[0].line_items[0].discount", "scale 19");
  line->price->scale = 255;
  assert_invalid (order, "shipping_locations[0].line_items[0].price", "scale 255");
  line->quantity->scale = 19;
  assert_invalid (order, "shipping_locations[0].line_items[0].quantity", "scale 19");

  line->quantity = line->price = line->discount = NULL;
  assert_valid (order);
}

/* Parts that were only zeroed become whole. */
static void
test_zeroed_parts (void)
{
  g_autoptr (TallOrder) order = tall_order_new ("C", "1");
  TallArena *arena = tall_order_get_arena (order);
  TallShippingLocation *location = tall_arena_new0 (arena, TallShippingLocation);
  TallLineItem *line = tall_arena_new0 (arena, TallLineItem);
  TallAttribute *attribute = tall_arena_new0 (arena, TallAttribute);
  location->number = line->number = 1;
  location->address = tall_arena_new0 (arena, TallAddress);
  line->discount = tall_arena_new0 (arena, TallDecimal);
  line->price = tall_arena_new0 (arena, TallDecimal);
  attribute->key = attribute->value = TEXT ("a");
  tall_arena_append (arena, &order->shipping_locations, &order->n_shipping_locations, location);
  tall_arena_append (arena, &location->line_items, &location->n_line_items, line);
  tall_arena_append (arena, &order->attributes, &order->n_attributes, attribute);
  assert_valid (order);

  g_autofree char *hex = tall_slice_to_hex (tall_order_to_canonical (order, arena));
  g_assert_cmpstr (hex, ==,
                   "0a0143120131"
                   "2a1408011a002a0e08012a04080010003204080010003206"
                   "0a0161120161");
}

static void
test_adjustments (void)
{
  g_autoptr (TallOrder) order = tall_test_empty_order ("C", "1", 0);
  TallArena *arena = tall_order_get_arena (order);
  tall_order_add_adjustment (order, "tax", 0, 18);
  TallAdjustment *one = tall_order_add_adjustment (order, "", -1, 0);
  assert_invalid (order, "adjustments[1].kind", "empty");
  one->kind = TEXT ("a\nb");
  assert_invalid (order, "adjustments[1].kind", "control characters");
  one->kind = fill (arena, 129);
  assert_too_large (order, "adjustments[1].kind", "129");
  one->kind = NULL;
  assert_invalid (order, "adjustments[1].kind", "missing");
  one->kind = fill (arena, 128);
  one->description = TEXT ("\xff");
  assert_invalid (order, "adjustments[1].description", "UTF-8");
  one->description = TEXT ("");
  one->has_line = TRUE;
  assert_invalid (order, "adjustments[1].line", "out of range");
  one->line = 7; /* which the order does not have */
  one->amount->scale = 19;
  assert_invalid (order, "adjustments[1].amount", "scale 19");
  one->amount = NULL;
  assert_invalid (order, "adjustments[1].amount", "missing");
  one->amount = tall_decimal_new (arena, 1, 0);
  assert_valid (order);
  g_assert_cmpstr (order->adjustments[0]->kind, ==, "tax"); /* as given */
}

/* What a version of schema 1 knows keeps that number. */
static void
test_schema (void)
{
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("C", "1", 1);
  g_assert_cmpuint (tall_order_get_schema (order), ==, 1);
  order->billing_address = tall_address_new (tall_order_get_arena (order));
  g_assert_cmpuint (tall_order_get_schema (order), ==, 2);
  order->billing_address = NULL;
  tall_order_add_adjustment (order, "tax", 0, 0);
  g_assert_cmpuint (tall_order_get_schema (order), ==, 2);
}

static void
test_counts (void)
{
  g_autoptr (TallOrder) most = tall_test_empty_order ("C", "1", 3);
  tall_test_add_lines (most, 1, 1, 9997);
  assert_valid (most);
  g_autoptr (TallOrder) lines = tall_test_empty_order ("C", "1", 3);
  tall_test_add_lines (lines, 1, 1, 9998);
  assert_too_large (lines, "10000", "10001");

  g_autoptr (TallOrder) locations = tall_test_empty_order ("C", "1", 10000);
  assert_valid (locations);
  g_autoptr (TallOrder) too_many = tall_test_empty_order ("C", "1", 10001);
  assert_too_large (too_many, "10000", "10001");
  tall_order_add_adjustment (locations, "tax", 1, 0);
  assert_too_large (locations, "adjustments", "10001");
}

static void
test_address_size (void)
{
  g_autoptr (TallOrder) order = tall_test_empty_order ("C", "1", 2);
  TallAddress *address = tall_address_new (tall_order_get_arena (order));
  order->shipping_locations[1]->address = address;
  address->line1 = fill (tall_order_get_arena (order), 4000);
  address->country = fill (tall_order_get_arena (order), 96);
  assert_valid (order);

  address->zip = TEXT ("x");
  assert_too_large (order, "shipping_locations[1].address", "4097");
  assert_too_large (order, "4096", "4097");
}

/* Exactly 1 MiB is taken, one byte more is not. */
static void
test_canonical_size (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (TallOrder) order = tall_order_new ("C", "1");
  gsize empty = tall_order_to_canonical (order, arena).len;
  gsize text = TALL_MAX_CANONICAL_BYTES - empty - 4; /* tag, and three bytes of length */

  order->currency = fill (tall_order_get_arena (order), text);
  g_assert_cmpuint (tall_order_to_canonical (order, arena).len, ==, TALL_MAX_CANONICAL_BYTES);
  assert_valid (order);
  order->currency = fill (tall_order_get_arena (order), text + 1);
  assert_too_large (order, "1048576", "1048577");
}

/* An order that is near all limits at once is measured exactly, not estimated. */
static void
test_canonical_size_bound (void)
{
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("C", "1", 9999);
  for (guint i = 0; i < 9999; i++)
    order->shipping_locations[0]->line_items[i]->description =
        fill (tall_order_get_arena (order), 70);
  assert_valid (order);
  for (guint i = 0; i < 9999; i++)
    order->shipping_locations[0]->line_items[i]->description =
        fill (tall_order_get_arena (order), 90);
  assert_too_large (order, "1048576", "canonical form");
}

/* The same of one whose decimals are as long as they can be. */
static void
test_canonical_size_of_decimals (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (TallOrder) order = tall_test_empty_order ("C", "1", 1);
  TallArena *own = tall_order_get_arena (order);
  tall_test_add_lines (order, 0, 1, 9999);
  for (guint i = 0; i < 9999; i++)
    {
      TallLineItem *line = order->shipping_locations[0]->line_items[i];
      line->quantity = line->price = tall_decimal_new (own, G_MININT64, 18);
      line->discount = tall_decimal_new (own, G_GINT64_CONSTANT (1000000000000000000), 18);
    }
  TallLineItem *last = order->shipping_locations[0]->line_items[9998];
  gsize len = TALL_MAX_CANONICAL_BYTES - tall_order_to_canonical (order, arena).len;
  last->description = fill (own, len);
  len -= tall_order_to_canonical (order, arena).len - TALL_MAX_CANONICAL_BYTES;
  last->description = fill (own, len);
  assert_valid (order);
  last->description = fill (own, len + 1);
  assert_too_large (order, "1048576", "1048577");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/order-check/sorts", test_sorts);
  g_test_add_func ("/model/order-check/sorts-random", test_sorts_random);
  g_test_add_func ("/model/order-check/numbers", test_numbers);
  g_test_add_func ("/model/order-check/number-length", test_number_length);
  g_test_add_func ("/model/order-check/positions", test_positions);
  g_test_add_func ("/model/order-check/duplicates", test_duplicates);
  g_test_add_func ("/model/order-check/texts", test_texts);
  g_test_add_func ("/model/order-check/attributes-present", test_attributes_present);
  g_test_add_func ("/model/order-check/every-byte", test_every_byte);
  g_test_add_func ("/model/order-check/dates", test_dates);
  g_test_add_func ("/model/order-check/decimals", test_decimals);
  g_test_add_func ("/model/order-check/zeroed-parts", test_zeroed_parts);
  g_test_add_func ("/model/order-check/adjustments", test_adjustments);
  g_test_add_func ("/model/order-check/schema", test_schema);
  g_test_add_func ("/model/order-check/counts", test_counts);
  g_test_add_func ("/model/order-check/address-size", test_address_size);
  g_test_add_func ("/model/order-check/canonical-size", test_canonical_size);
  g_test_add_func ("/model/order-check/canonical-size-bound", test_canonical_size_bound);
  g_test_add_func ("/model/order-check/canonical-size-of-decimals",
                   test_canonical_size_of_decimals);
  return g_test_run ();
}
