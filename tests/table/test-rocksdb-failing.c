/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <rocksdb/c.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "table/rocksdb/table.h"
#include "tall-error.h"
#include "tall-must.h"
#include "tall-test-directory.h"

/* A log that the file system does not take: this program has its own write() and fdatasync(), which
 * RocksDB finds before those of the C library. */

#define PATIENCE (30 * G_TIME_SPAN_SECOND) /* RocksDB looks every 5 whether there is room */

#define N_TRIES 300

static gint write_code; /* atomic: what writing to a log fails with; 0: it does not */
static gint sync_code;  /* the same of syncing one */
static gint enter_code; /* the same of syncing the directory, so that a new log is found in it */
static gint table_code; /* the same of writing to a file of tables */
static gint n_failed;   /* atomic */

ssize_t write (int file, const void *data, size_t len) __attribute__ ((visibility ("default")));
int fdatasync (int file) __attribute__ ((visibility ("default")));
int fsync (int file) __attribute__ ((visibility ("default")));

static gint n_inside; /* atomic: threads that are in rocksdb_write() */
static gint n_calls;  /* atomic */

typedef void (*Write) (rocksdb_t *,
                       const rocksdb_writeoptions_t *,
                       rocksdb_writebatch_t *,
                       char **);

/* RocksDB lets those in that wait there, after a failure and before anybody knows of it. */
void
rocksdb_write (rocksdb_t *db,
               const rocksdb_writeoptions_t *options,
               rocksdb_writebatch_t *batch,
               char **message)
{
  static Write real;
  if (real == NULL)
    real = (Write)dlsym (RTLD_NEXT, "rocksdb_write");
  g_atomic_int_inc (&n_calls);
  g_assert_cmpint (g_atomic_int_add (&n_inside, 1), ==, 0);
  real (db, options, batch, message);
  g_atomic_int_add (&n_inside, -1);
}

static gboolean
is_named (int file, const char *end)
{
  char name[4096];
  g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d", file);
  ssize_t len = readlink (link, name, sizeof name);
  return len >= 4 && memcmp (name + len - 4, end, 4) == 0;
}

static gboolean
is_log (int file)
{
  return is_named (file, ".log");
}

static gboolean
fails (int file, gint *code)
{
  int found = g_atomic_int_get (code);
  if (found == 0 || !is_named (file, code == &table_code ? ".sst" : ".log"))
    return FALSE;
  g_atomic_int_inc (&n_failed);
  errno = found;
  return TRUE;
}

/* One write to a log stops in the middle, until it fails or may go on. */
static GMutex stop_mutex;
static GCond stop_changed;
static enum {
  NOT_ASKED,
  ASKED,
  STOPPED,
  LET_ON,
  FAILED,
} stop; /* under the mutex */

static gboolean
stops (int file)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&stop_mutex);
  if (stop != ASKED || !is_log (file))
    return FALSE;
  stop = STOPPED;
  g_cond_broadcast (&stop_changed);
  while (stop == STOPPED)
    g_cond_wait (&stop_changed, &stop_mutex);
  errno = ENOSPC;
  return stop == FAILED;
}

ssize_t
write (int file, const void *data, size_t len)
{
  return stops (file) || fails (file, &write_code) || fails (file, &table_code)
             ? -1
             : syscall (SYS_write, file, data, len);
}

static gint n_syncs; /* atomic: of logs */

int
fdatasync (int file)
{
  g_atomic_int_add (&n_syncs, is_log (file));
  return fails (file, &sync_code) ? -1 : (int)syscall (SYS_fdatasync, file);
}

int
fsync (int file)
{
  struct stat info;
  gint code = g_atomic_int_get (&enter_code);
  if (code == 0 || fstat (file, &info) != 0 || !S_ISDIR (info.st_mode))
    return (int)syscall (SYS_fsync, file);
  g_atomic_int_inc (&n_failed);
  errno = code;
  return -1;
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
put_as (Fixture *self, TallDurability durability, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  const char *key = tall_arena_printf (batch->arena, "%06u", self->n);
  TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str (key));
  tall_mutation_put (batch, mutation, tall_slice_str ("x"), 1, tall_slice_str (key));
  if (!tall_table_apply (self->table, &mutation, 1, durability, TALL_NO_DEADLINE, error))
    return FALSE;
  self->n++;
  return TRUE;
}

static gboolean
put (Fixture *self, GError **error)
{
  return put_as (self, TALL_DURABLE, error);
}

static void
set_up (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("orders");
  self->directory = tall_test_directory_new ();
  open_store (self);
  must (tall_table_create_table (self->table, spec, TALL_NO_DEADLINE, &error));
  must (put (self, &error));
}

/* Everything that was acknowledged is there, and the store can be written. */
static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  g_clear_object (&self->table);
  open_store (self);
  tall_read_plan_add_prefix_scan (plan, "orders", (TallSlice)TALL_SLICE_INIT);
  g_autoptr (TallReadResult) result =
      must (tall_table_read (self->table, plan, TALL_NO_DEADLINE, &error));
  g_assert_cmpuint (result->results[0].n_rows, >=, self->n);
  must (put (self, &error));
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
      must_fail (put (self, &error), TALL_ERROR_UNAVAILABLE);
    }
  g_atomic_int_set (what, 0);
  g_assert_cmpint (n_failed, >, 0);
}

/* With a log that the directory has not been synced for, and a row in memory. */
static void
begin_log (Fixture *self)
{
  g_clear_object (&self->table);
  open_store (self);
  must (put_as (self, TALL_DURABLE_LATER, &error));
}

static gboolean
goes_on (Fixture *self)
{
  gint64 until = g_get_monotonic_time () + PATIENCE;
  gboolean written = FALSE;
  while (!written && g_get_monotonic_time () < until)
    {
      g_autoptr (GError) error = NULL;
      written = put (self, &error);
    }
  return written;
}

/* Moves the log, so that there is another one. */
static void
move_log (Fixture *self)
{
  guint64 ticket = 0;
  gboolean done = FALSE;
  while (!done)
    {
      must (tall_table_compact (self->table, TRUE, &ticket, &done, &error));
      g_usleep (1000);
    }
}

static gboolean
goes_on_after (Fixture *self, gint *what)
{
  begin_log (self);
  fail_puts (self, what, ENOSPC);
  return goes_on (self);
}

/* Another log fails later, and RocksDB says the same of it. */
static gboolean
goes_on_again_after (Fixture *self, gint *what)
{
  if (!goes_on_after (self, what))
    return FALSE;
  move_log (self);
  must (put_as (self, TALL_DURABLE_LATER, &error));
  fail_puts (self, what, ENOSPC);
  return goes_on (self);
}

/* RocksDB's text does not name the log if syncing the directory has failed. If RocksDB begins
 * another one before the text is looked at, that one counts as failed, and the store has to be
 * opened again. */
#define MOST_RACES 4

/* Nothing is written to a log that has failed: an assertion of RocksDB ends the process then. As
 * soon as RocksDB has begun another one, writes go on. */
static void
test_no_room (Fixture *self, gconstpointer data)
{
  guint n = 1;
  while (!goes_on_after (self, (gint *)data))
    g_assert_cmpuint (n++, <, data == &enter_code ? MOST_RACES : 1);
}

static void
test_again (Fixture *self, gconstpointer data)
{
  guint n = 1;
  while (!goes_on_again_after (self, (gint *)data))
    g_assert_cmpuint (n++, <, data == &enter_code ? MOST_RACES : 1);
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

#define N_WRITERS 8

typedef struct
{
  Fixture fixture;
  GThread *thread;
  guint n_puts;
} Writer;

/* Returns: why it has ended early */
static gpointer
run_writer (gpointer data)
{
  Writer *self = data;
  GError *error = NULL;
  for (guint i = 0; i < self->n_puts && put (&self->fixture, &error);)
    i++;
  return error;
}

static void
begin_writers (const Fixture *self, Writer *writers, guint n_puts)
{
  for (guint i = 0; i < N_WRITERS; i++)
    {
      writers[i] =
          (Writer){ .fixture = { .table = self->table, .n = 1000 * (i + 1) }, .n_puts = n_puts };
      writers[i].thread = g_thread_new ("writer", run_writer, &writers[i]);
    }
}

/* One is in RocksDB, and those that come meanwhile are written together. */
static void
test_together (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  Writer writers[N_WRITERS];
  begin_writers (self, writers, 200);
  for (guint i = 0; i < N_WRITERS; i++)
    g_assert_null (g_thread_join (writers[i].thread));
  self->n += N_WRITERS * 200;
}

static void
ask_to_stop (void)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&stop_mutex);
  stop = ASKED;
}

static void
wait_until_stopped (void)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&stop_mutex);
  while (stop != STOPPED)
    g_cond_wait (&stop_changed, &stop_mutex);
}

static void
end_stop (gboolean fails)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&stop_mutex);
  stop = fails ? FAILED : LET_ON;
  g_cond_broadcast (&stop_changed);
}

static gpointer
put_later (gpointer data)
{
  Writer *self = data;
  must (put_as (&self->fixture, TALL_DURABLE_LATER, &error));
  return NULL;
}

/* A write that must be synced comes behind one that need not be: it does not go with that. */
static void
test_synced (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  Writer later[2];
  Writer durable = { .fixture = { .table = self->table, .n = 3000 }, .n_puts = 1 };
  ask_to_stop ();
  for (guint i = 0; i < G_N_ELEMENTS (later); i++)
    {
      later[i] = (Writer){ .fixture = { .table = self->table, .n = 1000 * (i + 1) } };
      later[i].thread = g_thread_new ("writer", put_later, &later[i]);
      wait_until_stopped ();
      g_usleep (10 * 1000); /* the second one waits by now; if not, there is nothing to see */
    }
  g_atomic_int_set (&n_syncs, 0);
  durable.thread = g_thread_new ("writer", run_writer, &durable);
  g_usleep (10 * 1000);
  end_stop (FALSE);
  g_assert_null (g_thread_join (durable.thread));
  g_assert_cmpint (n_syncs, >, 0);
  for (guint i = 0; i < G_N_ELEMENTS (later); i++)
    g_thread_join (later[i].thread);
}

/* There is room again at once, and RocksDB has nothing in memory to move: it would go on with the
 * log that has failed, and end the process. */
static void
test_others_wait (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  Writer writers[N_WRITERS];
  g_clear_object (&self->table);
  open_store (self);
  ask_to_stop ();
  begin_writers (self, writers, 1);
  wait_until_stopped ();
  g_usleep (10 * 1000); /* all come, or come later: none gets in */
  g_atomic_int_set (&n_calls, 0);
  end_stop (TRUE);
  for (guint i = 0; i < N_WRITERS; i++)
    {
      g_autoptr (GError) error = g_thread_join (writers[i].thread);
      g_assert_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
    }
  g_assert_cmpint (n_calls, ==, 0);
}

/* Where the log cannot be moved to tables, no table is dropped. */
static void
test_not_moved (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_atomic_int_set (&table_code, ENOSPC);
  must_fail (tall_table_drop_table (self->table, "orders", TALL_NO_DEADLINE, &error),
             TALL_ERROR_UNAVAILABLE);
  g_atomic_int_set (&table_code, 0);
}

/* After another error RocksDB takes no writes any more. */
static void
test_broken (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  begin_log (self);
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
  g_test_add (path "/sync", Fixture, &sync_code, set_up, test, tear_down);                         \
  g_test_add (path "/enter", Fixture, &enter_code, set_up, test, tear_down)
  ADD ("/table/rocksdb/failing/no-room", test_no_room);
  ADD ("/table/rocksdb/failing/again", test_again);
  ADD ("/table/rocksdb/failing/nothing-in-memory", test_nothing_in_memory);
  ADD ("/table/rocksdb/failing/broken", test_broken);
  g_test_add ("/table/rocksdb/failing/together", Fixture, NULL, set_up, test_together, tear_down);
  g_test_add ("/table/rocksdb/failing/synced", Fixture, NULL, set_up, test_synced, tear_down);
  g_test_add ("/table/rocksdb/failing/not-moved", Fixture, NULL, set_up, test_not_moved, tear_down);
  g_test_add ("/table/rocksdb/failing/others-wait", Fixture, NULL, set_up, test_others_wait,
              tear_down);
  return g_test_run ();
}
