/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include <glib/gstdio.h>
#include <rocksdb/c.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tall-error.h"
#include "table/rocksdb/check.h"
#include "table/rocksdb/database.h"
#include "table/rocksdb/settings.h"
#include "tall-must.h"
#include "tall-test-cells.h"
#include "tall-test-directory.h"

typedef struct
{
  char *directory; /* empty, removed after the test */
} Fixture;

static void
set_up (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  self->directory = tall_test_directory_new ();
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_directory_remove (self->directory);
  g_free (self->directory);
}

static TallTable *
open_named (const char *directory, const char *name, gboolean sync)
{
  g_autoptr (GError) error = NULL;
  TallRocksdbOptions options = TALL_ROCKSDB_OPTIONS_INIT;
  options.directory = directory;
  options.name = name;
  options.sync = sync;
  options.statistics = TRUE;
  TallTable *table = tall_rocksdb_table_open (&options, &error);
  g_assert_no_error (error);
  g_assert_nonnull (table);
  return table;
}

static TallTable *
open_store (Fixture *self)
{
  return open_named (self->directory, NULL, TRUE);
}

static void
create (TallTable *table, const TallTableSpec *spec)
{
  must (tall_table_create_table (table, spec, TALL_NO_DEADLINE, &error));
}

static void
create_orders (TallTable *table)
{
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
  create (table, spec);
}

static void
apply (TallTable *table, TallBatch *batch, TallDurability durability)
{
  must (tall_table_apply (table, (TallMutation *const *)batch->mutations->pdata,
                          batch->mutations->len, durability, TALL_NO_DEADLINE, &error));
}

static void
put (TallTable *table, const char *row, gint64 timestamp, const char *value)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str (row));
  tall_mutation_put (batch, mutation, tall_slice_str ("x"), timestamp, tall_slice_str (value));
  apply (table, batch, TALL_DURABLE);
}

/* The newest value of x. */
static void
expect_value (TallTable *table, const char *row, const char *value)
{
  g_autoptr (TallReadResult) result = tall_test_get (table, "orders", tall_slice_str (row));
  if (value == NULL)
    {
      g_assert_cmpuint (result->results[0].n_rows, ==, 0);
      return;
    }
  g_assert_cmpuint (result->results[0].n_rows, ==, 1);
  TallSlice stored = result->results[0].rows[0].cells[0].value;
  g_assert_cmpmem (stored.data, stored.len, value, strlen (value));
}

static void
test_reopen (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallTable) table = open_store (self);
  g_autoptr (TallBatch) batch = tall_batch_new ();
  create_orders (table);
  put (table, "a", 10, "kept");
  TallMutation *deletion = tall_batch_add (batch, "orders", tall_slice_str ("b"));
  tall_mutation_delete_up_to (batch, deletion, 10);
  apply (table, batch, TALL_DURABLE_LATER);
  g_clear_object (&table);

  table = open_store (self);
  expect_value (table, "a", "kept");
  put (table, "b", 10, "under the marker");
  expect_value (table, "b", NULL);
  put (table, "b", 11, "above");
  expect_value (table, "b", "above");
}

static void
test_settings_reopen (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallTable) table = open_store (self);
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
  spec->max_versions = 1;
  spec->ttl = 86400 * 365;
  spec->compression = g_strdup ("zstd");
  create (table, spec);
  g_clear_object (&table);

  table = open_store (self);
  g_autoptr (TallTableSpec) kept =
      must (tall_table_describe_table (table, "orders", TALL_NO_DEADLINE, &error));
  g_assert_cmpuint (kept->max_versions, ==, 1);
  g_assert_cmpuint (kept->ttl, ==, 86400 * 365);
  g_assert_cmpstr (kept->compression, ==, "zstd");
  g_assert_cmpstr (kept->bloom_filter, ==, "row");

  /* They are not only described. */
  gint64 now = g_get_real_time () / 1000;
  put (table, "a", now, "new");
  put (table, "a", now - 1, "old");
  g_autoptr (TallReadResult) result = tall_test_get (table, "orders", tall_slice_str ("a"));
  g_assert_cmpuint (result->results[0].rows[0].n_cells, ==, 1);
}

static void
test_unsupported (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  static const char *const cases[][3] = {
    { "lzo", NULL, NULL },
    { NULL, "rowcol", NULL },
    { NULL, "none", NULL },
    { NULL, NULL, "diff" },
  };
  g_autoptr (TallTable) table = open_store (self);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
      spec->compression = g_strdup (cases[i][0]);
      spec->bloom_filter = g_strdup (cases[i][1]);
      spec->block_encoding = g_strdup (cases[i][2]);
      must_fail (tall_table_create_table (table, spec, TALL_NO_DEADLINE, &error),
                 TALL_ERROR_UNSUPPORTED);
    }

  g_autoptr (TallTableSpec) split = tall_table_spec_new ("orders");
  split->splits = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  g_ptr_array_add (split->splits, g_bytes_new_static ("\x80", 1));
  must_fail (tall_table_create_table (table, split, TALL_NO_DEADLINE, &error),
             TALL_ERROR_UNSUPPORTED);
  create_orders (table);
}

/* Two deployments, and one opened twice, share the database of a directory. */
static void
test_shared (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autofree char *other_path = g_strconcat (self->directory, "/./", NULL);
  g_autoptr (TallTable) first = open_named (self->directory, "a", TRUE);
  g_autoptr (TallTable) second = open_named (other_path, "a.b", TRUE);
  create_orders (first);
  create_orders (second);
  put (first, "row", 1, "first");
  put (second, "row", 1, "second");
  g_autoptr (TallTable) again = open_named (self->directory, "a", FALSE);
  expect_value (again, "row", "first");

  g_clear_object (&first);
  expect_value (again, "row", "first");
  expect_value (second, "row", "second");
  g_clear_object (&again);
  g_clear_object (&second);
  second = open_named (self->directory, "a.b", TRUE);
  expect_value (second, "row", "second");
}

static guint64
count_syncs (TallTable *table)
{
  return tall_rocksdb_table_count (TALL_ROCKSDB_TABLE (table), "rocksdb.wal.synced");
}

static TallBatch *
many_rows (guint n)
{
  TallBatch *batch = tall_batch_new ();
  for (guint i = 0; i < n; i++)
    {
      const char *row = tall_arena_printf (batch->arena, "%06u", i);
      TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str (row));
      tall_mutation_put (batch, mutation, tall_slice_str ("x"), 1, tall_slice_str (row));
    }
  return batch;
}

/* All that was written so far is on disk, as the store itself can prove. */
static void
expect_all_synced (Fixture *self, TallTable *table)
{
  TallRocksdbProof proof;
  must (tall_rocksdb_proof_load (self->directory, &proof, &error));
  g_assert_cmpuint (proof.synced, ==,
                    rocksdb_get_latest_sequence_number (
                        tall_rocksdb_table_get_handle (TALL_ROCKSDB_TABLE (table))));
}

static void
test_syncs (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = open_store (self);
  g_autoptr (TallBatch) batch = many_rows (600);
  create_orders (table);
  guint64 before = count_syncs (table);
  apply (table, batch, TALL_DURABLE_LATER);
  g_assert_cmpuint (count_syncs (table), ==, before);

  /* Several writes, one sync: that of the last one. */
  apply (table, batch, TALL_DURABLE);
  g_assert_cmpuint (count_syncs (table), ==, before + 1);
  expect_all_synced (self, table);

  TallMutation *mutation = g_ptr_array_index (batch->mutations, 0);
  gboolean matched;
  gboolean answered =
      tall_table_apply_if (table,
                           &(TallConditionalWrite){ .mutations = &mutation,
                                                    .n = 1,
                                                    .qualifier = tall_slice_str ("x"),
                                                    .durability = TALL_DURABLE,
                                                    .deadline = TALL_NO_DEADLINE },
                           &matched, &error);
  g_assert_no_error (error);
  g_assert_true (answered);
  g_assert_false (matched);
  g_assert_cmpuint (count_syncs (table), ==, before + 1);
  answered = tall_table_apply_if (table,
                                  &(TallConditionalWrite){ .mutations = &mutation,
                                                           .n = 1,
                                                           .qualifier = tall_slice_str ("y"),
                                                           .durability = TALL_DURABLE,
                                                           .deadline = TALL_NO_DEADLINE },
                                  &matched, &error);
  g_assert_no_error (error);
  g_assert_true (answered);
  g_assert_true (matched);
  g_assert_cmpuint (count_syncs (table), ==, before + 2);

  gint64 value;
  answered = tall_table_increment (table, "orders", tall_slice_str ("n"), tall_slice_str ("n"), 1,
                                   TALL_NO_DEADLINE, &value, &error);
  g_assert_no_error (error);
  g_assert_true (answered);
  g_assert_cmpuint (count_syncs (table), ==, before + 3);

  g_autoptr (TallTable) relaxed = open_named (self->directory, NULL, FALSE);
  apply (relaxed, batch, TALL_DURABLE);
  g_assert_cmpuint (count_syncs (table), ==, before + 3);
}

static void
expect_open_fails (const TallRocksdbOptions *options, TallError code, const char *pattern)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (tall_rocksdb_table_open (options, &error));
  g_assert_error (error, TALL_ERROR, (int)code);
  /* Everything is below the temporary directory: the message, which anybody may read, does not name
   * it, and what the owner of the store reads does. */
  g_autofree char *text = tall_error_describe (error);
  g_assert_null (strstr (error->message, g_get_tmp_dir ()));
  g_assert_null (strstr (error->message, "letter.txt"));
  if (options->directory != NULL && options->directory[0] != '\0' && options->name == NULL)
    g_assert_nonnull (strstr (text, options->directory));
  if (!g_pattern_match_simple (pattern, text))
    g_error ("\"%s\" is not like \"%s\"", text, pattern);
}

static void
write_file (const char *directory, const char *name, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (directory, name, NULL);
  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
}

static void
test_wrong_directory (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallRocksdbOptions options = TALL_ROCKSDB_OPTIONS_INIT;
  expect_open_fails (&options, TALL_ERROR_INVALID, "*needs a directory*");
  options.directory = "";
  expect_open_fails (&options, TALL_ERROR_INVALID, "*needs a directory*");

  options.must_exist = TRUE;
  options.directory = self->directory;
  expect_open_fails (&options, TALL_ERROR_NOT_FOUND, "There is no store: *tallorder init* (/*)");
  g_autofree char *missing = g_build_filename (self->directory, "missing", NULL);
  options.directory = missing;
  expect_open_fails (&options, TALL_ERROR_NOT_FOUND,
                     "There is no store: *tallorder init* (/*missing)");
  g_assert_false (g_file_test (missing, G_FILE_TEST_EXISTS));

  options.must_exist = FALSE;
  options.directory = self->directory;
  options.name = "a/b";
  expect_open_fails (&options, TALL_ERROR_INVALID, "*can not be named*");

  options.name = NULL;
  write_file (self->directory, "letter.txt", "Dear Sir or Madam");
  expect_open_fails (&options, TALL_ERROR_INVALID, "*not empty*another directory (/*letter.txt)");
  g_autofree char *below = g_build_filename (self->directory, "letter.txt", "store", NULL);
  options.directory = below;
  expect_open_fails (&options, TALL_ERROR_UNAVAILABLE,
                     "*can not be created*(/*letter.txt/store: *)");
  g_autofree char *file = g_build_filename (self->directory, "letter.txt", NULL);
  options.directory = file;
  expect_open_fails (&options, TALL_ERROR_INVALID,
                     "This is a file; give a directory: *init* (/*letter.txt)");
  options.must_exist = TRUE;
  expect_open_fails (&options, TALL_ERROR_INVALID,
                     "This is a file; give a directory: *init* (/*letter.txt)");
}

static void
test_not_writable (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  if (geteuid () == 0)
    {
      g_test_skip ("a superuser may write everywhere");
      return;
    }
  TallRocksdbOptions options = TALL_ROCKSDB_OPTIONS_INIT;
  options.directory = self->directory;
  g_assert_cmpint (g_chmod (self->directory, 0500), ==, 0);
  expect_open_fails (&options, TALL_ERROR_UNAVAILABLE, "*can not be written*");
  g_autofree char *below = g_build_filename (self->directory, "store", NULL);
  options.directory = below;
  expect_open_fails (&options, TALL_ERROR_UNAVAILABLE, "*may not write there. Name another*");
  options.directory = self->directory;
  g_assert_cmpint (g_chmod (self->directory, 0700), ==, 0);
  write_file (self->directory, "TALLORDER", "tallorder embedded store, format 1\n");
  g_autofree char *marker = g_build_filename (self->directory, "TALLORDER", NULL);
  g_assert_cmpint (g_chmod (marker, 0), ==, 0);
  expect_open_fails (&options, TALL_ERROR_UNAVAILABLE, "*by this user: run as the one*");
  g_assert_cmpint (g_chmod (self->directory, 0700), ==, 0);
}

static void
test_marker (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallRocksdbOptions options = TALL_ROCKSDB_OPTIONS_INIT;
  options.directory = self->directory;
  write_file (self->directory, "TALLORDER", "tallorder embedded store, format 2\n");
  expect_open_fails (&options, TALL_ERROR_NEWER_VERSION, "*has format 2*up to 1*");
  write_file (self->directory, "TALLORDER", "something");
  expect_open_fails (&options, TALL_ERROR_DAMAGED,
                     "*does not say which format*backup*format 1” (/*)");
}

/* What each `init` leaves that is killed while it writes its first file: the next one begins again.
 */
static void
test_unfinished_markers (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  static const char *const left[] = { "TALLORDER.A1B2C3", "TALLORDER.D4E5F6", "TALLORDER.G7H8I9" };
  for (guint i = 0; i < G_N_ELEMENTS (left); i++)
    write_file (self->directory, left[i], "tallorder");
  g_autoptr (TallTable) table = open_store (self);
  for (guint i = 0; i < G_N_ELEMENTS (left); i++)
    {
      g_autofree char *path = g_build_filename (self->directory, left[i], NULL);
      g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
    }
}

/* A file that RocksDB needs is overwritten. */
static void
test_damaged_store (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallTable) table = open_store (self);
  create_orders (table);
  g_clear_object (&table);
  write_file (self->directory, "CURRENT", "garbage\n");
  TallRocksdbOptions options = TALL_ROCKSDB_OPTIONS_INIT;
  options.directory = self->directory;
  expect_open_fails (&options, TALL_ERROR_DAMAGED, "Opening the store: *backup*(/*: *)");
}

/* Puts bytes under a row key behind the store's back. */
static void
put_raw (const char *directory, const char *key, const char *value)
{
  const char *names[] = { "default", "tallorder.orders" };
  rocksdb_options_t *options = rocksdb_options_create ();
  const rocksdb_options_t *family_options[] = { options, options };
  rocksdb_column_family_handle_t *families[2];
  char *message = NULL;
  rocksdb_t *db = rocksdb_open_column_families (options, directory, 2, names, family_options,
                                                families, &message);
  g_assert_cmpstr (message, ==, NULL);
  rocksdb_writeoptions_t *write_options = rocksdb_writeoptions_create ();
  rocksdb_put_cf (db, write_options, families[1], key, strlen (key), value, strlen (value),
                  &message);
  g_assert_cmpstr (message, ==, NULL);
  rocksdb_writeoptions_destroy (write_options);
  rocksdb_column_family_handle_destroy (families[0]);
  rocksdb_column_family_handle_destroy (families[1]);
  rocksdb_close (db);
  rocksdb_options_destroy (options);
}

static void
expect_read_damaged (TallTable *table, const TallReadPlan *plan)
{
  must_fail (tall_table_read (table, plan, TALL_NO_DEADLINE, &error), TALL_ERROR_DAMAGED,
             "Table orders, row bad: ");
}

/* A damaged row is named, is not overwritten, and others are not touched by it. */
static void
test_damaged_row (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallTable) table = open_store (self);
  create_orders (table);
  put (table, "good", 1, "kept");
  g_clear_object (&table);
  put_raw (self->directory, "bad", "\x01not a row");
  table = open_store (self);
  expect_value (table, "good", "kept");

  TallSlice keys[] = { tall_slice_str ("good"), tall_slice_str ("bad") };
  g_autoptr (TallReadPlan) get = tall_read_plan_new ();
  tall_read_plan_add_get (get, "orders", keys[1]);
  expect_read_damaged (table, get);
  g_autoptr (TallReadPlan) gets = tall_read_plan_new ();
  tall_read_plan_add_gets (gets, "orders", keys, 2);
  expect_read_damaged (table, gets);
  g_autoptr (TallReadPlan) scan = tall_read_plan_new ();
  tall_read_plan_add_prefix_scan (scan, "orders", (TallSlice)TALL_SLICE_INIT);
  expect_read_damaged (table, scan);

  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, "orders", keys[1]);
  tall_mutation_put (batch, mutation, tall_slice_str ("x"), 1, tall_slice_str ("v"));
  must_fail (tall_table_apply (table, &mutation, 1, TALL_DURABLE, TALL_NO_DEADLINE, &error),
             TALL_ERROR_DAMAGED);
  expect_read_damaged (table, get);
}

static void
expect_late (gboolean done, GError **error)
{
  g_assert_false (done);
  g_assert_error (*error, TALL_ERROR, TALL_ERROR_TIMED_OUT);
  g_assert_nonnull (strstr ((*error)->message, "nothing was done"));
  g_clear_error (error);
}

/* A call whose row is locked by another ends by its deadline, and nothing stays locked. */
static void
test_locked_row (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = open_store (self);
  create_orders (table);
  g_autoptr (TallRocksdbFamily) family =
      must (tall_rocksdb_table_find_family (TALL_ROCKSDB_TABLE (table), "orders", &error));
  TallRocksdbStripes *stripes = tall_rocksdb_table_get_stripes (TALL_ROCKSDB_TABLE (table));
  guint stripe = tall_rocksdb_stripes_find (family->id, tall_slice_str ("000007"));
  guint n = 1;
  must (tall_rocksdb_stripes_lock (stripes, &stripe, &n, TALL_NO_DEADLINE, &error));

  g_autoptr (TallBatch) batch = many_rows (20);
  TallMutation *const *rows = (TallMutation *const *)batch->mutations->pdata;
  gboolean matched;
  gint64 value;
  gint64 soon = g_get_monotonic_time () + G_USEC_PER_SEC / 20;
  expect_late (tall_table_apply (table, rows, 20, TALL_DURABLE, soon, &error), &error);
  soon = g_get_monotonic_time () + G_USEC_PER_SEC / 20;
  expect_late (tall_table_apply_if (table,
                                    &(TallConditionalWrite){ .mutations = &rows[7],
                                                             .n = 1,
                                                             .qualifier = tall_slice_str ("x"),
                                                             .durability = TALL_DURABLE,
                                                             .deadline = soon },
                                    &matched, &error),
               &error);
  soon = g_get_monotonic_time () + G_USEC_PER_SEC / 20;
  expect_late (tall_table_increment (table, "orders", rows[7]->row, tall_slice_str ("n"), 1, soon,
                                     &value, &error),
               &error);

  tall_rocksdb_stripes_unlock (stripes, &stripe, n);
  apply (table, batch, TALL_DURABLE);
  expect_value (table, "000007", "000007");
}

/* The same stripe twice, and a later one first: each is taken once, in ascending order. */
static void
test_stripes (Fixture *self G_GNUC_UNUSED, gconstpointer data G_GNUC_UNUSED)
{
  TallRocksdbStripes *stripes = tall_rocksdb_stripes_new ();
  guint first[] = { 9, 3, 9, 5 };
  guint n = G_N_ELEMENTS (first);
  must (tall_rocksdb_stripes_lock (stripes, first, &n, TALL_NO_DEADLINE, &error));
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpuint (first[0], ==, 3);
  g_assert_cmpuint (first[2], ==, 9);

  guint second[] = { 1, 5 };
  guint m = 2;
  must_fail (tall_rocksdb_stripes_lock (stripes, second, &m, g_get_monotonic_time (), &error),
             TALL_ERROR_TIMED_OUT);
  m = 1; /* it was given back */
  must (tall_rocksdb_stripes_lock (stripes, second, &m, g_get_monotonic_time (), &error));
  tall_rocksdb_stripes_unlock (stripes, second, m);
  tall_rocksdb_stripes_unlock (stripes, first, n);
  tall_rocksdb_stripes_free (stripes);
}

static void
expect_mode (const char *directory, const char *name, guint mode)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);
  GStatBuf info;
  g_assert_cmpint (g_stat (path, &info), ==, 0);
  g_assert_cmpuint (info.st_mode & 0777, ==, mode);
}

/* Others see nothing of a store that we make. */
static void
test_modes (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autofree char *directory = g_build_filename (self->directory, "shop", NULL);
  mode_t before = umask (022);
  g_autoptr (TallTable) table = open_named (directory, NULL, TRUE);
  umask (before);
  expect_mode (directory, "", 0700);
  expect_mode (directory, "TALLORDER", 0600);
  expect_mode (directory, "SYNCED", 0600);
  expect_mode (directory, "LOCK", 0600);
  g_clear_object (&table);
  tall_test_directory_remove (directory);
}

/* Moves what is in write buffers to a file of its own. */
static void
flush (TallTable *table)
{
  char *message = NULL;
  g_autoptr (TallRocksdbFamily) family =
      must (tall_rocksdb_table_find_family (TALL_ROCKSDB_TABLE (table), "orders", &error));
  rocksdb_flushoptions_t *options = rocksdb_flushoptions_create ();
  rocksdb_flush_cf (tall_rocksdb_table_get_handle (TALL_ROCKSDB_TABLE (table)), options,
                    family->handle, &message);
  rocksdb_flushoptions_destroy (options);
  g_assert_null (message);
}

#define MANY_SCANS 3000
#define N_KEYS 400
#define SHORTEST (TALL_ROCKSDB_PREFIX - 2)
#define LONGEST (TALL_ROCKSDB_PREFIX + 3)

/* A key that has few others of its prefix, or none, or ends before it; `\xff` comes often. */
static char *
random_key (GRand *rand)
{
  gint len = g_rand_int_range (rand, SHORTEST, LONGEST + 1);
  char *key = g_strnfill ((gsize)len, g_rand_boolean (rand) ? '\xff' : 'k');
  for (gint i = TALL_ROCKSDB_PREFIX - 3; i < len; i++)
    key[i] = "\x01k\xfe\xff"[g_rand_int_range (rand, 0, 4)];
  return key;
}

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b); /* as unsigned bytes */
}

/* The keys of @keys, sorted, from @start on and before @stop. */
static void
expect_scan (TallTable *table, const GPtrArray *keys, const char *start, const char *stop)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_scan (plan, "orders", tall_slice_str (start), tall_slice_str (stop));
  g_autoptr (TallReadResult) result =
      must (tall_table_read (table, plan, TALL_NO_DEADLINE, &error));
  guint n = 0;
  for (guint i = 0; i < keys->len; i++)
    {
      const char *key = g_ptr_array_index (keys, i);
      if (strcmp (key, start) < 0 || (*stop != '\0' && strcmp (key, stop) >= 0))
        continue;
      g_assert_cmpuint (n, <, result->results[0].n_rows);
      TallSlice found = result->results[0].rows[n++].key;
      g_assert_cmpmem (found.data, found.len, key, strlen (key));
    }
  g_assert_cmpuint (n, ==, result->results[0].n_rows);
}

/* Whatever the range, a scan has all of its rows, wherever they lie: filters that have only the
 * beginnings of keys are asked where that is enough, and nowhere else. */
static void
test_prefixes (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallTable) table = open_named (self->directory, NULL, FALSE);
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  create_orders (table);
  for (guint i = 0; i < N_KEYS; i++)
    {
      char *key = random_key (rand);
      put (table, key, 1, "v");
      if (g_hash_table_contains (seen, key))
        g_free (key);
      else
        {
          g_hash_table_add (seen, key);
          g_ptr_array_add (keys, key);
        }
      if (i % 90 == 89) /* the last ones stay in the buffer */
        flush (table);
    }
  g_ptr_array_sort (keys, compare_keys);
  for (guint i = 0; i < MANY_SCANS; i++)
    {
      g_autofree char *start = random_key (rand);
      g_autofree char *stop = i % 10 == 0 ? g_strdup ("") : random_key (rand);
      expect_scan (table, keys, start, stop);
    }
}

/* A row that is shorter than a prefix may lie before the next one. */
static void
test_short_after_prefix (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallTable) table = open_store (self);
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  g_autofree char *start = g_strnfill (TALL_ROCKSDB_PREFIX, 'k');
  g_autofree char *last = g_strnfill (TALL_ROCKSDB_PREFIX - 1, 'k');
  start[TALL_ROCKSDB_PREFIX - 1] = '\xff';
  last[TALL_ROCKSDB_PREFIX - 2] = 'l';
  create_orders (table);
  put (table, last, 1, "v");
  flush (table);
  tall_read_plan_add_scan (plan, "orders", tall_slice_str (start),
                           tall_slice (last, TALL_ROCKSDB_PREFIX)); /* with its end */
  g_autoptr (TallReadResult) result =
      must (tall_table_read (table, plan, TALL_NO_DEADLINE, &error));
  g_assert_cmpuint (result->results[0].n_rows, ==, 1);
}

/* Files that a filter of prefixes has spared a scan. */
static guint64
count_passed (TallTable *table)
{
  return tall_rocksdb_table_count (TALL_ROCKSDB_TABLE (table),
                                   "rocksdb.bloom.filter.prefix.useful");
}

/* A scan of rows that begin alike does not look into files that have none of them. */
static void
test_prefix_filters (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  enum
  {
    N_FILES = 3 /* fewer than are compacted */
  };
  g_autoptr (TallTable) table = open_store (self);
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func (g_free);
  create_orders (table);
  for (guint i = 0; i < N_FILES; i++)
    {
      /* Files overlap: each has a first row, a last one, and an order of its own between. */
      g_autofree char *first = g_strdup_printf ("a%u", i);
      g_autofree char *last = g_strdup_printf ("z%u", i);
      char *key = g_strdup_printf ("order %018u line 1", i);
      g_ptr_array_add (keys, key);
      put (table, first, 1, "v");
      put (table, key, 1, "v");
      put (table, last, 1, "v");
      flush (table);
    }
  guint64 before = count_passed (table);
  expect_scan (table, keys, "order 000000000000000001", "order 000000000000000002");
  g_assert_cmpuint (count_passed (table), ==, before + N_FILES - 1);
}

/* Without being asked for, statistics cost nobody anything. */
static void
test_no_statistics (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallRocksdbOptions options = TALL_ROCKSDB_OPTIONS_INIT;
  options.directory = self->directory;
  g_autoptr (TallTable) table = must (tall_rocksdb_table_open (&options, &error));
  create_orders (table);
  put (table, "a", 1, "v");
  g_assert_cmpuint (count_syncs (table), ==, 0);
}

#define ADD(path, function) g_test_add (path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/table/rocksdb/reopen", test_reopen);
  ADD ("/table/rocksdb/settings-reopen", test_settings_reopen);
  ADD ("/table/rocksdb/unsupported", test_unsupported);
  ADD ("/table/rocksdb/shared", test_shared);
  ADD ("/table/rocksdb/syncs", test_syncs);
  ADD ("/table/rocksdb/wrong-directory", test_wrong_directory);
  ADD ("/table/rocksdb/not-writable", test_not_writable);
  ADD ("/table/rocksdb/marker", test_marker);
  ADD ("/table/rocksdb/unfinished-markers", test_unfinished_markers);
  ADD ("/table/rocksdb/damaged-store", test_damaged_store);
  ADD ("/table/rocksdb/damaged-row", test_damaged_row);
  ADD ("/table/rocksdb/locked-row", test_locked_row);
  ADD ("/table/rocksdb/stripes", test_stripes);
  ADD ("/table/rocksdb/modes", test_modes);
  ADD ("/table/rocksdb/prefixes", test_prefixes);
  ADD ("/table/rocksdb/short-after-prefix", test_short_after_prefix);
  ADD ("/table/rocksdb/prefix-filters", test_prefix_filters);
  ADD ("/table/rocksdb/no-statistics", test_no_statistics);
  return g_test_run ();
}
