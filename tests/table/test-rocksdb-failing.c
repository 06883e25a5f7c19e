/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "table/rocksdb/table.h"
#include "tall-error.h"
#include "tall-test-directory.h"

/* A log that the file system does not take: this program has its own write() and fdatasync(), which
 * RocksDB finds before those of the C library. */

#define PATIENCE (30 * G_TIME_SPAN_SECOND) /* RocksDB looks every 5 whether there is room */

#define N_TRIES 300

static gint write_code; /* atomic: what writing to a log fails with; 0: it does not */
static gint sync_code;  /* the same of syncing one */
static gint n_failed;   /* atomic */

ssize_t write (int file, const void *data, size_t len) __attribute__ ((visibility ("default")));
int fdatasync (int file) __attribute__ ((visibility ("default")));

static gboolean
fails (int file, gint *code)
{
  char name[4096];
  g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d", file);
  int found = g_atomic_int_get (code);
  ssize_t len = found == 0 ? 0 : readlink (link, name, sizeof name);
  if (len < 4 || memcmp (name + len - 4, ".log", 4) != 0)
    return FALSE;
  g_atomic_int_inc (&n_failed);
  errno = found;
  return TRUE;
}

ssize_t
write (int file, const void *data, size_t len)
{
  return fails (file, &write_code) ? -1 : syscall (SYS_write, file, data, len);
}

int
fdatasync (int file)
{
  return fails (file, &sync_code) ? -1 : (int)syscall (SYS_fdatasync, file);
}

typedef struct
{
  char *directory;
  TallTable *table;
  guint n; /* rows that are acknowledged */
} Fixture;

static void
open_store (Fixture *self)
{
  g_autoptr (GError) error = NULL;
  TallRocksdbOptions options = TALL_ROCKSDB_OPTIONS_INIT;
  options.directory = self->directory;
  self->table = tall_rocksdb_table_open (&options, &error);
  g_assert_no_error (error);
}

static gboolean
put (Fixture *self, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  const char *key = tall_arena_printf (batch->arena, "%06u", self->n);
  TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str (key));
  tall_mutation_put (batch, mutation, tall_slice_str ("x"), 1, tall_slice_str (key));
  if (!tall_table_apply (self->table, &mutation, 1, TALL_DURABLE, TALL_NO_DEADLINE, NULL, error))
    return FALSE;
  self->n++;
  return TRUE;
}

static void
set_up (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
  self->directory = tall_test_directory_new ();
  open_store (self);
  g_assert_true (tall_table_create_table (self->table, spec, TALL_NO_DEADLINE, &error));
  g_assert_true (put (self, &error));
}

/* Everything that was acknowledged is there, and the store can be written. */
static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  g_clear_object (&self->table);
  open_store (self);
  tall_read_plan_add_prefix_scan (plan, "orders", (TallSlice)TALL_SLICE_INIT);
  g_autoptr (TallReadResult) result = tall_table_read (self->table, plan, TALL_NO_DEADLINE, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (result->results[0].n_rows, >=, self->n);
  g_assert_true (put (self, &error));
  g_clear_object (&self->table);
  tall_test_directory_remove (self->directory);
  g_free (self->directory);
}

static void
fail_puts (Fixture *self, gint *what, gint code)
{
  g_atomic_int_set (&n_failed, 0);
  g_atomic_int_set (what, code);
  for (guint i = 0; i < 5; i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_false (put (self, &error));
      g_assert_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
    }
  g_atomic_int_set (what, 0);
  g_assert_cmpint (n_failed, >, 0);
}

/* Nothing is written to a log that has failed: an assertion of RocksDB ends the process then. As
 * soon as RocksDB has begun another one, writes go on. */
static void
test_no_room (Fixture *self, gconstpointer data)
{
  gint *what = (gint *)data;
  gint64 until = g_get_monotonic_time () + PATIENCE;
  gboolean written = FALSE;
  fail_puts (self, what, ENOSPC);
  while (!written && g_get_monotonic_time () < until)
    {
      g_autoptr (GError) error = NULL;
      written = put (self, &error);
    }
  g_assert_true (written);
}

/* Where nothing is in memory, RocksDB goes on with the log that has failed, as soon as it sees that
 * there is room. So the store has to be opened again. */
static void
test_nothing_in_memory (Fixture *self, gconstpointer data)
{
  g_clear_object (&self->table);
  open_store (self);
  fail_puts (self, (gint *)data, ENOSPC);
  for (guint i = 0; i < N_TRIES; i++)
    {
      g_autoptr (GError) error = NULL;
      g_usleep (1000);
      g_assert_false (put (self, &error));
      g_assert_nonnull (strstr (error->message, "opened again"));
    }
}

/* After another error RocksDB takes no writes any more. */
static void
test_broken (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  fail_puts (self, (gint *)data, EIO);
  g_assert_false (put (self, &error));
  g_assert_nonnull (strstr (error->message, "opened again"));
  g_assert_nonnull (strstr (tall_error_get_detail (error), g_strerror (EIO)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  /* What was not written to its end is dropped with a warning. */
  g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
#define ADD(path, test)                                                                            \
  g_test_add (path "/write", Fixture, &write_code, set_up, test, tear_down);                       \
  g_test_add (path "/sync", Fixture, &sync_code, set_up, test, tear_down)
  ADD ("/table/rocksdb/failing/no-room", test_no_room);
  ADD ("/table/rocksdb/failing/nothing-in-memory", test_nothing_in_memory);
  ADD ("/table/rocksdb/failing/broken", test_broken);
  return g_test_run ();
}
