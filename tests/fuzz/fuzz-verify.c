/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "tall-error.h"
#include "table/memory-table.h"
#include "tall-must.h"
#include "tall-test-cells.h"
#include "tall-test-orders.h"
#include "tall-test-store.h"

/* Rows of which some bytes were altered. The input:
 *
 *     u8 layout, u8 key strategy, then alterations: u8 row, u8 cell, u8 byte, u8 what it is made
 *     different by (0: the cell is cut there)
 *
 * Rows are counted over all tables but `meta`, cells and bytes as they are read, each around and
 * around. Whatever the rows are, verifying them comes to its end, and a get gives what was stored
 * or an error. If it is an error, the verification has found something. A repair comes to its end,
 * too, and takes no order away that could be read before. */

#define N_ORDERS 3
#define PATIENCE 1 /* microsecond */

static TallOrder *
make_order (guint i)
{
  static const char *const numbers[N_ORDERS] = { "1", "2", "3" };
  TallOrder *order = tall_test_marked_order (numbers[i], 1, i, i + 1);
  order->has_sales_date = i > 0;
  order->sales_date = order->has_sales_date ? i * 86400000 : 0;
  return order;
}

static void
fill (TallFront *front)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallCustomer) customer = tall_test_plain_customer (TALL_TEST_CUSTOMER);
  gboolean done = tall_front_put_customer (front, customer, NULL, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < N_ORDERS; i++)
    {
      g_autoptr (TallOrder) order = make_order (i);
      done = done && tall_front_put_order (front, order, NULL, NULL, &error);
      g_assert_no_error (error);
    }
  g_assert_true (done);
}

/* All rows of all tables but `meta`, one result for each table. */
static TallReadResult *
read_all (TallTable *table, const GStrv names, TallReadPlan *plan)
{
  g_autoptr (GError) error = NULL;
  for (guint i = 0; names[i] != NULL; i++)
    if (!g_str_equal (names[i], "meta"))
      tall_read_plan_add_scan (plan, names[i], tall_slice (NULL, 0), tall_slice (NULL, 0));
  TallReadResult *result = tall_table_read (table, plan, TALL_NO_DEADLINE, &error);
  g_assert_no_error (error);
  return result;
}

static const TallRow *
find_row (const TallReadPlan *plan, const TallReadResult *result, guint number, const char **table)
{
  guint n = 0;
  for (guint i = 0; i < result->n_results; i++)
    n += result->results[i].n_rows;
  number %= n;
  for (guint i = 0;; number -= result->results[i++].n_rows)
    if (number < result->results[i].n_rows)
      {
        *table = tall_read_plan_get (plan, i)->table;
        return &result->results[i].rows[number];
      }
}

static void
alter (TallTable *table, const GStrv names, TallReader *reader)
{
  const char *where;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  g_autoptr (TallReadResult) result = read_all (table, names, plan);
  const TallRow *row = find_row (plan, result, tall_reader_u8 (reader), &where);
  const TallCell *cell = &row->cells[tall_reader_u8 (reader) % row->n_cells];
  guint8 at = tall_reader_u8 (reader);
  guint8 by = tall_reader_u8 (reader);
  if (reader->failed || cell->value.len == 0)
    return;
  at %= cell->value.len;
  g_autofree guint8 *value = g_memdup2 (cell->value.data, cell->value.len);
  value[at] ^= by;
  tall_test_put (table, where, row->key,
                 (TallCell){ cell->qualifier, cell->timestamp,
                             tall_slice (value, by != 0 ? cell->value.len : at) });
}

/* Which orders are what was stored, a bit each; none ever is another one. */
static guint
get_all (TallFront *front)
{
  guint all = 0;
  for (guint i = 0; i < N_ORDERS; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallOrder) stored = make_order (i);
      g_autoptr (TallOrder) got =
          tall_front_get_order (front, TALL_TEST_CUSTOMER, stored->order_number, NULL, &error);
      if (got != NULL)
        tall_test_assert_order_equal (got, stored);
      else
        g_assert_true (tall_error_is_of_one (error));
      all |= (guint)(got != NULL) << i;
    }
  return all;
}

static TallVerifySummary
verify (TallFront *front, gboolean repair)
{
  TallVerifySummary summary;
  const TallVerifyOptions options = { .alone = TRUE, .repair = repair };
  must (tall_front_verify (front, &options, &summary, &error));
  return summary;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  guint n_layouts, n_strategies;
  const TallLayout *const *layouts = tall_layouts (&n_layouts);
  const TallKeyStrategy *const *strategies = tall_key_strategies (&n_strategies);
  TallReader reader = tall_reader (tall_slice (data, size));
  const TallLayout *layout = layouts[tall_reader_u8 (&reader) % n_layouts];
  const TallKeyStrategy *strategy = strategies[tall_reader_u8 (&reader) % n_strategies];

  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = tall_test_table_new (layout, strategy);
  TallTestClock clock = { .now = G_GINT64_CONSTANT (1700000000000), .patience = PATIENCE };
  g_autoptr (TallStore) filled = tall_test_open (table, &clock);
  fill (TALL_FRONT (filled));
  g_auto (GStrv) names = tall_table_list_tables (table, TALL_NO_DEADLINE, &error);
  while (reader.rest.len >= 4)
    alter (table, names, &reader);

  /* Another store, which remembers no ids. */
  g_autoptr (TallStore) store = tall_test_open (table, &clock);
  TallVerifySummary found = verify (TALL_FRONT (store), FALSE);
  guint readable = get_all (TALL_FRONT (store));
  g_assert_true (readable == (1u << N_ORDERS) - 1 || found.n_findings > 0);
  TallVerifySummary mended = verify (TALL_FRONT (store), TRUE);
  g_assert_cmpuint (mended.n_findings, >=, mended.n_mended);
  g_assert_cmpuint (get_all (TALL_FRONT (store)) & readable, ==, readable);
  return 0;
}
