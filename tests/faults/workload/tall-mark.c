/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-mark.h"

#include "tall-error.h"

#define PATCHED "patched-" /* begins the names of attributes, which come after `parts` */
#define MAX_LOCATIONS 3
#define MAX_LINES 4 /* of a location */
#define DAY (24 * 3600 * G_GINT64_CONSTANT (1000))

static guint
fill_location (TallOrder *order, TallShippingLocation *location, gint32 first, guint n_lines)
{
  TallArena *arena = tall_order_get_arena (order);
  for (guint i = 0; i < n_lines; i++)
    {
      TallLineItem *line = tall_location_add_line (location, arena, first + (gint32)i);
      line->description = order->currency;
      line->quantity = tall_decimal_new (arena, line->number, 0);
    }
  return n_lines;
}

/* The numbers of lines of all locations. */
static char *
count_parts (const TallOrder *order)
{
  g_autoptr (GString) parts = g_string_new (NULL);
  for (guint i = 0; i < order->n_shipping_locations; i++)
    g_string_append_printf (parts, "%zu,", order->shipping_locations[i]->n_line_items);
  return g_strdup (parts->str);
}

/**
 * tall_mark_order:
 * @content: what is written, unlike anything else in the history
 *
 * Returns: (transfer full): an order that carries @content in each of its parts, and how many parts
 *   it has, so that it tells by itself whether it is whole
 */
TallOrder *
tall_mark_order (const char *customer, guint order_number, const char *content, GRand *rand)
{
  g_autofree char *number = g_strdup_printf ("%u", order_number);
  TallOrder *order = tall_order_new (customer, number);
  guint n_lines = 0;

  order->has_sales_date = TRUE;
  order->sales_date = TALL_MARK_DATE + order_number * DAY;
  order->currency = tall_arena_strdup (tall_order_get_arena (order), content);
  guint n_locations = (guint)g_rand_int_range (rand, 1, MAX_LOCATIONS + 1);
  for (guint i = 0; i < n_locations; i++)
    {
      TallShippingLocation *location = tall_order_add_location (order, (gint32)i + 1);
      location->name = order->currency;
      n_lines += fill_location (order, location, (gint32)n_lines + 1,
                                (guint)g_rand_int_range (rand, 0, MAX_LINES + 1));
    }

  g_autofree char *parts = count_parts (order);
  tall_order_add_attribute (order, "parts", parts);
  return order;
}

static gboolean
set_torn (GError **error, const TallOrder *order, const char *part, const char *found)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "torn: the order has %s, %s has %s",
               order->currency != NULL ? order->currency : "no mark", part,
               found != NULL ? found : "none");
  return FALSE;
}

/**
 * tall_mark_patch:
 * @name: unlike anything else in the history
 *
 * Returns: (transfer full): a change that adds @name to what tall_mark_read() says
 */
char *
tall_mark_patch (const char *name)
{
  return g_strdup_printf ("attribute." PATCHED "%s=", name);
}

/* What was written, and what patches have added since. */
static char *
describe (const TallOrder *order)
{
  GString *content = g_string_new (order->currency);
  for (gsize i = 1; i < order->n_attributes; i++)
    g_string_append_printf (content, "+%s", order->attributes[i]->key + strlen (PATCHED));
  char *text = tall_arena_strdup (tall_order_get_arena (order), content->str);
  g_string_free (content, TRUE);
  return text;
}

/**
 * tall_mark_read:
 * @order: a whole one, or
 * @is_part: only its first location
 * @content: (out): what was written, and what patches have added; lives as long as @order
 *
 * Returns: FALSE if the order is not what some tall_mark_order() made
 */
gboolean
tall_mark_read (const TallOrder *order, gboolean is_part, const char **content, GError **error)
{
  g_autofree char *parts = count_parts (order);
  const char *wanted = order->n_attributes > 0 ? order->attributes[0]->value : "no attribute";
  gboolean fits = is_part ? order->n_shipping_locations == 1 && g_str_has_prefix (wanted, parts)
                          : g_str_equal (wanted, parts);
  if (order->currency == NULL || !fits)
    return set_torn (error, order, "its attribute", wanted);

  for (guint i = 0; i < order->n_shipping_locations; i++)
    {
      const TallShippingLocation *location = order->shipping_locations[i];
      if (g_strcmp0 (location->name, order->currency) != 0)
        return set_torn (error, order, "a location", location->name);
      for (guint j = 0; j < location->n_line_items; j++)
        if (g_strcmp0 (location->line_items[j]->description, order->currency) != 0)
          return set_torn (error, order, "a line", location->line_items[j]->description);
    }
  *content = describe (order);
  return TRUE;
}
