/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-orders.h"
#include "tall-limits.h"
#include "model/model-type.h"
#include "tall-must.h"

static const char *const plain_pieces[] = {
  "a",          "Z",
  "10248",      "VINET",
  " ",          "  ",
  "-",          "/",
  ",",          ";",
  "'",          "\"",
  "\\",         "<&>",
  "%s",         "#",
  "Straße",     "e\u0301",
  "日本語",     "عربي",
  "\U0001F34E", "\U0001F469\u200D\U0001F4BB",
  "\u00A0",     "\uFEFF",
  "\u2028",     "\uFFFD",
  "\U0010FFFF", "ÿ",
};

/* Allowed in texts, but not in numbers. */
static const char *const control_pieces[] = {
  "\n", "\r\n", "\t", "\x01", "\x1f", "\x7f", "\xc2\x80", "\xc2\x9f",
};

static gboolean
one_in (GRand *rand, guint n)
{
  return g_rand_int_range (rand, 0, n) == 0;
}

static const char *
pick_piece (GRand *rand, gboolean controls)
{
  if (controls && one_in (rand, 12))
    return control_pieces[g_rand_int_range (rand, 0, G_N_ELEMENTS (control_pieces))];
  return plain_pieces[g_rand_int_range (rand, 0, G_N_ELEMENTS (plain_pieces))];
}

static char *
random_pieces (GRand *rand, TallArena *arena, guint max_pieces, gsize max_bytes, gboolean controls)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n = g_rand_int_range (rand, 1, max_pieces + 1);
  for (guint i = 0; i < n; i++)
    {
      const char *piece = pick_piece (rand, controls);
      if (text->len + strlen (piece) <= max_bytes)
        g_string_append (text, piece);
    }
  return tall_arena_strndup (arena, text->str, text->len);
}

/* Absent, empty, short or, rarely, long. */
static char *
random_text (GRand *rand, TallArena *arena)
{
  if (one_in (rand, 4))
    return NULL;
  if (one_in (rand, 4))
    return tall_arena_strdup (arena, "");
  return random_pieces (rand, arena, one_in (rand, 200) ? 400 : 6, 4096, TRUE);
}

/**
 * tall_test_random_number:
 *
 * Returns: (transfer none): a customer or order number in @arena: digits, letters, or anything that
 *   is allowed, now and then of exactly 128 bytes
 */
char *
tall_test_random_number (GRand *rand, TallArena *arena)
{
  switch (g_rand_int_range (rand, 0, 8))
    {
    case 0:
    case 1:
      return tall_arena_printf (arena, "%u", g_rand_int (rand));
    case 2:
      return tall_arena_printf (arena, "%c%c%c%c%c", g_rand_int_range (rand, 'A', 'Z' + 1),
                                g_rand_int_range (rand, 'A', 'Z' + 1),
                                g_rand_int_range (rand, 'A', 'Z' + 1),
                                g_rand_int_range (rand, 'A', 'Z' + 1),
                                g_rand_int_range (rand, 'A', 'Z' + 1));
    case 3:
      return tall_arena_printf (arena, "%0*u", TALL_MAX_NUMBER_BYTES, g_rand_int (rand));
    default:
      return random_pieces (rand, arena, 8, TALL_MAX_NUMBER_BYTES, FALSE);
    }
}

static TallAddress *
random_address (GRand *rand, TallArena *arena)
{
  if (one_in (rand, 3))
    return NULL;

  TallAddress *address = tall_address_new (arena);
  if (one_in (rand, 4))
    return address;

  for (guint i = 0; i < tall_model_address.n_fields; i++)
    {
      if (one_in (rand, 4))
        continue;
      char *text = one_in (rand, 4) ? tall_arena_strdup (arena, "")
                                    : random_pieces (rand, arena, 6, 600, TRUE);
      tall_model_set_pointer (&tall_model_address.fields[i], address, text);
    }
  return address;
}

static gboolean
random_date (GRand *rand, gint64 *date)
{
  static const gint64 edges[] = { TALL_MIN_DATE, TALL_MAX_DATE, 0, -1, 1, -86400000, 951782400000 };
  switch (g_rand_int_range (rand, 0, 4))
    {
    case 0:
      return FALSE;
    case 1:
      *date = edges[g_rand_int_range (rand, 0, G_N_ELEMENTS (edges))];
      return TRUE;
    default:
      *date =
          (gint64)(g_rand_double (rand) * (double)(TALL_MAX_DATE - TALL_MIN_DATE)) + TALL_MIN_DATE;
      return TRUE;
    }
}

static TallDecimal *
random_decimal (GRand *rand, TallArena *arena)
{
  static const gint64 edges[] = { 0, 1, -1, 10, 100, -1000, G_MAXINT64, G_MININT64 };
  switch (g_rand_int_range (rand, 0, 4))
    {
    case 0:
      return NULL;
    case 1:
      return tall_decimal_new (arena, edges[g_rand_int_range (rand, 0, G_N_ELEMENTS (edges))],
                               g_rand_int_range (rand, 0, TALL_DECIMAL_MAX_SCALE + 1));
    default:
      return tall_decimal_new (arena, g_rand_int_range (rand, -100, 100000),
                               g_rand_int_range (rand, 0, 5));
    }
}

static TallDecimal *
random_rate (GRand *rand, TallArena *arena)
{
  static const struct
  {
    gint64 unscaled;
    guint32 scale;
  } some[] = { { 0, 0 },
               { 0, 18 },
               { 1, 0 },
               { 100, 2 },
               { 15, 2 },
               { 150, 3 },
               { 5, 2 },
               { 1, 18 },
               { 999999999999999999, 18 },
               { 1000000000000000000, 18 } };
  if (one_in (rand, 3))
    return NULL;

  guint i = g_rand_int_range (rand, 0, G_N_ELEMENTS (some));
  return tall_decimal_new (arena, some[i].unscaled, some[i].scale);
}

static void
random_attributes (GRand *rand, TallArena *arena, const TallModelField *field, gpointer base)
{
  if (one_in (rand, 2))
    return;

  guint n = g_rand_int_range (rand, 0, 6);
  for (guint i = 0; i < n; i++)
    {
      /* The position makes every key unique. */
      char *key = random_pieces (rand, arena, 3, 100, TRUE);
      key = tall_arena_printf (arena, "%s%u", key, i);
      char *value = random_text (rand, arena);
      tall_model_append (field, base, arena,
                         tall_attribute_new (arena, key, value != NULL ? value : ""));
    }
}

/* Of lines that are there, and of others. */
static void
random_adjustments (GRand *rand, TallOrder *order)
{
  static const char *const kinds[] = {
    "discount", "shipping", "tax", "refund", "fee", "Trinkgeld"
  };
  TallArena *arena = tall_order_get_arena (order);
  guint n = one_in (rand, 2) ? 0 : (guint)g_rand_int_range (rand, 0, 6);
  for (guint i = 0; i < n; i++)
    {
      const char *kind = one_in (rand, 4) ? tall_test_random_number (rand, arena)
                                          : kinds[g_rand_int_range (rand, 0, G_N_ELEMENTS (kinds))];
      TallDecimal *amount = random_decimal (rand, arena);
      TallAdjustment *adjustment = tall_order_add_adjustment (order, kind, -495, 2);
      if (amount != NULL)
        adjustment->amount = amount;
      adjustment->description = random_text (rand, arena);
      adjustment->has_line = one_in (rand, 2);
      if (adjustment->has_line)
        adjustment->line = one_in (rand, 8) ? G_MAXINT32 : g_rand_int_range (rand, 1, 5);
    }
}

/* Every field of @base but numbers, lists and addresses, which are its caller's. */
static void
random_fields (GRand *rand, TallArena *arena, const TallModelType *type, gpointer base)
{
  for (guint i = 0; i < type->n_fields; i++)
    {
      const TallModelField *field = &type->fields[i];
      TallModelKind kind = tall_model_kind (field);
      if (kind == TALL_MODEL_TEXT)
        tall_model_set_pointer (field, base, random_text (rand, arena));
      else if (kind == TALL_MODEL_DATE)
        *tall_model_flag (field, base) = random_date (rand, tall_model_date (field, base));
      else if (kind == TALL_MODEL_DECIMAL)
        tall_model_set_pointer (field, base, random_decimal (rand, arena));
      else if (kind == TALL_MODEL_RATE)
        tall_model_set_pointer (field, base, random_rate (rand, arena));
      else if (kind == TALL_MODEL_ATTRIBUTES)
        random_attributes (rand, arena, field, base);
    }
}

static void
shuffle (GRand *rand, gint32 *numbers, guint n)
{
  for (guint i = n; i > 1; i--)
    {
      guint other = g_rand_int_range (rand, 0, i);
      gint32 number = numbers[i - 1];
      numbers[i - 1] = numbers[other];
      numbers[other] = number;
    }
}

/* Different numbers in no order: counted from 1, with gaps, or up to the largest. */
static gint32 *
random_positions (GRand *rand, guint n)
{
  gint32 *numbers = g_new (gint32, n);
  guint step = one_in (rand, 2) ? 1 : (guint)g_rand_int_range (rand, 1, 1000);
  for (guint i = 0; i < n; i++)
    numbers[i] = 1 + i * step;
  if (n > 0 && one_in (rand, 4))
    numbers[n - 1] = G_MAXINT32;
  shuffle (rand, numbers, n);
  return numbers;
}

static void
random_locations (GRand *rand, TallOrder *order, guint n_locations)
{
  g_autofree gint32 *numbers = random_positions (rand, n_locations);
  TallArena *arena = tall_order_get_arena (order);
  for (guint i = 0; i < n_locations; i++)
    {
      TallShippingLocation *location = tall_order_add_location (order, numbers[i]);
      location->address = random_address (rand, arena);
      random_fields (rand, arena, &tall_model_location, location);
    }
}

/* Deals @n_lines out to the locations at random; some stay empty. */
static void
random_lines (GRand *rand, TallOrder *order, guint n_lines)
{
  guint n_locations = order->n_shipping_locations;
  TallArena *arena = tall_order_get_arena (order);
  g_autofree gint32 *numbers = random_positions (rand, n_lines);
  guint dealt = 0;
  for (guint i = 0; i < n_locations; i++)
    {
      guint left = n_lines - dealt;
      guint n = i + 1 == n_locations ? left : (guint)g_rand_int_range (rand, 0, left + 1);
      for (guint k = 0; k < n; k++)
        {
          TallLineItem *line =
              tall_location_add_line (order->shipping_locations[i], arena, numbers[dealt++]);
          if (!one_in (rand, 10))
            random_fields (rand, arena, &tall_model_line, line);
        }
    }
}

static TallOrder *
try_random_order (GRand *rand, guint max_lines)
{
  g_autoptr (TallArena) numbers = tall_arena_new (0);
  TallOrder *order = tall_order_new (tall_test_random_number (rand, numbers),
                                     tall_test_random_number (rand, numbers));
  random_fields (rand, tall_order_get_arena (order), &tall_model_order, order);
  random_adjustments (rand, order);
  order->billing_address =
      one_in (rand, 2) ? random_address (rand, tall_order_get_arena (order)) : NULL;
  if (one_in (rand, 2))
    order->currency = tall_arena_strdup (tall_order_get_arena (order), "EUR");

  guint n_lines = one_in (rand, 8) ? max_lines : (guint)g_rand_int_range (rand, 0, max_lines + 1);
  random_locations (rand, order, g_rand_int_range (rand, 0, one_in (rand, 10) ? 30 : 5));
  random_lines (rand, order, n_lines);
  return order;
}

/**
 * tall_test_random_order:
 * @max_lines: lines at most, up to 5,000
 *
 * Every optional part is now absent, now empty, now present; texts and numbers hold unicode, texts
 * also control characters; some locations have no lines, and some orders no locations (and then no
 * lines).
 *
 * Returns: (transfer full): a normalized order
 */
TallOrder *
tall_test_random_order (GRand *rand, guint max_lines)
{
  g_assert_cmpuint (max_lines, <=, 5000);
  for (;;)
    {
      g_autoptr (TallOrder) order = try_random_order (rand, max_lines);
      g_autoptr (GError) error = NULL;
      if (tall_order_normalize (order, &error))
        return g_steal_pointer (&order);
      /* Only this can happen by chance. */
      g_assert_nonnull (strstr (error->message, "bytes in canonical form"));
    }
}

/**
 * tall_test_random_customer:
 *
 * Returns: (transfer full): a normalized customer, as varied as tall_test_random_order()
 */
TallCustomer *
tall_test_random_customer (GRand *rand)
{
  g_autoptr (TallArena) numbers = tall_arena_new (0);
  TallCustomer *customer = tall_customer_new (tall_test_random_number (rand, numbers));
  TallArena *arena = tall_customer_get_arena (customer);
  random_fields (rand, arena, &tall_model_customer, customer);
  customer->address = random_address (rand, arena);
  guint n_phones = one_in (rand, 2) ? 0 : (guint)g_rand_int_range (rand, 1, 5);
  for (guint i = 0; i < n_phones; i++)
    tall_customer_add_phone (customer,
                             one_in (rand, 4) ? "" : random_pieces (rand, arena, 4, 200, TRUE));

  must (tall_customer_normalize (customer, &error));
  return customer;
}
