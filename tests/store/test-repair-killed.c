/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* A repair that is killed has done no harm, wherever it was, and can be run again: this program
 * runs itself on an embedded store, and kills itself before or after a random write. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tall-failing-table.h"
#include "table/rocksdb/table.h"
#include "tall-test-damage.h"
#include "tall-test-orders.h"
#include "tall-must.h"

#define N_ORDERS 300
#define N_KILLS 10 /* in each of two layouts */

/* Of a repair, before it is killed. All of those that are killed write less than a whole one. */
#define MOST_WRITES 50

static const char *program;

static TallTable *
open_table (const char *directory)
{
  const TallRocksdbOptions options = { .directory = directory, .sync = FALSE };
  return must (tall_rocksdb_table_open (&options, &error));
}

static void
on_finding (const TallFinding *finding, gpointer data)
{
  guint *n_left = data;
  *n_left += !finding->mended;
}

static gboolean
is_write (const TallCall *call)
{
  return call->kind == TALL_CALL_APPLY || call->kind == TALL_CALL_APPLY_IF;
}

/* Odd numbers die before the write, even ones after it. */
static TallFailure
die_before (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  gint *left = data;
  if (is_write (call) && *left % 2 == 1 && g_atomic_int_add (left, -2) == 1)
    kill (getpid (), SIGKILL);
  return TALL_FAILURE_NONE;
}

static void
die_after (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  gint *left = data;
  if (is_write (call) && *left % 2 == 0 && g_atomic_int_add (left, -2) == 2)
    kill (getpid (), SIGKILL);
}

/* What the other process does; @left: twice the writes that it does before it dies, or one less;
 * negative: it does not. */
static int
repair (const char *directory, gint left)
{
  guint n_left = 0;
  g_autoptr (GError) error = NULL;
  TallVerifySummary summary;
  g_autoptr (TallTable) rocksdb = open_table (directory);
  g_autoptr (TallTable) table = tall_failing_table_new (rocksdb);
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), die_before, die_after, &left);
  const TallVerifyOptions options = {
    .repair = TRUE, .alone = TRUE, .on_finding = on_finding, .data = &n_left
  };
  if (tall_front_verify (TALL_FRONT (store), &options, &summary, &error) && n_left == 0)
    return 0;
  g_printerr ("%s\n", error != NULL ? error->message : "something is left");
  return 1;
}

/* Runs it on the store. Returns: whether it was killed before its end. */
static gboolean
run (const char *directory, gint left)
{
  g_autofree char *number = g_strdup_printf ("%d", left);
  char *arguments[] = { (char *)program, (char *)"--repair", (char *)directory, number, NULL };
  GPid pid;
  int status;
  must (g_spawn_async (NULL, arguments, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid, &error));
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_spawn_close_pid (pid);
  g_assert_true (WIFSIGNALED (status) || (WIFEXITED (status) && WEXITSTATUS (status) == 0));
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
  TallVerifySummary summary;
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
      g_assert_true (run (directory, g_test_rand_int_range (1, 2 * MOST_WRITES)));
      tall_store_fixture_reset (self, kind, open_table (directory));
      expect_all (self);
    }
  g_clear_object (&self->store);
  g_clear_object (&self->table);
  g_assert_false (run (directory, -1));
  tall_store_fixture_reset (self, kind, open_table (directory));
  expect_all (self);
  must (tall_front_verify (self->front, NULL, &summary, &error));
  g_assert_cmpuint (summary.n_findings, ==, 0);
}

int
main (int argc, char **argv)
{
  static const TallStoreTest tests[] = { { "killed", test_killed } };
  program = argv[0];
  if (argc == 4 && g_str_equal (argv[1], "--repair"))
    return repair (argv[2], (gint)g_ascii_strtoll (argv[3], NULL, 10));
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add_everywhere ("repair-killed", tests, G_N_ELEMENTS (tests));
  return g_test_run ();
}
