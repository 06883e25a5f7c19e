/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-show.h"
#include "tall-json.h"
#include "tall-output.h"
#include "tall-text.h"

/**
 * tall_show_date:
 *
 * Returns: (transfer full): a day alone where the time is midnight, as it mostly is
 */
char *
tall_show_date (gint64 date)
{
  char text[TALL_DATE_TEXT_SIZE];
  tall_date_format (date, text);
  char *time = strchr (text, 'T');
  if (time != NULL && g_str_equal (time, "T00:00:00.000Z"))
    *time = '\0';
  return g_strdup (text);
}

static void
show_field (const char *name, const char *text)
{
  if (text == NULL)
    return;
  g_autofree char *clean = tall_text_clean (text);
  tall_print_styled (TALL_STYLE_DIM, "  %-14s ", name);
  tall_print ("%s\n", clean);
}

static void
show_attributes (const TallAttributes *attributes)
{
  if (attributes->n_items == 0)
    return;
  tall_print_styled (TALL_STYLE_DIM, "  attributes\n");
  for (guint i = 0; i < attributes->n_items; i++)
    {
      g_autofree char *key = tall_text_clean (attributes->items[i].key);
      tall_print ("  ");
      show_field (key, attributes->items[i].value);
    }
}

static char *
format_address (const TallAddress *address)
{
  if (address == NULL)
    return NULL;
  const char *parts[] = { address->line1, address->line2, address->zip,
                          address->city,  address->state, address->country };
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (parts[i] != NULL && *parts[i] != '\0')
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", parts[i]);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
add_decimal (TallGrid *grid, gboolean has, TallDecimal decimal)
{
  char text[TALL_DECIMAL_TEXT_SIZE];
  tall_grid_add (grid, has ? tall_decimal_format (decimal, text) : "");
}

static void
show_lines (const TallShippingLocation *location)
{
  static const char *const columns[] = { ">LINE",  "ITEM",      "DESCRIPTION", ">QUANTITY",
                                         ">PRICE", ">DISCOUNT", NULL };
  g_autoptr (TallGrid) grid = tall_grid_new (columns);
  for (guint i = 0; i < location->n_line_items; i++)
    {
      const TallLineItem *line = &location->line_items[i];
      tall_grid_add_number (grid, (guint64)line->number);
      tall_grid_add (grid, line->item_number);
      tall_grid_add (grid, line->description);
      add_decimal (grid, line->has_quantity, line->quantity);
      add_decimal (grid, line->has_price, line->price);
      add_decimal (grid, line->has_discount, line->discount);
    }
  tall_grid_print (grid, 4);
}

static void
show_location (const TallShippingLocation *location)
{
  g_autofree char *address = format_address (location->address);
  tall_print ("\n");
  tall_print_styled (TALL_STYLE_BOLD, "  Location %d\n", location->number);
  show_field ("name", location->name);
  show_field ("address", address);
  if (location->has_ship_date)
    {
      g_autofree char *date = tall_show_date (location->ship_date);
      show_field ("ship date", date);
    }
  if (location->n_line_items > 0)
    show_lines (location);
  else
    tall_print ("    no lines\n");
}

static void
show_revision (gint64 revision)
{
  char text[TALL_DATE_TEXT_SIZE];
  tall_print_styled (TALL_STYLE_DIM, "  %-14s ", "revision");
  tall_print ("%" G_GINT64_FORMAT " (%s)\n", revision, tall_date_format (revision, text));
}

void
tall_show_order (const TallOrder *order, gint64 revision)
{
  char text[TALL_DECIMAL_TEXT_SIZE];
  TallDecimal total;
  g_autofree char *title =
      g_strdup_printf ("Order %s of %s", order->order_number, order->customer_number);
  g_autofree char *clean = tall_text_clean (title);
  tall_print_styled (TALL_STYLE_BOLD, "%s\n", clean);
  if (order->has_sales_date)
    {
      g_autofree char *date = tall_show_date (order->sales_date);
      show_field ("sales date", date);
    }
  show_revision (revision);
  show_attributes (&order->attributes);
  for (guint i = 0; i < order->n_shipping_locations; i++)
    show_location (&order->shipping_locations[i]);

  guint n_lines = tall_order_count_lines (order);
  tall_print ("\n  %u %s", n_lines, n_lines == 1 ? "line" : "lines");
  if (tall_order_compute_total (order, &total))
    {
      g_autofree char *currency = tall_text_clean (order->currency != NULL ? order->currency : "");
      tall_print (", total %s%s%s", tall_decimal_format (total, text), *currency ? " " : "",
                  currency);
    }
  tall_print ("\n");
}

void
tall_show_customer (const TallCustomer *customer, gint64 revision)
{
  g_autofree char *address = format_address (customer->address);
  g_autofree char *clean = tall_text_clean (customer->number);
  tall_print_styled (TALL_STYLE_BOLD, "Customer %s\n", clean);
  show_field ("name", customer->name);
  show_field ("address", address);
  for (guint i = 0; i < customer->n_phones; i++)
    show_field ("phone", customer->phones[i]);
  show_field ("email", customer->email);
  show_revision (revision);
  show_attributes (&customer->attributes);
}
