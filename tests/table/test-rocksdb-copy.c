/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Copies of a store that is in use: what is in them, and that damage of them is found. */

#include "tall-error.h"
#include "table/rocksdb/database.h"
#include "tall-must.h"
#include "tall-test-directory.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

#define N_ROWS 20 /* all in the log */

static TallTable *
open_store (const char *directory, GError **error)
{
  TallRocksdbOptions options = TALL_ROCKSDB_OPTIONS_INIT;
  options.directory = directory;
  return tall_rocksdb_table_open (&options, error);
}

static gboolean
try_to_write (TallTable *table, guint number, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  const char *key = tall_arena_printf (batch->arena, "%06u", number);
  TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str (key));
  tall_mutation_put (batch, mutation, tall_slice_str ("x"), 1, tall_slice_str (key));
  return tall_table_apply (table, &mutation, 1, TALL_DURABLE, TALL_NO_DEADLINE, error);
}

static void
write_row (TallTable *table, guint number)
{
  must (try_to_write (table, number, &error));
}

static gboolean
has_row (TallTable *table, guint number)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  const char *key = tall_arena_printf (plan->arena, "%06u", number);
  tall_read_plan_add_get (plan, "orders", tall_slice_str (key));
  g_autoptr (TallReadResult) result =
      must (tall_table_read (table, plan, TALL_NO_DEADLINE, &error));
  return result->results[0].n_rows == 1;
}

/* A store whose rows are in the log only, and where a copy of it shall be. */
typedef struct
{
  char *directory, *store, *copy;
  TallTable *table;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
  self->directory = tall_test_directory_new ();
  self->store = g_build_filename (self->directory, "store", NULL);
  self->copy = g_build_filename (self->directory, "copy", NULL);
  g_assert_cmpint (g_mkdir (self->store, 0700), ==, 0);
  self->table = open_store (self->store, &error);
  g_assert_no_error (error);
  must (tall_table_create_table (self->table, spec, TALL_NO_DEADLINE, &error));
  for (guint i = 0; i < N_ROWS; i++)
    write_row (self->table, i);
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_clear_object (&self->table);
  tall_test_directory_remove (self->copy);
  tall_test_directory_remove (self->store);
  tall_test_directory_remove (self->directory);
  g_free (self->copy);
  g_free (self->store);
  g_free (self->directory);
}

static void
make_copy (Fixture *self)
{
  must (tall_table_copy_to (self->table, self->copy, &error));
}

/* Returns: (transfer full): the log, which has all the rows */
static char *
find_log (const char *directory)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  const char *name;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      GStatBuf info;
      g_autofree char *path = g_build_filename (directory, name, NULL);
      if (g_str_has_suffix (name, ".log") && g_stat (path, &info) == 0 && info.st_size > 0)
        return g_steal_pointer (&path);
    }
  g_assert_not_reached ();
}

/* All that was acknowledged before, nothing after it, and nothing was given up. */
static void
check_copy (const Fixture *self)
{
  g_autoptr (TallTable) copy = must (open_store (self->copy, &error));
  for (guint i = 0; i < N_ROWS; i++)
    g_assert_true (has_row (copy, i));
  g_assert_false (has_row (copy, N_ROWS));
  g_auto (GStrv) losses = tall_table_list_losses (copy);
  g_assert_null (losses);
}

static void
test_moment (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  make_copy (self);
  write_row (self->table, N_ROWS);
  check_copy (self);
  g_assert_true (has_row (self->table, N_ROWS));
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* The names of what lies in a directory. */
static char *
list_files (const char *directory)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  const char *name;
  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);
  return g_strjoinv (" ", (GStrv)names->pdata);
}

static void
flush (TallTable *table)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallRocksdbFamily) family =
      tall_rocksdb_table_find_family (TALL_ROCKSDB_TABLE (table), "orders", &error);
  char *message = NULL;
  rocksdb_flushoptions_t *options = rocksdb_flushoptions_create ();
  g_assert_no_error (error);
  rocksdb_flush_cf (tall_rocksdb_table_get_handle (TALL_ROCKSDB_TABLE (table)), options,
                    family->handle, &message);
  rocksdb_flushoptions_destroy (options);
  g_assert_null (message);
}

/* Tries until it is refused: it may look a little later. */
static void
expect_refused (TallTable *table)
{
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < 10000 && try_to_write (table, 0, &error); i++)
    g_usleep (1000);
  g_assert_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
  g_assert_nonnull (strstr (error->message, "replaced"));
}

/* A store is moved away while it is open, and a copy takes its place: what has it open works where
 * the store is now, and what opens the place finds the copy, also in the same process. */
static void
test_replaced (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *moved = g_build_filename (self->directory, "moved", NULL);
  make_copy (self);
  g_assert_cmpint (g_rename (self->store, moved), ==, 0);
  g_assert_cmpint (g_rename (self->copy, self->store), ==, 0);
  g_autofree char *there = list_files (self->store);
  g_autofree char *before = list_files (moved);
  flush (self->table);
  g_autofree char *still = list_files (self->store);
  g_autofree char *after = list_files (moved);
  g_assert_cmpstr (still, ==, there);
  g_assert_cmpstr (after, !=, before);

  g_autoptr (TallTable) other = must (open_store (self->store, &error));
  write_row (other, N_ROWS);
  g_assert_false (has_row (self->table, N_ROWS));
  expect_refused (self->table);
  g_clear_object (&self->table);
  g_assert_true (has_row (other, N_ROWS));
  g_clear_object (&other);

  self->table = open_store (moved, &error);
  g_assert_no_error (error);
  g_assert_true (has_row (self->table, N_ROWS - 1));
  g_clear_object (&self->table);
  tall_test_directory_remove (moved);
}

/* The copy knows how much has to be there: a log that lacks its end is not a log that was torn. */
static void
test_cut (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  GStatBuf info;
  make_copy (self);
  g_autofree char *log = find_log (self->copy);
  g_assert_cmpint (g_stat (log, &info), ==, 0);
  g_assert_cmpint (truncate (log, info.st_size - 10), ==, 0);
  g_autoptr (TallTable) copy = open_store (self->copy, &error);
  g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
  g_assert_null (copy);
}

/* A write that is half in the log when that is copied: nobody has an answer to it, and it is no
 * loss of the copy. */
static void
test_half_written (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  guint8 begin[32];
  g_autofree char *log = find_log (self->store);
  int file = open (log, O_RDWR | O_APPEND | O_CLOEXEC);
  g_assert_cmpint (read (file, begin, sizeof begin), ==, sizeof begin);
  g_assert_cmpint (write (file, begin, 20), ==, 20);
  close (file);
  make_copy (self);
  check_copy (self);
}

#define ADD(path, function) g_test_add (path, Fixture, NULL, set_up, function, tear_down)

/* What each file of a store has, by its name. */
static GHashTable *
read_files (const char *directory)
{
  GHashTable *files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  const char *name;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (directory, name, NULL);
      char *content;
      gsize len;
      g_assert_true (g_file_get_contents (path, &content, &len, NULL));
      g_hash_table_insert (files, g_strdup (name),
                           g_compute_checksum_for_data (G_CHECKSUM_SHA256, (guchar *)content, len));
      g_free (content);
    }
  return files;
}

/* As `cp -al` does. */
static void
link_files (const char *from, const char *to)
{
  g_autoptr (GDir) dir = g_dir_open (from, 0, NULL);
  const char *name;
  g_assert_cmpint (g_mkdir (to, 0700), ==, 0);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *source = g_build_filename (from, name, NULL);
      g_autofree char *target = g_build_filename (to, name, NULL);
      g_assert_cmpint (link (source, target), ==, 0);
    }
}

/* A copy that is made of links changes nothing of its original, though it is opened, loses what was
 * not written to its end, and is written to. */
static void
test_linked (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < 2; i++) /* there is a LOSSES, the second time */
    {
      g_autofree char *log = NULL;
      make_copy (self);
      g_clear_object (&self->table);
      tall_test_directory_remove (self->store);
      g_assert_cmpint (g_rename (self->copy, self->store), ==, 0);
      log = find_log (self->store);
      int file = open (log, O_WRONLY | O_APPEND);
      g_assert_cmpint (write (file, "torn", 4), ==, 4);
      close (file);
      link_files (self->store, self->copy);
      g_autoptr (GHashTable) before = read_files (self->store);
      g_autoptr (TallTable) copy = must (open_store (self->copy, &error));
      write_row (copy, N_ROWS);
      g_clear_object (&copy);

      g_autoptr (GHashTable) after = read_files (self->store);
      GHashTableIter iter;
      gpointer name, content;
      g_hash_table_iter_init (&iter, before);
      while (g_hash_table_iter_next (&iter, &name, &content))
        g_assert_cmpstr (g_hash_table_lookup (after, name), ==, content);
      tall_test_directory_remove (self->copy);
      self->table = open_store (self->store, &error);
      g_assert_no_error (error);
      g_assert_false (has_row (self->table, N_ROWS));
      write_row (self->table, 1); /* in the log again */
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  /* What a store gives up is a warning. */
  g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
  ADD ("/table/rocksdb/copy/moment", test_moment);
  ADD ("/table/rocksdb/copy/cut", test_cut);
  ADD ("/table/rocksdb/copy/half-written", test_half_written);
  ADD ("/table/rocksdb/copy/linked", test_linked);
  ADD ("/table/rocksdb/copy/replaced", test_replaced);
  return g_test_run ();
}
