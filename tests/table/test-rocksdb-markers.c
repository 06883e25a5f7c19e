/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include <rocksdb/c.h>
#include <time.h>

#include "tall-error.h"
#include "table/rocksdb/markers.h"
#include "table/rocksdb/database.h"
#include "tall-must.h"
#include "tall-test-cells.h"
#include "tall-test-directory.h"

/* When compactions remove delete markers, and when they do not. */

#define N_ROWS 3000

/* The program's own functions come before those of the library: no thread is to be had, and the
 * clock is ahead, in microseconds. */
static gboolean no_thread;
static gint64 ahead;

GThread *
g_thread_try_new (const char *name, GThreadFunc function, gpointer data, GError **error)
{
  if (!no_thread)
    return g_thread_new (name, function, data);
  g_set_error_literal (error, G_THREAD_ERROR, G_THREAD_ERROR_AGAIN, "no thread");
  return NULL;
}

gint64
g_get_monotonic_time (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return ahead + now.tv_sec * G_TIME_SPAN_SECOND + now.tv_nsec / 1000;
}

typedef struct
{
  char *directory;
  TallTable *table;
} Fixture;

static void
open_store (Fixture *self)
{
  g_autoptr (GError) error = NULL;
  TallRocksdbOptions options = TALL_ROCKSDB_OPTIONS_INIT;
  options.directory = self->directory;
  options.sync = FALSE;
  g_clear_object (&self->table);
  self->table = tall_rocksdb_table_open (&options, &error);
  g_assert_no_error (error);
}

static void
set_up (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
  self->directory = tall_test_directory_new ();
  open_store (self);
  must (tall_table_create_table (self->table, spec, TALL_NO_DEADLINE, &error));
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_clear_object (&self->table);
  tall_test_directory_remove (self->directory);
  g_free (self->directory);
}

static void
apply (Fixture *self, TallBatch *batch)
{
  must (tall_table_apply (self->table, (TallMutation *const *)batch->mutations->pdata,
                          batch->mutations->len, TALL_DURABLE, TALL_NO_DEADLINE, &error));
}

static void
put (Fixture *self, const char *row, gint64 timestamp)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str (row));
  tall_mutation_put (batch, mutation, tall_slice_str ("x"), timestamp, tall_slice_str ("value"));
  apply (self, batch);
}

static void
delete_up_to (Fixture *self, const char *row, gint64 timestamp)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  tall_mutation_delete_up_to (batch, tall_batch_add (batch, "orders", tall_slice_str (row)),
                              timestamp);
  apply (self, batch);
}

static void
compact (Fixture *self)
{
  TallRocksdbTable *table = TALL_ROCKSDB_TABLE (self->table);
  g_autoptr (TallRocksdbFamily) family =
      must (tall_rocksdb_table_find_family (table, "orders", &error));
  rocksdb_compact_range_cf (tall_rocksdb_table_get_handle (table), family->handle, NULL, 0, NULL,
                            0);
}

/* Rows that RocksDB has, also those that have no cell for a reader. */
static guint
count_stored (Fixture *self)
{
  TallRocksdbTable *table = TALL_ROCKSDB_TABLE (self->table);
  g_autoptr (TallRocksdbFamily) family =
      must (tall_rocksdb_table_find_family (table, "orders", &error));
  rocksdb_readoptions_t *options = rocksdb_readoptions_create ();
  rocksdb_iterator_t *iterator =
      rocksdb_create_iterator_cf (tall_rocksdb_table_get_handle (table), options, family->handle);
  guint n = 0;
  for (rocksdb_iter_seek_to_first (iterator); rocksdb_iter_valid (iterator);
       rocksdb_iter_next (iterator))
    n++;
  rocksdb_iter_destroy (iterator);
  rocksdb_readoptions_destroy (options);
  return n;
}

static guint
count_cells (Fixture *self, const char *row)
{
  g_autoptr (TallReadResult) result = tall_test_get (self->table, "orders", tall_slice_str (row));
  return result->results[0].n_rows == 0 ? 0 : result->results[0].rows[0].n_cells;
}

/* Scans everything; returns how many microseconds it took. */
static gint64
scan (Fixture *self)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_prefix_scan (plan, "orders", (TallSlice)TALL_SLICE_INIT);
  gint64 begin = g_get_monotonic_time ();
  g_autoptr (TallReadResult) result =
      must (tall_table_read (self->table, plan, TALL_NO_DEADLINE, &error));
  return g_get_monotonic_time () - begin;
}

/* Markers of this opening still hide what comes late; those of the one before are removed, with the
 * rows that have nothing else, and what has cells keeps them. */
static void
test_opening (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  put (self, "kept", 5);
  put (self, "kept", 20);
  delete_up_to (self, "kept", 10);
  delete_up_to (self, "gone", 10);
  compact (self);
  g_assert_cmpuint (count_stored (self), ==, 2);
  put (self, "kept", 10);
  put (self, "gone", 10);
  g_assert_cmpuint (count_cells (self, "kept"), ==, 1);
  g_assert_cmpuint (count_cells (self, "gone"), ==, 0);

  open_store (self);
  delete_up_to (self, "new", 10);
  g_assert_cmpuint (count_stored (self), ==, 3);
  compact (self);
  g_assert_cmpuint (count_stored (self), ==, 2);
  g_assert_cmpuint (count_cells (self, "kept"), ==, 1);
  put (self, "new", 10);
  g_assert_cmpuint (count_cells (self, "new"), ==, 0);
  put (self, "kept", 9); /* nothing is late any more, so it counts */
  g_assert_cmpuint (count_cells (self, "kept"), ==, 2);
}

static void
delete_many (Fixture *self)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  for (guint i = 0; i < N_ROWS; i++)
    {
      const char *row = tall_arena_printf (batch->arena, "%06u", i);
      tall_mutation_delete_up_to (batch, tall_batch_add (batch, "orders", tall_slice_str (row)),
                                  10);
    }
  apply (self, batch);
}

/* A scan that meets many markers which nobody needs has them removed behind it. */
static void
test_swept (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  delete_many (self);
  put (self, "z", 10);
  open_store (self);
  gint64 before = scan (self);
  for (guint i = 0; i < 10000 && count_stored (self) > 1; i++)
    g_usleep (1000);
  g_assert_cmpuint (count_stored (self), ==, 1);
  g_assert_cmpuint (count_cells (self, "z"), ==, 1);
  g_test_message ("a scan of one row after %u deletes: %" G_GINT64_FORMAT " µs, %" G_GINT64_FORMAT
                  " µs when they are swept",
                  N_ROWS, before, scan (self));
}

/* What may still be needed stays, and so does a table where markers are few among other rows. */
static void
test_not_swept (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  delete_many (self);
  scan (self);
  open_store (self);
  g_assert_cmpuint (count_stored (self), ==, N_ROWS);

  g_autoptr (TallBatch) batch = tall_batch_new ();
  for (guint i = 0; i < N_ROWS + 1; i++)
    {
      const char *row = tall_arena_printf (batch->arena, "x%06u", i);
      TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str (row));
      tall_mutation_put (batch, mutation, tall_slice_str ("x"), 10, tall_slice_str ("value"));
    }
  apply (self, batch);
  scan (self);
  open_store (self);
  g_assert_cmpuint (count_stored (self), ==, 2 * N_ROWS + 1);
}

/* Flips a byte in the middle of the largest table file. */
static void
damage_tables (const char *directory)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) files = must (g_dir_open (directory, 0, &error));
  g_autofree char *largest = NULL;
  g_autofree char *content = NULL;
  gsize most = 0;
  for (const char *name = g_dir_read_name (files); name != NULL; name = g_dir_read_name (files))
    {
      g_autofree char *path = g_build_filename (directory, name, NULL);
      g_autofree char *found = NULL;
      gsize len;
      if (!g_str_has_suffix (name, ".sst") || !g_file_get_contents (path, &found, &len, NULL)
          || len <= most)
        continue;
      most = len;
      g_free (largest);
      largest = g_steal_pointer (&path);
      g_free (content);
      content = g_steal_pointer (&found);
    }
  g_assert_cmpuint (most, >, 0);
  content[most / 2] ^= 1;
  g_file_set_contents (largest, content, (gssize)most, &error);
  g_assert_no_error (error);
}

/* Rows that can be read before one that cannot, in the same file. */
static void
make_damaged (Fixture *self)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  for (guint i = 0; i < N_ROWS; i++)
    {
      const char *row = tall_arena_printf (batch->arena, "x%06u", i);
      TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str (row));
      tall_mutation_put (batch, mutation, tall_slice_str ("x"), 10,
                         tall_slice_str (tall_arena_printf (batch->arena, "%040u", i * 7919)));
    }
  apply (self, batch);
  delete_many (self);
  put (self, "000000", 20);
  g_clear_object (&self->table);
  damage_tables (self->directory);
  open_store (self);
}

static TallRocksdbSweeper *
sweeper_new (Fixture *self, guint64 most_read)
{
  TallRocksdbTable *table = TALL_ROCKSDB_TABLE (self->table);
  return tall_rocksdb_sweeper_new (tall_rocksdb_table_get_handle (table), most_read);
}

static void
sweep_from (Fixture *self, TallRocksdbSweeper *sweeper, TallSlice start, const char *stop)
{
  TallRocksdbTable *table = TALL_ROCKSDB_TABLE (self->table);
  g_autoptr (TallRocksdbFamily) family =
      must (tall_rocksdb_table_find_family (table, "orders", &error));
  tall_rocksdb_sweeper_sweep (sweeper, family, start, tall_slice_str (stop));
}

static void
sweep (Fixture *self, TallRocksdbSweeper *sweeper, const char *stop)
{
  sweep_from (self, sweeper, (TallSlice)TALL_SLICE_INIT, stop);
}

/* Rows that cannot be read are not compacted: RocksDB would take no more writes. */
static void
test_damaged (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  make_damaged (self);
  TallRocksdbSweeper *sweeper = sweeper_new (self, TALL_ROCKSDB_SWEEPER_READ);
  g_test_expect_message (G_LOG_DOMAIN, G_LOG_LEVEL_WARNING, "Delete markers of table *.orders *");
  sweep (self, sweeper, "1");
  tall_rocksdb_sweeper_wait (sweeper);
  g_test_assert_expected_messages ();
  sweep (self, sweeper, "1");
  tall_rocksdb_sweeper_free (sweeper);
  put (self, "new", 10);
  g_assert_cmpuint (count_cells (self, "new"), ==, 1);
}

#define LONG_ROW "%c-longer-than-the-prefix-of-filters-%06u"

static void
put_long (Fixture *self, char first, guint n)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  for (guint i = 0; i < n; i++)
    {
      const char *row = tall_arena_printf (batch->arena, LONG_ROW, first, i);
      TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str (row));
      tall_mutation_put (batch, mutation, tall_slice_str ("x"), 10,
                         tall_slice_str (tall_arena_printf (batch->arena, "%040u", i * 7919)));
    }
  apply (self, batch);
  open_store (self); /* they are in a file of their own now */
}

/* Nor are those that begin unlike the first row, which the filters of their file do not have. */
static void
test_damaged_elsewhere (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autofree char *start = g_strdup_printf (LONG_ROW, 'a', 0);
  put_long (self, 'a', 1);
  put_long (self, 'b', N_ROWS);
  g_clear_object (&self->table);
  damage_tables (self->directory);
  open_store (self);
  TallRocksdbSweeper *sweeper = sweeper_new (self, TALL_ROCKSDB_SWEEPER_READ);
  g_test_expect_message (G_LOG_DOMAIN, G_LOG_LEVEL_WARNING, "Delete markers of table *.orders *");
  sweep_from (self, sweeper, tall_slice_str (start), "c");
  tall_rocksdb_sweeper_wait (sweeper);
  g_test_assert_expected_messages ();
  tall_rocksdb_sweeper_free (sweeper);
  put (self, "new", 10);
}

/* What is beyond the bound is not read, so nothing is said of its damage. */
static void
test_bound (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  make_damaged (self);
  TallRocksdbSweeper *sweeper = sweeper_new (self, 4096);
  sweep (self, sweeper, "1");
  tall_rocksdb_sweeper_wait (sweeper);
  tall_rocksdb_sweeper_free (sweeper);
}

/* Where no thread is to be had, rows stay until there is one, and until some time has passed. */
static void
test_no_thread (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  delete_many (self);
  open_store (self);
  TallRocksdbSweeper *sweeper = sweeper_new (self, TALL_ROCKSDB_SWEEPER_READ);
  no_thread = TRUE;
  sweep (self, sweeper, "1");
  no_thread = FALSE;
  sweep (self, sweeper, "1");
  tall_rocksdb_sweeper_wait (sweeper);
  g_assert_cmpuint (count_stored (self), ==, N_ROWS);
  ahead += 10 * G_TIME_SPAN_SECOND;
  sweep (self, sweeper, "1");
  tall_rocksdb_sweeper_wait (sweeper);
  g_assert_cmpuint (count_stored (self), ==, 0);
  tall_rocksdb_sweeper_free (sweeper);
}

/* Closing breaks off what was begun: from then on RocksDB compacts no rows that are named. */
static void
test_broken_off (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  delete_many (self);
  open_store (self);
  TallRocksdbSweeper *sweeper = sweeper_new (self, TALL_ROCKSDB_SWEEPER_READ);
  sweep (self, sweeper, "0"); /* no rows */
  tall_rocksdb_sweeper_free (sweeper);
  compact (self);
  g_assert_cmpuint (count_stored (self), ==, N_ROWS);
  rocksdb_enable_manual_compaction (
      tall_rocksdb_table_get_handle (TALL_ROCKSDB_TABLE (self->table)));
  compact (self);
  g_assert_cmpuint (count_stored (self), ==, 0);
}

static void
test_pause (void)
{
  g_assert_cmpint (tall_rocksdb_sweeper_get_next (5, 5 + 1000), ==, 1005 + G_USEC_PER_SEC);
  g_assert_cmpint (tall_rocksdb_sweeper_get_next (5, 5 + 2 * G_USEC_PER_SEC), ==,
                   5 + 22 * G_USEC_PER_SEC);
}

/* The store may be closed while it sweeps. */
static void
test_closed (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  for (guint i = 0; i < 5; i++)
    {
      delete_many (self);
      open_store (self);
      scan (self);
      open_store (self);
      g_assert_cmpuint (count_cells (self, "000000"), ==, 0);
    }
}

/* The settings of tables lie beside the rows; a compaction leaves them alone. */
static void
test_settings (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("counters");
  spec->max_versions = 1; /* as a row this would have a marker */
  must (tall_table_create_table (self->table, spec, TALL_NO_DEADLINE, &error));
  open_store (self);
  rocksdb_compact_range (tall_rocksdb_table_get_handle (TALL_ROCKSDB_TABLE (self->table)), NULL, 0,
                         NULL, 0);
  open_store (self);
  g_autoptr (TallTableSpec) kept =
      must (tall_table_describe_table (self->table, "counters", TALL_NO_DEADLINE, &error));
  g_assert_cmpuint (kept->max_versions, ==, 1);
}

/* Markers are beyond the horizon when all calls that began before have ended, and some time has
 * passed. */
static void
test_horizon (void)
{
  const gint64 age = TALL_ROCKSDB_MARKER_AGE;
  gint64 now = g_get_monotonic_time () + age;
  TallRocksdbHorizon *horizon = tall_rocksdb_horizon_new ();
  tall_rocksdb_horizon_open (horizon, 100);
  g_assert_cmpuint (tall_rocksdb_horizon_get (horizon), ==, 100);

  guint slow = tall_rocksdb_horizon_enter (horizon, now - age, 110);  /* too early for the next */
  guint first = tall_rocksdb_horizon_enter (horizon, now + age, 200); /* the next */
  g_assert_cmpuint (tall_rocksdb_horizon_get (horizon), ==, 100);
  tall_rocksdb_horizon_leave (horizon, first);

  /* The slow one began before: what was marked until then stays. */
  guint second = tall_rocksdb_horizon_enter (horizon, now + 2 * age, 300);
  g_assert_cmpuint (tall_rocksdb_horizon_get (horizon), ==, 100);
  tall_rocksdb_horizon_leave (horizon, second);
  tall_rocksdb_horizon_leave (horizon, slow);

  guint third = tall_rocksdb_horizon_enter (horizon, now + 2 * age, 400);
  g_assert_cmpuint (tall_rocksdb_horizon_get (horizon), ==, 200);
  guint fourth = tall_rocksdb_horizon_enter (horizon, now + 3 * age - 1, 500); /* too early */
  g_assert_cmpuint (tall_rocksdb_horizon_get (horizon), ==, 200);
  guint fifth = tall_rocksdb_horizon_enter (horizon, now + 3 * age, 600);
  g_assert_cmpuint (tall_rocksdb_horizon_get (horizon), ==, 400);
  tall_rocksdb_horizon_leave (horizon, third);
  tall_rocksdb_horizon_leave (horizon, fourth);
  tall_rocksdb_horizon_leave (horizon, fifth);
  tall_rocksdb_horizon_free (horizon);
}

#define ADD(path, function) g_test_add (path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/table/rocksdb/markers/opening", test_opening);
  ADD ("/table/rocksdb/markers/swept", test_swept);
  ADD ("/table/rocksdb/markers/not-swept", test_not_swept);
  ADD ("/table/rocksdb/markers/damaged", test_damaged);
  ADD ("/table/rocksdb/markers/damaged-elsewhere", test_damaged_elsewhere);
  ADD ("/table/rocksdb/markers/bound", test_bound);
  ADD ("/table/rocksdb/markers/no-thread", test_no_thread);
  ADD ("/table/rocksdb/markers/broken-off", test_broken_off);
  g_test_add_func ("/table/rocksdb/markers/pause", test_pause);
  ADD ("/table/rocksdb/markers/closed", test_closed);
  ADD ("/table/rocksdb/markers/settings", test_settings);
  g_test_add_func ("/table/rocksdb/markers/horizon", test_horizon);
  return g_test_run ();
}
