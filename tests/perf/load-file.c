/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load-file.h"

#include <errno.h>
#include <stdio.h>

#include "tall-error.h"
#include "tall-json.h"

/* Also known to the peers in peers/, which read the file by its position of columns. */
static const char header[] = "Customer,Order,Date,Currency,Name,Street,City,Zip,Country,Shipped,"
                             "Line,Item,Description,Quantity,Price,Discount\n";

static const char mapping[] = "[order]\n"
                              "customer_number = Customer\n"
                              "order_number = Order\n"
                              "sales_date = Date\n"
                              "currency = Currency\n"
                              "[location]\n"
                              "name = Name\n"
                              "address.line1 = Street\n"
                              "address.city = City\n"
                              "address.zip = Zip\n"
                              "address.country = Country\n"
                              "ship_date = Shipped\n"
                              "[line]\n"
                              "number = Line\n"
                              "item_number = Item\n"
                              "description = Description\n"
                              "quantity = Quantity\n"
                              "price = Price\n"
                              "discount = Discount\n";

/**
 * tall_load_file_make_mapping:
 *
 * Returns: (transfer full): the mapping of such a file, not bound yet
 */
TallMapping *
tall_load_file_make_mapping (void)
{
  g_autoptr (GError) error = NULL;
  TallMapping *self = tall_mapping_parse ("a made-up file", mapping, -1, &error);
  if (self == NULL)
    g_error ("%s", error->message);
  return self;
}

static void
print_line (FILE *file, const TallOrder *order, const TallLineItem *line)
{
  const TallShippingLocation *location = order->shipping_locations[0];
  const TallAddress *address = location->address;
  char date[TALL_DATE_TEXT_SIZE], shipped[TALL_DATE_TEXT_SIZE];
  char quantity[TALL_DECIMAL_TEXT_SIZE], price[TALL_DECIMAL_TEXT_SIZE];
  char discount[TALL_DECIMAL_TEXT_SIZE];
  fprintf (file, "%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%d,%s,%s,%s,%s,%s\n", order->customer_number,
           order->order_number, tall_date_format (order->sales_date, date), order->currency,
           location->name, address->line1, address->city, address->zip, address->country,
           tall_date_format (location->ship_date, shipped), line->number, line->item_number,
           line->description, tall_decimal_format (*line->quantity, quantity),
           tall_decimal_format (*line->price, price),
           tall_decimal_format (*line->discount, discount));
}

static void
print_orders (FILE *file, const TallWorkload *workload, guint n_orders, const gint *stop)
{
  fputs (header, file);
  for (guint i = 0; i < n_orders && (stop == NULL || g_atomic_int_get (stop) == 0); i++)
    {
      g_autoptr (TallOrder) order = tall_workload_make_order (workload, i);
      const TallShippingLocation *location = order->shipping_locations[0];
      for (guint j = 0; j < location->n_line_items; j++)
        print_line (file, order, location->line_items[j]);
    }
}

/**
 * tall_load_file_write:
 * @path: a file that is made, or replaced
 * @stop: (nullable): atomic; the file ends early when it is not 0 any more
 *
 * Writes the first orders of a workload as CSV, a row a line.
 */
gboolean
tall_load_file_write (const char *path,
                      const TallWorkload *workload,
                      guint n_orders,
                      const gint *stop,
                      GError **error)
{
  FILE *file = fopen (path, "we");
  gboolean ok = file != NULL;
  if (ok)
    {
      print_orders (file, workload, n_orders, stop);
      ok = !ferror (file);
      ok = fclose (file) == 0 && ok;
    }
  if (!ok)
    g_set_error (error, TALL_ERROR, TALL_ERROR_INTERNAL, "Writing %s: %s", path,
                 g_strerror (errno));
  return ok;
}
