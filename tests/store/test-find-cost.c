/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What the designs of src/store/FINDING.md cost: a page of a search is one scan of entries and one
 * read of the orders that they lead to, and a put has one call more before its commit, on a table
 * that changes one row in one step. */
#include "table/forwarding-table.h"
#include "table/memory-table.h"
#include "tall-error.h"
#include "tall-json.h"
#include "tall-must.h"
#include "tall-test-orders.h"
#include "tall-test-store.h"

#define N_ORDERS 60
#define PAGE 10

typedef struct
{
  const char *path;
  const char *index; /* NAME=TEMPLATE */
  const char *value; /* of the leading parts, one a line */
  guint n_entries;   /* that the put of an order writes */
  guint n_calls;     /* of a put that replaces an order */
  guint n_found;     /* on a page */
} Design;

static const Design designs[] = {
  { "/find-cost/none", NULL, NULL, 0, 3, 0 },
  { "/find-cost/number", "i=order_number", "7", 1, 4, 1 },
  { "/find-cost/who-bought-it", "i=md5(line.item_number) rtime(sales_date)?", "A", 3, 5, PAGE },
  { "/find-cost/what-was-bought", "i=customer_number line.item_number", "C\nA", 3, 5, PAGE },
  { "/find-cost/list-data", "i=customer_number rtime(sales_date)?", "C", 1, 5, PAGE },
  { "/find-cost/log-key", "i=last(1,attribute.shipment) attribute.shipment day(sales_date)",
    "7\nS7", 1, 5, PAGE },
  { "/find-cost/status-by-month", "i=month(sales_date) attribute.status day(sales_date)",
    "2026-11\nopen", 1, 5, PAGE },
};

typedef struct
{
  TallTable *counting;
  TallFront *front;
  TallTestClock clock;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  const TallStoreSettings settings = { .layout = &tall_layout_blob,
                                       .key_strategy = &tall_key_hashed,
                                       .index = TALL_INDEX_NONE,
                                       .indexes = ((const Design *)data)->index };
  g_autoptr (TallTable) table = tall_memory_table_new ();
  must (tall_store_create (table, &settings, &error));
  self->counting = tall_counting_table_new (table);
  self->clock = (TallTestClock){ .now = 1796000000000 };
  self->front = TALL_FRONT (tall_test_open (self->counting, &self->clock));
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_object_unref (self->front);
  g_object_unref (self->counting);
}

/* Of two lines of one item, and of two of others. */
static TallOrder *
make_order (guint number)
{
  static const char *const items[] = { "A", "B", "A", "C" };
  g_autofree char *text = g_strdup_printf ("%u", number);
  TallOrder *order = tall_test_order_with_lines ("C", text, G_N_ELEMENTS (items));
  TallArena *arena = tall_order_get_arena (order);
  for (guint i = 0; i < G_N_ELEMENTS (items); i++)
    order->shipping_locations[0]->line_items[i]->item_number = tall_arena_strdup (arena, items[i]);
  order->has_sales_date = tall_date_parse ("2026-11-28", &order->sales_date, NULL);
  tall_order_add_attribute (order, "shipment", "S7");
  tall_order_add_attribute (order, "status", "open");
  return order;
}

static TallCost
put (Fixture *self, guint number)
{
  TallCost cost;
  g_autoptr (TallOrder) order = make_order (number);
  self->clock.now += 1000;
  tall_counting_table_reset (TALL_COUNTING_TABLE (self->counting));
  must (tall_front_put_order (self->front, order, NULL, NULL, &error));
  tall_counting_table_get_cost (TALL_COUNTING_TABLE (self->counting), &cost);
  return cost;
}

/* One row more shows whether there is a next page. */
static void
check_page (Fixture *self, const Design *design, char **page)
{
  TallCost cost;
  g_auto (GStrv) values = g_strsplit (design->value, "\n", 0);
  const TallFindOptions options = { .index = "i",
                                    .values = (const char *const *)values,
                                    .n_values = g_strv_length (values),
                                    .limit = PAGE,
                                    .page = *page };
  tall_counting_table_reset (TALL_COUNTING_TABLE (self->counting));
  g_autoptr (TallFound) found = must (tall_front_find_orders (self->front, &options, &error));
  g_assert_cmpuint (found->n_orders, ==, design->n_found);
  tall_counting_table_get_cost (TALL_COUNTING_TABLE (self->counting), &cost);
  g_assert_cmpuint (cost.calls, ==, 2);
  g_assert_cmpuint (cost.rows_read, ==, 2 * design->n_found + (design->n_found == PAGE ? 1 : 0));
  g_free (*page);
  *page = g_steal_pointer (&found->next_page);
}

static void
test_cost (Fixture *self, gconstpointer data)
{
  const Design *design = data;
  g_autofree char *page = NULL;
  TallCost cost = put (self, 0);
  g_assert_cmpuint (cost.calls, ==, design->index != NULL ? 2 : 1);
  g_assert_cmpuint (cost.rows_written, ==, 1 + design->n_entries);
  cost = put (self, 0);
  g_assert_cmpuint (cost.calls, ==, design->n_calls);
  if (design->index == NULL)
    return;
  for (guint i = 1; i < N_ORDERS; i++)
    (void)put (self, i);
  check_page (self, design, &page);
  if (page != NULL)
    check_page (self, design, &page);
}

/* However many entries lead to an order: it is read once. */
static void
test_many_lines (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallCost cost;
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("C", "1", 400);
  const TallFindOptions options = { .index = "i", .limit = 100 };
  for (guint i = 0; i < 400; i++)
    order->shipping_locations[0]->line_items[i]->item_number =
        tall_arena_printf (tall_order_get_arena (order), "%u", i);
  must (tall_front_put_order (self->front, order, NULL, NULL, &error));
  tall_counting_table_reset (TALL_COUNTING_TABLE (self->counting));
  g_autoptr (TallFound) found = must (tall_front_find_orders (self->front, &options, &error));
  g_assert_cmpuint (found->n_orders, ==, 1);
  tall_counting_table_get_cost (TALL_COUNTING_TABLE (self->counting), &cost);
  g_assert_cmpuint (cost.calls, ==, 400 / 100 + 1);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (designs); i++)
    g_test_add (designs[i].path, Fixture, &designs[i], set_up, test_cost, tear_down);
  g_test_add ("/find-cost/many-lines", Fixture, &designs[3], set_up, test_many_lines, tear_down);
  return g_test_run ();
}
