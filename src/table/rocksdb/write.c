/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/write.h"

#include "tall-error.h"
#include "table/rocksdb/error.h"

#define PATIENCE 50 /* microseconds: some writes that are not synced */

/**
 * tall_rocksdb_write_init:
 *
 * As in tall_rocksdb_reader_read(), RocksDB no longer counts what it does in the calling thread.
 */
void
tall_rocksdb_write_init (TallRocksdbWrite *self, const TallRocksdbWriter *writer)
{
  rocksdb_set_perf_level (rocksdb_disable);
  self->writer = writer;
  self->arena = tall_arena_new (0);
  self->stored = g_byte_array_new ();
  self->batch = rocksdb_writebatch_create ();
}

void
tall_rocksdb_write_clear (TallRocksdbWrite *self)
{
  tall_arena_free (self->arena);
  g_byte_array_unref (self->stored);
  rocksdb_writebatch_destroy (self->batch);
}

/**
 * tall_rocksdb_write_load:
 * @row: (out): all zero if there is none
 *
 * Reads a row that is about to change. Called with its lock held.
 *
 * Returns: FALSE with %TALL_ERROR_SHUT if the table is not open, with %TALL_ERROR_NOT_FOUND if it
 *   has been dropped: RocksDB takes a write to a family that is gone for damage of its log, and
 *   refuses all writes after it
 */
gboolean
tall_rocksdb_write_load (TallRocksdbWrite *self,
                         const TallRocksdbFamily *family,
                         TallSlice key,
                         TallStoredRow *row,
                         GError **error)
{
  *row = (TallStoredRow){ 0 };
  if (family->dropped)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND, "Table %s has been dropped",
                   family->spec->name);
      return FALSE;
    }
  if (!tall_rocksdb_family_admits (family, TRUE, error))
    return FALSE;

  char *message = NULL;
  rocksdb_pinnableslice_t *value =
      rocksdb_get_pinned_cf (self->writer->db, self->writer->read_options, family->handle,
                             (const char *)key.data, key.len, &message);
  gboolean loaded = tall_rocksdb_take_error (message, "Reading it before a change", error);
  if (loaded && value != NULL)
    {
      size_t len;
      const char *data = rocksdb_pinnableslice_value (value, &len);
      tall_arena_own (self->arena, value, (GDestroyNotify)rocksdb_pinnableslice_destroy);
      loaded = tall_row_decode (self->arena, tall_slice (data, len), row, error);
    }
  if (!loaded)
    tall_rocksdb_family_prefix_row (family, key, error);
  return loaded;
}

/**
 * tall_rocksdb_write_add:
 *
 * Adds a row as @mutation makes it of the @old one.
 */
gboolean
tall_rocksdb_write_add (TallRocksdbWrite *self,
                        const TallRocksdbFamily *family,
                        const TallStoredRow *old,
                        const TallMutation *mutation,
                        GError **error)
{
  TallRetention retention = { family->spec->max_versions, tall_rocksdb_family_get_oldest (family),
                              rocksdb_get_latest_sequence_number (self->writer->db) + 1 };
  TallStoredRow merged;
  if (!tall_row_merge (self->arena, old, mutation, retention, &merged, error))
    return FALSE;
  tall_row_encode (&merged, self->stored);
  rocksdb_writebatch_put_cf (self->batch, family->handle, (const char *)mutation->row.data,
                             mutation->row.len, (const char *)self->stored->data,
                             self->stored->len);
  return TRUE;
}

/* Asked once: the C library reads a file to know, which takes about as long as a write. */
static gboolean
has_processors (void)
{
  static gsize n;
  if (g_once_init_enter (&n))
    g_once_init_leave (&n, g_get_num_processors ());
  return n > 1;
}

/* A thread that sleeps is woken later than most writes take, so it tries for a while; not where it
 * keeps the only processor from the one that writes. */
static void
take_turn (GMutex *turn)
{
  if (g_mutex_trylock (turn))
    return;
  gint64 until = has_processors () ? g_get_monotonic_time () + PATIENCE : 0;
  while (g_get_monotonic_time () < until)
    if (g_mutex_trylock (turn))
      return;
  g_mutex_lock (turn);
}

/* In RocksDB's queue each writer wakes the next, which pays where they share a sync. Where nothing
 * is synced it costs a switch of threads for each write. A mutex lets the running thread go on. */
static gboolean
write_in_turn (TallRocksdbWrite *self,
               TallDurability durability,
               const char *operation,
               gboolean *refused,
               GError **error)
{
  const TallRocksdbWriter *writer = self->writer;
  if (writer->turn != NULL)
    take_turn (writer->turn);
  gboolean written =
      tall_rocksdb_database_write (writer->database,
                                   durability == TALL_DURABLE ? writer->durable : writer->later,
                                   self->batch, operation, refused, error);
  if (writer->turn != NULL)
    g_mutex_unlock (writer->turn);
  return written;
}

/**
 * tall_rocksdb_write_commit:
 * @refused: (out): set if the rows are not written, for certain
 *
 * Writes the rows. It is the last moment for the deadline.
 */
gboolean
tall_rocksdb_write_commit (TallRocksdbWrite *self,
                           TallDurability durability,
                           gint64 deadline,
                           const char *operation,
                           gboolean *refused,
                           GError **error)
{
  *refused = deadline != TALL_NO_DEADLINE && g_get_monotonic_time () >= deadline;
  if (!*refused)
    return write_in_turn (self, durability, operation, refused, error);
  g_set_error (error, TALL_ERROR, TALL_ERROR_TIMED_OUT,
               "%s: the deadline passed before it was written; nothing was done", operation);
  return FALSE;
}

/**
 * tall_rocksdb_write_commit_once:
 *
 * Writes rows that must not be written twice. A log that could not be written or synced may have
 * the change, and it may come back from there.
 *
 * Returns: FALSE with %TALL_ERROR_OUTCOME_UNKNOWN if it may have been written
 */
gboolean
tall_rocksdb_write_commit_once (TallRocksdbWrite *self,
                                TallDurability durability,
                                gint64 deadline,
                                const char *operation,
                                GError **error)
{
  g_autoptr (GError) local = NULL;
  gboolean refused;
  if (tall_rocksdb_write_commit (self, durability, deadline, operation, &refused, &local))
    return TRUE;
  if (!refused
      && (g_error_matches (local, TALL_ERROR, TALL_ERROR_UNAVAILABLE)
          || g_error_matches (local, TALL_ERROR, TALL_ERROR_INTERNAL)))
    local->code = TALL_ERROR_OUTCOME_UNKNOWN;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}
