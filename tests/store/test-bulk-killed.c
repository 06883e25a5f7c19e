/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* A load that is killed leaves whole orders, and can be begun again: this program loads an embedded
 * store in another process, which it kills at random points. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tall-bulk.h"
#include "tall-error.h"
#include "table/rocksdb/table.h"
#include "tall-store-fixture.h"
#include "tall-test-orders.h"
#include "tall-must.h"

#define N_ORDERS 600
#define N_CALL 20  /* orders put by one call */
#define N_KILLS 10 /* in each of three layouts, each some calls further on */

static const char *program;

static TallTable *
open_table (const char *directory)
{
  const TallRocksdbOptions options = { .directory = directory, .sync = FALSE };
  return must (tall_rocksdb_table_open (&options, &error));
}

static TallOrder *
make_order (guint i)
{
  g_autofree char *number = g_strdup_printf ("order-%u", i);
  TallOrder *order = tall_test_marked_order (number, 1, i, 3);
  order->has_sales_date = TRUE;
  order->sales_date = TALL_TEST_NOW - (gint64)i * 1000;
  return order;
}

/* Puts the orders from the @begin-th on by one call. */
static void
put (TallBulk *bulk, guint begin)
{
  TallOrder *orders[N_CALL];
  TallBulkResult results[N_CALL] = { 0 };
  for (guint i = 0; i < N_CALL; i++)
    orders[i] = make_order (begin + i);
  must (tall_bulk_put_orders (bulk, orders, N_CALL, results, &error));
  for (guint i = 0; i < N_CALL; i++)
    {
      g_assert_no_error (results[i].error);
      if (results[i].outcome != TALL_BULK_UNCHANGED)
        g_assert_cmpint (results[i].outcome, ==, TALL_BULK_STORED);
      tall_order_free (orders[i]);
    }
}

/* What the other process does: a line for each call, with the number of orders that are stored by
 * then. */
static int
load (const char *directory)
{
  g_autoptr (GError) error = NULL;
  const TallBulkOptions options = { .name = "killed" };
  g_autoptr (TallTable) table = open_table (directory);
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  g_autoptr (TallBulk) bulk = must (tall_bulk_begin (TALL_FRONT (store), &options, &error));
  for (guint i = 0; i < N_ORDERS; i += N_CALL)
    {
      put (bulk, i);
      g_print ("%u\n", i + N_CALL);
    }
  return tall_bulk_end (bulk, &error) ? 0 : 1;
}

/* Runs it on the store and kills it after so many lines; @n_lines 0: lets it end. @stored: (out):
 * how many orders were stored by its last line. Returns: whether it was killed before its end. */
static gboolean
run (const char *directory, guint n_lines, guint *stored)
{
  g_autoptr (GString) line = g_string_new (NULL);
  char *arguments[] = { (char *)program, (char *)"--load", (char *)directory, NULL };
  GPid pid;
  int out, status;
  char byte;
  must (g_spawn_async_with_pipes (NULL, arguments, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                                  &pid, NULL, &out, NULL, &error));
  for (guint n = 0; (n_lines == 0 || n < n_lines) && read (out, &byte, 1) == 1;)
    {
      g_string_append_c (line, byte);
      if (byte != '\n')
        continue;
      *stored = MAX (*stored, (guint)g_ascii_strtoull (line->str, NULL, 10));
      g_string_truncate (line, 0);
      n++;
    }
  if (n_lines > 0)
    kill (pid, SIGKILL);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  close (out);
  g_spawn_close_pid (pid);
  g_assert_true (n_lines > 0 || (WIFEXITED (status) && WEXITSTATUS (status) == 0));
  return WIFSIGNALED (status);
}

/* The first @n are there; of the others each is whole or not there. */
static void
expect_first (TallStoreFixture *self, guint n)
{
  for (guint i = 0; i < N_ORDERS; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallOrder) sent = make_order (i);
      g_autoptr (TallOrder) got = tall_front_get_order (self->front, sent->customer_number,
                                                        sent->order_number, NULL, &error);
      if (i >= n && g_error_matches (error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
        continue;
      g_assert_no_error (error);
      tall_test_assert_order_equal (got, sent);
    }
}

static void
expect_clean (TallStoreFixture *self)
{
  TallVerifySummary summary;
  TallVerifyOptions options = { .alone = TRUE, .repair = TRUE };
  must (tall_front_verify (self->front, &options, &summary, &error));
  g_assert_cmpuint (summary.n_findings, ==, summary.n_mended);
  options.repair = FALSE;
  must (tall_front_verify (self->front, &options, &summary, &error));
  g_assert_cmpuint (summary.n_findings, ==, 0);
  expect_first (self, N_ORDERS);
}

static void
test_killed (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  guint stored = 0;
  if (!kind->rocksdb || kind->key_strategy != &tall_key_hashed
      || (!g_str_equal (kind->layout->name, "blob")
          && !g_str_equal (kind->layout->name, "normalized")
          && !g_str_equal (kind->layout->name, "record-type")))
    return;
  const char *directory = g_ptr_array_index (self->directories, 0);
  for (guint i = 0; i < N_KILLS; i++)
    {
      g_clear_object (&self->store);
      g_clear_object (&self->table);
      run (directory, 1 + 2 * i + (guint)g_test_rand_int_range (0, 3), &stored);
      tall_store_fixture_reset (self, kind, open_table (directory));
      expect_first (self, stored);
    }
  g_clear_object (&self->store);
  g_clear_object (&self->table);
  run (directory, 0, &stored);
  g_assert_cmpuint (stored, ==, N_ORDERS);
  tall_store_fixture_reset (self, kind, open_table (directory));
  expect_first (self, N_ORDERS);
  expect_clean (self);
}

int
main (int argc, char **argv)
{
  static const TallStoreTest tests[] = { { "killed", test_killed } };
  program = argv[0];
  if (argc == 3 && g_str_equal (argv[1], "--load"))
    return load (argv[2]);
  g_test_init (&argc, &argv, NULL);
  /* A killed store drops the end of its log, and warns of it. */
  g_log_set_always_fatal (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL);
  tall_store_fixture_add_everywhere ("store/bulk-killed", tests, G_N_ELEMENTS (tests));
  return g_test_run ();
}
