/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What is measured of RocksDB: each number moves when that happens which it counts. Flushes and
 * compactions stand still where the test wants to look at them: in a merge operator and a filter.
 */

#include <rocksdb/c.h>
#include <string.h>
#include <sys/statvfs.h>

#include "table/rocksdb/database.h"
#include "tall-test-directory.h"

#define SECONDS 120 /* for what is sure to happen */
#define VALUE 4096

typedef struct
{
  char *directory; /* removed after the test */
  rocksdb_options_t *options;
  rocksdb_compactionfilter_t *filter;
  rocksdb_t *db;
  GPtrArray *handles; /* of two column families */
  rocksdb_writeoptions_t *writing;
  GArray *seen; /* of TallTableMeasure, when it was last looked */

  GMutex mutex; /* of what follows */
  GCond changed;
  gboolean is_held;    /* flushes and compactions stand still … */
  guint n_held;        /* … so many */
  gboolean has_failed; /* merges do */
} Fixture;

static void
stand_still (Fixture *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->n_held++;
  g_cond_broadcast (&self->changed);
  while (self->is_held)
    g_cond_wait (&self->changed, &self->mutex);
  self->n_held--;
}

static void
hold (Fixture *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->is_held = TRUE;
}

static void
wait_until_held (Fixture *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  while (self->n_held == 0)
    g_cond_wait (&self->changed, &self->mutex);
}

static void
let_go (Fixture *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->is_held = FALSE;
  g_cond_broadcast (&self->changed);
}

/* A flush does this where a row was put and then merged. */
static char *
merge (void *data,
       const char *key G_GNUC_UNUSED,
       size_t key_len G_GNUC_UNUSED,
       const char *existing G_GNUC_UNUSED,
       size_t existing_len G_GNUC_UNUSED,
       const char *const *operands G_GNUC_UNUSED,
       const size_t *operand_lens G_GNUC_UNUSED,
       int n_operands G_GNUC_UNUSED,
       unsigned char *ok,
       size_t *len)
{
  Fixture *self = data;
  stand_still (self);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  *ok = !self->has_failed;
  *len = strlen ("merged");
  return g_strdup ("merged");
}

static char *
merge_none (void *data G_GNUC_UNUSED,
            const char *key G_GNUC_UNUSED,
            size_t key_len G_GNUC_UNUSED,
            const char *const *operands G_GNUC_UNUSED,
            const size_t *operand_lens G_GNUC_UNUSED,
            int n_operands G_GNUC_UNUSED,
            unsigned char *ok,
            size_t *len)
{
  *ok = FALSE;
  *len = 0;
  return NULL;
}

static void
free_merged (void *data G_GNUC_UNUSED, const char *value, size_t len G_GNUC_UNUSED)
{
  g_free ((char *)value);
}

/* A compaction does this with each row. */
static unsigned char
filter (void *data,
        int level G_GNUC_UNUSED,
        const char *key G_GNUC_UNUSED,
        size_t key_len G_GNUC_UNUSED,
        const char *value G_GNUC_UNUSED,
        size_t len G_GNUC_UNUSED,
        char **new_value G_GNUC_UNUSED,
        size_t *new_len G_GNUC_UNUSED,
        unsigned char *is_changed G_GNUC_UNUSED)
{
  stand_still (data);
  return FALSE;
}

static const char *
get_name (void *data G_GNUC_UNUSED)
{
  return "test";
}

static void
destroy_nothing (void *data G_GNUC_UNUSED)
{
}

static void
expect_none (char *error)
{
  g_assert_cmpstr (error, ==, NULL);
}

static void
make_options (Fixture *self)
{
  self->options = rocksdb_options_create ();
  self->filter = rocksdb_compactionfilter_create (self, destroy_nothing, filter, get_name);
  rocksdb_options_set_create_if_missing (self->options, TRUE);
  rocksdb_options_set_create_missing_column_families (self->options, TRUE);
  rocksdb_options_set_write_buffer_size (self->options, 16 * VALUE);
  rocksdb_options_set_max_write_buffer_number (self->options, 2);
  rocksdb_options_set_level0_file_num_compaction_trigger (self->options, 2);
  rocksdb_options_set_soft_pending_compaction_bytes_limit (self->options, 1);
  rocksdb_options_set_compaction_filter (self->options, self->filter);
  rocksdb_options_set_merge_operator (
      self->options, rocksdb_mergeoperator_create (self, destroy_nothing, merge, merge_none,
                                                   free_merged, get_name));
}

static void
set_up (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  const char *const names[] = { "default", "other" };
  rocksdb_column_family_handle_t *handles[2];
  char *error = NULL;
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
  self->directory = tall_test_directory_new ();
  make_options (self);
  const rocksdb_options_t *options[] = { self->options, self->options };
  self->db = rocksdb_open_column_families (self->options, self->directory, 2, names, options,
                                           handles, &error);
  expect_none (error);
  self->handles =
      g_ptr_array_new_with_free_func ((GDestroyNotify)rocksdb_column_family_handle_destroy);
  for (guint i = 0; i < G_N_ELEMENTS (handles); i++)
    g_ptr_array_add (self->handles, handles[i]);
  self->writing = rocksdb_writeoptions_create ();
  rocksdb_writeoptions_set_no_slowdown (self->writing, TRUE);
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_clear_pointer (&self->seen, g_array_unref);
  rocksdb_writeoptions_destroy (self->writing);
  g_ptr_array_unref (self->handles);
  rocksdb_close (self->db);
  rocksdb_options_destroy (self->options);
  rocksdb_compactionfilter_destroy (self->filter);
  tall_test_directory_remove (self->directory);
  g_free (self->directory);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
}

/* Looks at all numbers. */
static void
look (Fixture *self)
{
  g_clear_pointer (&self->seen, g_array_unref);
  self->seen = tall_rocksdb_measures_list (self->db, self->handles, self->directory);
}

/* As it was when all were last looked at. */
static gdouble
get (Fixture *self, const char *name)
{
  for (guint i = 0; i < self->seen->len; i++)
    {
      const TallTableMeasure *measure = &g_array_index (self->seen, TallTableMeasure, i);
      if (g_str_equal (measure->name, name))
        return measure->value;
    }
  g_error ("There is no measure %s", name);
}

/* Looks until it is @value; FALSE if that never comes. */
static gboolean
comes_to (Fixture *self, const char *name, gdouble value)
{
  gint64 end = g_get_monotonic_time () + SECONDS * G_TIME_SPAN_SECOND;
  for (look (self); get (self, name) != value; look (self))
    {
      if (g_get_monotonic_time () > end)
        return FALSE;
      g_thread_yield ();
    }
  return TRUE;
}

/* Returns: (transfer full) (nullable): why not */
static char *
put (Fixture *self, guint family, guint row)
{
  g_autofree char *key = g_strdup_printf ("%u", row);
  char value[VALUE];
  char *error = NULL;
  memset (value, 'v', sizeof value);
  rocksdb_put_cf (self->db, self->writing, g_ptr_array_index (self->handles, family), key,
                  strlen (key), value, sizeof value, &error);
  return error;
}

static void
put_rows (Fixture *self, guint family, guint n)
{
  for (guint i = 0; i < n; i++)
    expect_none (put (self, family, i));
}

/* Returns: (transfer full) (nullable): why not */
static char *
flush (Fixture *self, gboolean wait)
{
  rocksdb_flushoptions_t *options = rocksdb_flushoptions_create ();
  char *error = NULL;
  rocksdb_flushoptions_set_wait (options, wait);
  rocksdb_flush_cf (self->db, options, g_ptr_array_index (self->handles, 0), &error);
  rocksdb_flushoptions_destroy (options);
  return error;
}

/* The next flush has to merge. */
static void
put_and_merge (Fixture *self)
{
  char *error = NULL;
  expect_none (put (self, 0, 0));
  rocksdb_merge (self->db, self->writing, "0", 1, "more", 4, &error);
  expect_none (error);
}

static void
get_row (Fixture *self)
{
  rocksdb_readoptions_t *options = rocksdb_readoptions_create ();
  char *error = NULL;
  size_t len;
  char *value = rocksdb_get (self->db, options, "1", 1, &len, &error);
  expect_none (error);
  g_assert_cmpuint (len, ==, VALUE);
  rocksdb_free (value);
  rocksdb_readoptions_destroy (options);
}

/* Rows go from memory to a table file, whose filter and index stay in memory, and from there to the
 * cache. The families are summed up. */
static void
test_sizes (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  look (self);
  gdouble empty = get (self, "write_buffer_bytes");
  gdouble cache = get (self, "block_cache_bytes");
  g_assert_cmpfloat (get (self, "rows"), ==, 0);
  g_assert_cmpfloat (get (self, "table_file_bytes"), ==, 0);
  g_assert_cmpfloat (get (self, "table_reader_bytes"), ==, 0);

  put_rows (self, 0, 7);
  put_rows (self, 1, 3);
  look (self);
  gdouble full = get (self, "write_buffer_bytes");
  g_assert_cmpfloat (get (self, "rows"), ==, 10);
  g_assert_cmpfloat (full, >=, empty + 10 * VALUE);
  g_assert_cmpfloat (get (self, "table_file_bytes"), ==, 0);

  expect_none (flush (self, TRUE));
  look (self);
  g_assert_cmpfloat (get (self, "rows"), ==, 10);
  g_assert_cmpfloat (get (self, "write_buffer_bytes"), <=, full - 7 * VALUE);
  g_assert_cmpfloat (get (self, "table_file_bytes"), >, 0);
  g_assert_cmpfloat (get (self, "table_reader_bytes"), >, 0);

  get_row (self);
  look (self);
  g_assert_cmpfloat (get (self, "block_cache_bytes"), >=, cache + VALUE);
}

/* A flush stands still, so memory fills up, and RocksDB lets nothing in until it is done. */
static void
test_flush (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autofree char *error = NULL;
  hold (self);
  put_and_merge (self);
  expect_none (flush (self, FALSE));
  wait_until_held (self);
  look (self);
  g_assert_cmpfloat (get (self, "running_flushes"), ==, 1);
  g_assert_cmpfloat (get (self, "writes_stopped"), ==, 0);

  for (guint i = 0; error == NULL && i < 100; i++)
    error = put (self, 0, i);
  g_assert_nonnull (error);
  look (self);
  g_assert_cmpfloat (get (self, "writes_stopped"), ==, 1);

  let_go (self);
  g_assert_true (comes_to (self, "running_flushes", 0));
  g_assert_true (comes_to (self, "writes_stopped", 0));
}

/* A compaction of two files stands still: what it has to do slows writes down. */
static void
test_compaction (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  hold (self);
  put_rows (self, 0, 3);
  expect_none (flush (self, TRUE));
  look (self);
  g_assert_cmpfloat (get (self, "running_compactions"), ==, 0);
  g_assert_cmpfloat (get (self, "pending_compaction_bytes"), ==, 0);
  g_assert_cmpfloat (get (self, "delayed_write_bytes_per_second"), ==, 0);

  put_rows (self, 0, 3);
  expect_none (flush (self, TRUE));
  wait_until_held (self);
  look (self);
  g_assert_cmpfloat (get (self, "running_compactions"), ==, 1);
  g_assert_cmpfloat (get (self, "pending_compaction_bytes"), >, 0);
  g_assert_cmpfloat (get (self, "delayed_write_bytes_per_second"), >, 0);

  let_go (self);
  g_assert_true (comes_to (self, "running_compactions", 0));
  g_assert_true (comes_to (self, "pending_compaction_bytes", 0));
  g_assert_true (comes_to (self, "delayed_write_bytes_per_second", 0));
}

static void
test_errors (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  look (self);
  g_assert_cmpfloat (get (self, "background_errors"), ==, 0);
  self->has_failed = TRUE;
  put_and_merge (self);
  g_autofree char *error = flush (self, TRUE);
  g_assert_nonnull (error);
  g_assert_true (comes_to (self, "background_errors", 1));
}

/* It is that of the file system, whatever others do on it meanwhile. */
static void
test_disk (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  struct statvfs room;
  g_assert_cmpint (statvfs (self->directory, &room), ==, 0);
  look (self);
  gdouble free_bytes = get (self, "disk_free_bytes");
  g_assert_cmpfloat (free_bytes, >, 0);
  g_assert_cmpfloat (free_bytes, <=, (gdouble)room.f_blocks * (gdouble)room.f_frsize);
  g_array_unref (self->seen);
  self->seen = tall_rocksdb_measures_list (self->db, self->handles, "/proc/no/such/directory");
  g_assert_cmpfloat (get (self, "disk_free_bytes"), ==, 0);
}

#define ADD(path, function) g_test_add (path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/table/rocksdb/measures/sizes", test_sizes);
  ADD ("/table/rocksdb/measures/flush", test_flush);
  ADD ("/table/rocksdb/measures/compaction", test_compaction);
  ADD ("/table/rocksdb/measures/errors", test_errors);
  ADD ("/table/rocksdb/measures/disk", test_disk);
  return g_test_run ();
}
