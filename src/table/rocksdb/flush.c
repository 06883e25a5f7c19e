/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/flush.h"

#include "tall-error.h"
#include "table/rocksdb/error.h"

#define PATIENCE (60 * G_TIME_SPAN_SECOND) /* a slow disk takes 256 MiB in that time */
#define LOOK 1000                          /* µs from one look to the next */

typedef struct
{
  rocksdb_t *db;
  GPtrArray *handles;
  GError *error;
  gint is_done; /* atomic */
} Last;

/**
 * tall_rocksdb_flush:
 * @handles: of all families that there are
 *
 * Moves the log to tables. It waits where there are too many tables already, until compactions have
 * made fewer of them.
 */
gboolean
tall_rocksdb_flush (rocksdb_t *db, GPtrArray *handles, GError **error)
{
  char *message = NULL;
  rocksdb_flushoptions_t *options = rocksdb_flushoptions_create ();
  rocksdb_flushoptions_set_wait (options, 1);
  for (guint i = 0; i < handles->len && message == NULL; i++)
    rocksdb_flush_cf (db, options, g_ptr_array_index (handles, i), &message);
  rocksdb_flushoptions_destroy (options);
  return tall_rocksdb_take_error (message, "Moving the log to tables", error);
}

static gboolean
has_failed (rocksdb_t *db)
{
  guint64 errors = 0;
  return rocksdb_property_int (db, "rocksdb.background-errors", &errors) == 0 && errors > 0;
}

/* Whether RocksDB moves the log by itself. While nobody writes, this comes to its end. */
static gboolean
is_moving (rocksdb_t *db, GPtrArray *handles)
{
  guint64 n = 0;
  for (guint i = 0; i < handles->len; i++)
    if (rocksdb_property_int_cf (db, g_ptr_array_index (handles, i),
                                 "rocksdb.mem-table-flush-pending", &n)
            == 0
        && n > 0)
      return TRUE;
  return rocksdb_property_int (db, "rocksdb.num-running-flushes", &n) == 0 && n > 0;
}

/* After a failed write RocksDB moves the log as soon as there is room, and an assertion of Debian's
 * RocksDB ends the process if somebody else asks for a part of the same meanwhile. So what RocksDB
 * moves by itself ends first. FALSE if that fails, or takes too long. */
static gboolean
settle (rocksdb_t *db, GPtrArray *handles, gint64 until)
{
  while (is_moving (db, handles))
    if (has_failed (db) || g_get_monotonic_time () > until)
      return FALSE;
    else
      g_usleep (LOOK);
  return !has_failed (db);
}

static gpointer
flush_last (gpointer data)
{
  Last *self = data;
  gboolean flushed = tall_rocksdb_flush (self->db, self->handles, &self->error);
  g_assert (flushed == (self->error == NULL));
  g_atomic_int_set (&self->is_done, TRUE);
  return NULL;
}

/* A flush waits for compactions, which no longer end where one has failed, as on a full disk. It
 * is broken off then. */
static void
watch (Last *self, gint64 until)
{
  while (!g_atomic_int_get (&self->is_done))
    if (has_failed (self->db) || g_get_monotonic_time () > until)
      {
        rocksdb_cancel_all_background_work (self->db, FALSE);
        return;
      }
    else
      g_usleep (LOOK);
}

/**
 * tall_rocksdb_flush_last:
 * @handles: of all families that there are
 *
 * Moves the log to tables, when nobody writes any more; not after a write in the background has
 * failed. If it fails, RocksDB may do nothing in the background any more.
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE if the log stays, which costs nothing
 */
gboolean
tall_rocksdb_flush_last (rocksdb_t *db, GPtrArray *handles, GError **error)
{
  gint64 until = g_get_monotonic_time () + PATIENCE;
  Last last = { .db = db, .handles = handles };
  GThread *thread =
      settle (db, handles, until) ? g_thread_try_new ("tall-flush", flush_last, &last, NULL) : NULL;
  if (thread == NULL)
    {
      g_set_error_literal (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                           "there is no room, or a write has failed before");
      return FALSE;
    }
  watch (&last, until);
  g_thread_join (thread);
  if (last.error != NULL)
    g_propagate_error (error, last.error);
  return last.error == NULL;
}
