/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Compares what the store itself writes beside the layouts' rows, the tables `index` and `ids`,
 * with the files beside this one. Every layout must leave the same bytes in them. */
#include "tall-golden.h"
#include "tall-limits.h"
#include "tall-store-fixture.h"
#include "tall-test-cells.h"
#include "tall-test-orders.h"
#include "tall-must.h"

#define DAY G_GINT64_CONSTANT (86400000)
#define UNDATED G_MININT64
#define DATE_SIZE 8

typedef struct
{
  const char *customer;
  const char *order;
  gint64 sales_date;
} Sample;

static const Sample samples[] = {
  { "VINET", "10248", G_GINT64_CONSTANT (836438400000) }, /* 1996-07-04 */
  { "VINET", "10249", UNDATED },
  { "VINET", "last", TALL_MAX_DATE },
  { "VINET", "epoch", 0 },
  { "VINET", "before", -DAY },
  { "VINET", "first", TALL_MIN_DATE },
  { "VINET", "moved", 2 * DAY },
  { "VINET", "gone", 3 * DAY },
  { "VINE", "10248", 0 },
  { "é", "漢字", 1 },
};

static void
put (TallStoreFixture *fixture, const Sample *sample)
{
  g_autoptr (TallOrder) order = tall_test_order_with_lines (sample->customer, sample->order, 1);
  order->has_sales_date = sample->sales_date != UNDATED;
  order->sales_date = order->has_sales_date ? sample->sales_date : 0;
  tall_fixture_put (fixture, order, NULL);
}

/* Orders of all kinds of dates, one that got another date and one that was deleted. */
static void
put_samples (TallStoreFixture *fixture)
{
  const Sample moved = { "VINET", "moved", DAY };
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    put (fixture, &samples[i]);
  put (fixture, &moved);
  tall_fixture_delete (fixture, "gone", NULL);
}

/* The row key in hex, with a dot before each of the positions @at, ended by 0. */
static char *
print_key (TallSlice key, const gsize *at)
{
  GString *text = g_string_new (NULL);
  for (gsize i = 0; i < key.len; i++)
    {
      if (i > 0 && i == *at)
        {
          g_string_append_c (text, '.');
          at++;
        }
      g_string_append_printf (text, "%02x", key.data[i]);
    }
  return g_string_free (text, FALSE);
}

static char *
print_index_key (const TallStoreKind *kind, TallSlice key)
{
  gssize customer = kind->key_strategy->measure_customer (key);
  g_assert_cmpint (customer, >, 0);
  g_assert_cmpuint (key.len, >, (gsize)customer + DATE_SIZE);
  const gsize at[] = { (gsize)customer, (gsize)customer + DATE_SIZE, 0 };
  return print_key (key, at);
}

static char *
print_ids_key (const TallStoreKind *kind G_GNUC_UNUSED, TallSlice key)
{
  const gsize at[] = { 1, 0 };
  return print_key (key, at);
}

/* The counter has the clock's time: whatever that is, `clock` stands for it. */
static void
append_cell (GString *text, const char *table, const char *key, const TallCell *cell)
{
  g_autofree char *qualifier = tall_slice_to_debug (cell->qualifier);
  g_autofree char *value = tall_slice_to_debug (cell->value);
  g_autofree char *timestamp = g_strcmp0 (qualifier, "last") == 0
                                   ? g_strdup ("clock")
                                   : g_strdup_printf ("%" G_GINT64_FORMAT, cell->timestamp);
  g_string_append_printf (text, "%s\t%s\t%s\t%s\t%s\n", table, key, qualifier, timestamp, value);
}

static char *
print_table (TallStoreFixture *fixture,
             const TallStoreKind *kind,
             const char *table,
             char *(*print_row_key) (const TallStoreKind *kind, TallSlice key))
{
  g_autoptr (TallReadResult) result = tall_test_scan (fixture->table, table);

  GString *text = g_string_new (NULL);
  for (guint i = 0; i < result->results[0].n_rows; i++)
    {
      const TallRow *row = &result->results[0].rows[i];
      g_autofree char *key = print_row_key (kind, row->key);
      for (guint j = 0; j < row->n_cells; j++)
        append_cell (text, table, key, &row->cells[j]);
    }
  return g_string_free (text, FALSE);
}

static void
test_index (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  put_samples (fixture);
  g_autofree char *text = print_table (fixture, kind, "index", print_index_key);
  g_autofree char *name = g_strdup_printf ("index-%s.txt", kind->key_strategy->name);
  tall_golden_check (name, text);
}

static void
test_ids (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  put_samples (fixture);
  if (kind->key_strategy->needs_id)
    {
      g_autofree char *text = print_table (fixture, kind, "ids", print_ids_key);
      tall_golden_check ("ids.txt", text);
      return;
    }
  g_auto (GStrv) tables = must (tall_table_list_tables (fixture->table, TALL_NO_DEADLINE, &error));
  g_assert_false (g_strv_contains ((const char *const *)tables, "ids"));
}

static const TallStoreTest tests[] = {
  { "index", test_index },
  { "ids", test_ids },
};

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add ("golden-store", tests, G_N_ELEMENTS (tests));
  return g_test_run ();
}
