/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* A repair that is killed has done no harm, wherever it was, and can be run again: this program
 * runs itself on an embedded store, and kills itself at random points. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tall-rocksdb-table.h"
#include "tall-test-damage.h"
#include "tall-test-orders.h"

#define N_ORDERS 300
#define N_KILLS 10   /* in each of two layouts */
#define MOST_LINES 8 /* that are read before it is killed */

static const char *program;

static TallTable *
open_table (const char *directory)
{
  g_autoptr (GError) error = NULL;
  const TallRocksdbOptions options = { .directory = directory, .sync = FALSE };
  TallTable *table = tall_rocksdb_table_open (&options, &error);
  g_assert_no_error (error);
  return table;
}

static void
on_finding (const TallFinding *finding, gpointer data)
{
  guint *n_left = data;
  *n_left += !finding->mended;
  g_print ("mended\n");
}

/* What the other process does: a line for each finding. */
static int
repair (const char *directory)
{
  guint n_left = 0;
  g_autoptr (GError) error = NULL;
  TallVerifySummary summary;
  g_autoptr (TallTable) table = open_table (directory);
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  const TallVerifyOptions options = {
    .repair = TRUE, .alone = TRUE, .on_finding = on_finding, .data = &n_left
  };
  if (tall_front_verify (TALL_FRONT (store), &options, &summary, &error) && n_left == 0)
    return 0;
  g_printerr ("%s\n", error != NULL ? error->message : "something is left");
  return 1;
}

/* Runs it on the store and kills it after so many lines; @n_lines 0: lets it end. Returns: whether
 * it was killed before its end. */
static gboolean
run (const char *directory, guint n_lines)
{
  g_autoptr (GError) error = NULL;
  char *arguments[] = { (char *)program, (char *)"--repair", (char *)directory, NULL };
  GPid pid;
  int out, status;
  char byte;
  gboolean spawned = g_spawn_async_with_pipes (NULL, arguments, NULL, G_SPAWN_DO_NOT_REAP_CHILD,
                                               NULL, NULL, &pid, NULL, &out, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (spawned);
  for (guint n = 0; (n_lines == 0 || n < n_lines) && read (out, &byte, 1) == 1;)
    n += byte == '\n';
  if (n_lines > 0)
    kill (pid, SIGKILL);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  close (out);
  g_spawn_close_pid (pid);
  g_assert_true (n_lines > 0 || (WIFEXITED (status) && WEXITSTATUS (status) == 0));
  return WIFSIGNALED (status);
}

static TallOrder *
make_order (guint i)
{
  g_autofree char *number = g_strdup_printf ("order-%u", i);
  TallOrder *order = tall_test_marked_order (number, 1, i, 2);
  order->has_sales_date = TRUE;
  order->sales_date = TALL_TEST_NOW - 1000;
  return order;
}

/* A claim with rows, cells of no revision that counts, a hint that leads nowhere. */
static void
damage_all (TallStoreFixture *self, const TallStoreKind *kind)
{
  static const char *const names[] = { "left-claim-and-cells", "left-old-cells", "another-date" };
  guint n;
  const TallTestDamage *damages = tall_test_damages (&n);
  for (guint i = 0; i < N_ORDERS; i++)
    {
      g_autoptr (TallOrder) order = make_order (i);
      tall_fixture_put (self, order, NULL);
      for (guint j = 0; j < n; j++)
        if (g_str_equal (damages[j].name, names[i % G_N_ELEMENTS (names)]))
          g_assert_true (damages[j].damage (self, kind, order));
    }
}

static void
expect_all (TallStoreFixture *self)
{
  for (guint i = 0; i < N_ORDERS; i++)
    {
      g_autoptr (TallOrder) sent = make_order (i);
      g_autoptr (TallOrder) got = tall_fixture_get (self, sent->order_number, NULL);
      tall_test_assert_order_equal (got, sent);
    }
}

static void
test_killed (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_autoptr (GError) error = NULL;
  TallVerifySummary summary;
  guint n_killed = 0;
  if (!kind->rocksdb || kind->key_strategy != &tall_key_hashed
      || (!g_str_equal (kind->layout->name, "blob")
          && !g_str_equal (kind->layout->name, "record-type")))
    return;
  const char *directory = g_ptr_array_index (self->directories, 0);
  damage_all (self, kind);
  for (guint i = 0; i < N_KILLS; i++)
    {
      g_clear_object (&self->store);
      g_clear_object (&self->table);
      n_killed += run (directory, (guint)g_test_rand_int_range (1, MOST_LINES));
      tall_store_fixture_reset (self, kind, open_table (directory));
      expect_all (self);
    }
  g_assert_cmpuint (n_killed, >, N_KILLS / 2);
  g_clear_object (&self->store);
  g_clear_object (&self->table);
  run (directory, 0);
  tall_store_fixture_reset (self, kind, open_table (directory));
  expect_all (self);
  g_assert_true (tall_front_verify (self->front, NULL, &summary, &error));
  g_assert_cmpuint (summary.n_findings, ==, 0);
}

int
main (int argc, char **argv)
{
  static const TallStoreTest tests[] = { { "killed", test_killed } };
  program = argv[0];
  if (argc == 3 && g_str_equal (argv[1], "--repair"))
    return repair (argv[2]);
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add_everywhere ("repair-killed", tests, G_N_ELEMENTS (tests));
  return g_test_run ();
}
