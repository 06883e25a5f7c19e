/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-golden.h"
#include "tall-test-layout.h"
#include "tall-must.h"

/* Compares the rows that every layout makes under every key strategy with those in the files beside
 * this one. The state cell is not in them: it is the store's. */

#define REVISION 1700000000000

static TallAddress *
make_address (TallArena *arena)
{
  TallAddress *address = tall_address_new (arena);
  address->line1 = tall_arena_strdup (arena, "59 rue de l’Abbaye");
  address->line2 = tall_arena_strdup (arena, "");
  address->city = tall_arena_strdup (arena, "Reims");
  address->state = tall_arena_strdup (arena, "Marne");
  address->zip = tall_arena_strdup (arena, "51100");
  address->country = tall_arena_strdup (arena, "France");
  return address;
}

static void
set_lines (TallArena *arena, TallShippingLocation *location)
{
  TallLineItem *line = tall_location_add_line (location, arena, 1);
  line->item_number = tall_arena_strdup (arena, "11");
  line->description = tall_arena_strdup (arena, "Queso Cabrales");
  line->quantity = tall_decimal_new (arena, -12, 0);
  line->price = tall_decimal_new (arena, 1400, 2);
  line->discount = tall_decimal_new (arena, 15, 2);
  tall_location_add_line (location, arena, 258);
}

static TallOrder *
make_order (const char *number, guint n_locations)
{
  TallOrder *order = tall_order_new ("VINET", number);
  for (guint i = 0; i < n_locations; i++)
    tall_order_add_location (order, (gint32)i + 1);
  return order;
}

static TallOrder *
make_full_order (void)
{
  TallOrder *order = make_order ("10248", 2);
  TallArena *arena = tall_order_get_arena (order);
  order->has_sales_date = TRUE;
  order->sales_date = G_GINT64_CONSTANT (836438400000); /* 1996-07-04 */
  order->currency = tall_arena_strdup (arena, "EUR");
  tall_order_add_attribute (order, "gift", "");
  tall_order_add_attribute (order, "via", "Federal Shipping");

  TallShippingLocation *location = order->shipping_locations[0];
  location->name = tall_arena_strdup (arena, "Vins et alcools Chevalier");
  location->address = make_address (arena);
  location->has_ship_date = TRUE;
  location->ship_date = -1;
  set_lines (arena, location);

  /* present, though all its parts are absent */
  order->shipping_locations[1]->address = tall_address_new (arena);
  return order;
}

/* Schema 2. */
static TallOrder *
make_order_with_money (void)
{
  TallOrder *order = make_order ("10251", 1);
  TallArena *arena = tall_order_get_arena (order);
  tall_location_add_line (order->shipping_locations[0], arena, 1);
  order->billing_address = make_address (arena);
  tall_order_add_adjustment (order, "shipping", 495, 2);
  TallAdjustment *discount = tall_order_add_adjustment (order, "discount", -1, 0);
  discount->description = tall_arena_strdup (arena, "SPRING");
  discount->has_line = TRUE;
  discount->line = 1;
  return order;
}

static TallOrder *
make_empty_order (void)
{
  return make_order ("10249", 0);
}

static TallOrder *
make_order_with_empty_location (void)
{
  return make_order ("10250", 1);
}

static TallCustomer *
make_full_customer (void)
{
  TallCustomer *customer = tall_customer_new ("VINET");
  TallArena *arena = tall_customer_get_arena (customer);
  customer->name = tall_arena_strdup (arena, "Vins et alcools Chevalier");
  customer->email = tall_arena_strdup (arena, "");
  customer->address = make_address (arena);
  tall_customer_add_phone (customer, "26.47.15.11");
  tall_customer_add_phone (customer, "26.47.15.10");
  tall_customer_add_attribute (customer, "gift", "");
  tall_customer_add_attribute (customer, "via", "Federal Shipping");
  return customer;
}

static TallCustomer *
make_empty_customer (void)
{
  return tall_customer_new ("é");
}

/* The row key's parts in hex, with dots between them. */
static void
append_row_key (const TallTestLayout *self, const TallMutation *mutation, GString *text)
{
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (TallRowPart));
  self->layout->name_parts (self->strategy, mutation->table, mutation->row, parts);
  const guint8 *at = mutation->row.data;
  for (guint i = 0; i < parts->len; i++)
    {
      gsize len = g_array_index (parts, TallRowPart, i).len;
      g_autofree char *hex = tall_slice_to_hex (tall_slice (at, len));
      g_string_append_printf (text, "%s%s", i > 0 ? "." : "", hex);
      at += len;
    }
}

static int
compare_changes (gconstpointer a, gconstpointer b)
{
  return tall_slice_compare (((const TallChange *)a)->qualifier,
                             ((const TallChange *)b)->qualifier);
}

static char *
print_batch (const TallTestLayout *self, const TallBatch *batch)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < batch->mutations->len; i++)
    {
      TallMutation *mutation = batch->mutations->pdata[i];
      qsort (mutation->changes, mutation->n_changes, sizeof (TallChange), compare_changes);
      for (guint j = 0; j < mutation->n_changes; j++)
        {
          const TallChange *change = &mutation->changes[j];
          g_autofree char *qualifier = tall_slice_to_debug (change->qualifier);
          g_autofree char *value = tall_slice_to_debug (change->value);
          g_string_append_printf (text, "%s\t", mutation->table);
          append_row_key (self, mutation, text);
          g_string_append_printf (text, "\t%s\t%" G_GINT64_FORMAT "\t%s\n", qualifier,
                                  change->timestamp, value);
        }
    }
  return g_string_free (text, FALSE);
}

static void
check_batch (const TallTestLayout *self, const char *sample, const TallBatch *batch)
{
  g_autofree char *text = print_batch (self, batch);
  g_autofree char *name =
      g_strdup_printf ("%s-%s-%s.txt", self->layout->name, self->strategy->name, sample);
  tall_golden_check (name, text);
}

static void
test_orders (gconstpointer data)
{
  static const struct
  {
    const char *sample;
    TallOrder *(*make) (void);
  } samples[] = {
    { "order-full", make_full_order },
    { "order-empty", make_empty_order },
    { "order-money", make_order_with_money },
    { "order-empty-location", make_order_with_empty_location },
  };

  const TallTestLayout *self = data;
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      g_autoptr (TallOrder) order = samples[i].make ();
      must (tall_order_normalize (order, &error));
      g_autoptr (TallBatch) batch = tall_test_layout_encode_order (self, order, REVISION);
      check_batch (self, samples[i].sample, batch);
    }
}

static void
test_customers (gconstpointer data)
{
  static const struct
  {
    const char *sample;
    TallCustomer *(*make) (void);
  } samples[] = {
    { "customer-full", make_full_customer },
    { "customer-empty", make_empty_customer },
  };

  const TallTestLayout *self = data;
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      g_autoptr (TallCustomer) customer = samples[i].make ();
      must (tall_customer_normalize (customer, &error));
      g_autoptr (TallBatch) batch = tall_test_layout_encode_customer (self, customer, REVISION);
      check_batch (self, samples[i].sample, batch);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  tall_test_add_for_layouts ("golden-orders", test_orders);
  tall_test_add_for_layouts ("golden-customers", test_customers);
  return g_test_run ();
}
