/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/database.h"

#include "table/rocksdb/engine.h"
#include "table/rocksdb/row.h"
#include "base/fail.h"

struct _TallRocksdbWriter
{
  TallRocksdbDatabase *database; /* not owned: its owner is ours */
  rocksdb_t *db;
  rocksdb_readoptions_t *read_options;
  rocksdb_writeoptions_t *durable; /* syncs the log, with all that was written to it before */
  rocksdb_writeoptions_t *later; /* in the log, not synced: survives the process, not the machine */
  GMutex *turn;                  /* owned; held for each write if nothing is synced; else NULL */
};

/* One write in the making: rows that are read, merged and written together. Their locks are the
 * caller's. Used by one thread. */
typedef struct
{
  const TallRocksdbWriter *writer;
  TallArena *arena;   /* old and merged rows */
  GByteArray *stored; /* one encoded row */
  rocksdb_writebatch_t *batch;
} Write;

#define PATIENCE 50 /* microseconds: some writes that are not synced */

/* As in tall_rocksdb_reader_read(), RocksDB no longer counts what it does in the calling thread. */
static void
write_init (Write *self, const TallRocksdbWriter *writer)
{
  rocksdb_set_perf_level (rocksdb_disable);
  self->writer = writer;
  self->arena = tall_arena_new (0);
  self->stored = g_byte_array_new ();
  self->batch = rocksdb_writebatch_create ();
}

static void
write_clear (Write *self)
{
  tall_arena_free (self->arena);
  g_byte_array_unref (self->stored);
  rocksdb_writebatch_destroy (self->batch);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Write, write_clear)

/* Reads a row that is about to change, all zero if there is none. Called with its lock held. FALSE
 * with %TALL_ERROR_SHUT if the table is not open, with %TALL_ERROR_NOT_FOUND if it has been
 * dropped: RocksDB takes a write to a family that is gone for damage of its log, and refuses all
 * writes after it. */
static gboolean
write_load (
    Write *self, const TallRocksdbFamily *family, TallSlice key, TallStoredRow *row, GError **error)
{
  *row = (TallStoredRow){ 0 };
  if (family->dropped)
    return tall_error_fail (error, TALL_ERROR_NOT_FOUND, "Table %s has been dropped",
                            family->spec->name);
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

/* Adds a row as @mutation makes it of the @old one. */
static gboolean
write_add (Write *self,
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
write_in_turn (Write *self,
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

/* Writes the rows. It is the last moment for the deadline. @refused is set if they are not written,
 * for certain. */
static gboolean
write_commit (Write *self,
              TallDurability durability,
              gint64 deadline,
              const char *operation,
              gboolean *refused,
              GError **error)
{
  *refused = deadline != TALL_NO_DEADLINE && g_get_monotonic_time () >= deadline;
  if (!*refused)
    return write_in_turn (self, durability, operation, refused, error);
  return tall_error_fail (error, TALL_ERROR_TIMED_OUT,
                          "%s: the deadline passed before it was written; nothing was done",
                          operation);
}

/* Writes rows that must not be written twice. A log that could not be written or synced may have
 * the change, and it may come back from there: FALSE with %TALL_ERROR_OUTCOME_UNKNOWN then. */
static gboolean
write_commit_once (
    Write *self, TallDurability durability, gint64 deadline, const char *operation, GError **error)
{
  g_autoptr (GError) local = NULL;
  gboolean refused;
  if (write_commit (self, durability, deadline, operation, &refused, &local))
    return TRUE;
  if (!refused
      && (g_error_matches (local, TALL_ERROR, TALL_ERROR_UNAVAILABLE)
          || g_error_matches (local, TALL_ERROR, TALL_ERROR_INTERNAL)))
    local->code = TALL_ERROR_OUTCOME_UNKNOWN;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

/* One write takes up to so many rows and about so many bytes; the locks of all of them are held
 * meanwhile. */
#define GROUP_ROWS TALL_ROCKSDB_TOGETHER
#define GROUP_BYTES (4 * 1024 * 1024)

/**
 * tall_rocksdb_writer_new:
 * @database: has to live longer
 * @sync: whether durable writes are synced
 */
TallRocksdbWriter *
tall_rocksdb_writer_new (TallRocksdbDatabase *database, gboolean sync)
{
  TallRocksdbWriter *self = g_new (TallRocksdbWriter, 1);
  self->database = database;
  self->db = database->db;
  self->read_options = rocksdb_readoptions_create ();
  rocksdb_readoptions_set_verify_checksums (self->read_options, 1);
  /* A row is in a buffer once it is written. */
  rocksdb_readoptions_set_fill_cache (self->read_options, 0);
  self->durable = rocksdb_writeoptions_create ();
  rocksdb_writeoptions_set_sync (self->durable, sync ? 1 : 0);
  self->later = rocksdb_writeoptions_create ();
  self->turn = sync ? NULL : g_new (GMutex, 1);
  if (self->turn != NULL)
    g_mutex_init (self->turn);
  return self;
}

void
tall_rocksdb_writer_free (TallRocksdbWriter *self)
{
  rocksdb_readoptions_destroy (self->read_options);
  rocksdb_writeoptions_destroy (self->durable);
  rocksdb_writeoptions_destroy (self->later);
  if (self->turn != NULL)
    g_mutex_clear (self->turn);
  g_free (self->turn);
  g_free (self);
}

/* A call that writes, among those that run. */
typedef struct
{
  TallRocksdbDatabase *database;
  guint generation;
} Call;

static Call
call_begin (TallRocksdbWriter *writer)
{
  return (Call){ writer->database, tall_rocksdb_database_enter (writer->database) };
}

static void
call_end (Call *self)
{
  tall_rocksdb_horizon_leave (self->database->horizon, self->generation);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Call, call_end)

/* Locks that are held. */
typedef struct
{
  TallRocksdbStripes *stripes; /* NULL: none */
  guint held[GROUP_ROWS];
  guint n;
} Locks;

static void
locks_clear (Locks *self)
{
  if (self->stripes != NULL)
    tall_rocksdb_stripes_unlock (self->stripes, self->held, self->n);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Locks, locks_clear)

/* Takes those of the rows that @self has, of which there is one at least. */
static gboolean
locks_take (Locks *self, TallRocksdbWriter *writer, gint64 deadline, GError **error)
{
  TallRocksdbStripes *stripes = writer->database->stripes;
  if (!tall_rocksdb_stripes_lock (stripes, self->held, &self->n, deadline, error))
    return FALSE;
  self->stripes = stripes;
  return TRUE;
}

/* Mutations that one write takes. */
typedef struct
{
  TallRocksdbFamily *const *families;
  TallMutation *const *mutations;
  guint n;
} Group;

/* Merges those from @first on. */
static gboolean
merge_group (Write *self, const Group *group, guint first, GError **error)
{
  for (guint i = first; i < group->n; i++)
    {
      TallStoredRow old;
      const TallMutation *mutation = group->mutations[i];
      if (!write_load (self, group->families[i], mutation->row, &old, error)
          || !write_add (self, group->families[i], &old, mutation, error))
        return FALSE;
    }
  return TRUE;
}

static void
locks_add_group (Locks *self, const Group *group)
{
  for (guint i = 0; i < group->n; i++)
    self->held[self->n++] =
        tall_rocksdb_stripes_find (group->families[i]->id, group->mutations[i]->row);
}

static gboolean
apply_group (TallRocksdbWriter *self,
             const Group *group,
             TallDurability durability,
             gint64 deadline,
             GError **error)
{
  g_auto (Write) write;
  g_auto (Locks) locks = { .n = 0 };
  gboolean refused;
  write_init (&write, self);
  locks_add_group (&locks, group);
  return locks_take (&locks, self, deadline, error) && merge_group (&write, group, 0, error)
         && write_commit (&write, durability, deadline, "Writing rows", &refused, error);
}

static guint
count_group (TallMutation *const *mutations, guint n)
{
  gsize size = 0;
  guint i = 0;
  while (i < n && i < GROUP_ROWS && (i == 0 || size < GROUP_BYTES))
    size += tall_mutation_get_size (mutations[i++]);
  return i;
}

/**
 * tall_rocksdb_writer_apply:
 * @families: the tables of the @mutations
 *
 * Writes in groups, each one write of RocksDB. The log is the same for all tables, so syncing it
 * with the last group makes the others durable too.
 *
 * Returns: TRUE if all are done
 */
gboolean
tall_rocksdb_writer_apply (TallRocksdbWriter *self,
                           TallRocksdbFamily *const *families,
                           TallMutation *const *mutations,
                           guint n,
                           TallDurability durability,
                           gint64 deadline,
                           GError **error)
{
  g_auto (Call) call G_GNUC_UNUSED = call_begin (self);
  for (guint i = 0; i < n;)
    {
      Group group = { families + i, mutations + i, count_group (mutations + i, n - i) };
      gboolean last = i + group.n == n;
      if (!apply_group (self, &group, last ? durability : TALL_DURABLE_LATER, deadline, error))
        return FALSE;
      i += group.n;
    }
  return TRUE;
}

static const TallCell *
find_visible (const TallStoredRow *row, TallSlice qualifier, gint64 oldest)
{
  for (guint i = 0; i < row->n_cells; i++)
    if (tall_slice_equal (row->cells[i].qualifier, qualifier))
      return row->cells[i].timestamp < oldest ? NULL : &row->cells[i];
  return NULL;
}

static gboolean
condition_holds (const TallConditionalWrite *write, const TallStoredRow *row, gint64 oldest)
{
  const TallCell *cell = find_visible (row, write->qualifier, oldest);
  if (cell == NULL || write->expected == NULL)
    return cell == NULL && write->expected == NULL;
  return tall_slice_equal (cell->value, *write->expected);
}

static gboolean
apply_if_locked (Write *self,
                 const Group *group,
                 const TallConditionalWrite *conditional,
                 gboolean *matched,
                 GError **error)
{
  guint n = conditional->n_alike + 1;
  g_autofree TallStoredRow *old = g_new (TallStoredRow, n);
  for (guint i = 0; i < n; i++)
    {
      const TallRocksdbFamily *family = group->families[i];
      if (!write_load (self, family, group->mutations[i]->row, &old[i], error))
        return FALSE;
      if (!condition_holds (conditional, &old[i], tall_rocksdb_family_get_oldest (family)))
        return TRUE;
    }
  /* The first row may be large. Put last it does not double what the batch takes. */
  if (!merge_group (self, group, n, error))
    return FALSE;
  for (guint i = n; i-- > 0;)
    if (!write_add (self, group->families[i], &old[i], group->mutations[i], error))
      return FALSE;
  *matched = write_commit_once (self, conditional->durability, conditional->deadline,
                                "Writing rows on a condition", error);
  return *matched;
}

/**
 * tall_rocksdb_writer_apply_if:
 * @families: the tables of the mutations
 * @conditional: of %TALL_ROCKSDB_TOGETHER rows at most
 *
 * Returns: TRUE if @matched is set; FALSE with %TALL_ERROR_OUTCOME_UNKNOWN if the write failed in
 *   the middle
 */
gboolean
tall_rocksdb_writer_apply_if (TallRocksdbWriter *self,
                              TallRocksdbFamily *const *families,
                              const TallConditionalWrite *conditional,
                              gboolean *matched,
                              GError **error)
{
  const Group group = { families, conditional->mutations, conditional->n };
  g_auto (Call) call G_GNUC_UNUSED = call_begin (self);
  g_auto (Write) write;
  g_auto (Locks) locks = { .n = 0 };
  write_init (&write, self);
  locks_add_group (&locks, &group);
  return locks_take (&locks, self, conditional->deadline, error)
         && apply_if_locked (&write, &group, conditional, matched, error);
}

/* The counter after the step, and the timestamp that it gets: as HBase does, the clock's, but never
 * one below the last. */
static gboolean
step_counter (const TallRocksdbFamily *family,
              const TallCell *cell,
              gint64 delta,
              guint64 *counter,
              gint64 *timestamp,
              GError **error)
{
  *timestamp = g_get_real_time () / 1000;
  *counter = (guint64)delta;
  if (cell == NULL)
    return TRUE;

  TallReader reader = tall_reader (cell->value);
  *counter += tall_reader_u64 (&reader);
  *timestamp = MAX (*timestamp, cell->timestamp);
  if (tall_reader_done (&reader))
    return TRUE;
  return tall_error_fail_invalid (error, NULL, "Table %s: the cell is not a counter of 8 bytes",
                                  family->spec->name);
}

/**
 * tall_rocksdb_writer_increment:
 *
 * Returns: TRUE if @value is set; FALSE with %TALL_ERROR_OUTCOME_UNKNOWN if the write failed in the
 *   middle
 */
gboolean
tall_rocksdb_writer_increment (TallRocksdbWriter *self,
                               const TallRocksdbFamily *family,
                               TallSlice row,
                               TallSlice qualifier,
                               gint64 delta,
                               gint64 deadline,
                               gint64 *value,
                               GError **error)
{
  g_auto (Call) call G_GNUC_UNUSED = call_begin (self);
  g_auto (Write) write;
  g_auto (Locks) locks = { .n = 0 };
  write_init (&write, self);
  locks.held[locks.n++] = tall_rocksdb_stripes_find (family->id, row);
  if (!locks_take (&locks, self, deadline, error))
    return FALSE;

  TallStoredRow old;
  guint64 counter;
  gint64 timestamp;
  if (!write_load (&write, family, row, &old, error))
    return FALSE;
  const TallCell *cell = find_visible (&old, qualifier, tall_rocksdb_family_get_oldest (family));
  if (!step_counter (family, cell, delta, &counter, &timestamp, error))
    return FALSE;

  guint64 stored = GUINT64_TO_BE (counter);
  TallChange change = { TALL_CHANGE_PUT, timestamp, qualifier,
                        tall_slice (&stored, sizeof stored) };
  TallMutation mutation = { family->spec->name, row, &change, 1, 1 };
  if (!write_add (&write, family, &old, &mutation, error)
      || !write_commit_once (&write, TALL_DURABLE, deadline, "Incrementing a counter", error))
    return FALSE;
  *value = (gint64)counter;
  return TRUE;
}
