/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/writer.h"

#include "tall-error.h"
#include "table/rocksdb/write.h"

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
  self->db = tall_rocksdb_database_get_handle (database);
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
  tall_rocksdb_database_leave (self->database, self->generation);
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
  TallRocksdbStripes *stripes = tall_rocksdb_database_get_stripes (writer->database);
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
  TallDone *done; /* NULL: nobody asks */
} Group;

/* What will be known of a mutation when it is written. A put that has expired would not be found.
 */
static TallDone
foresee (const TallRocksdbFamily *family, const TallStoredRow *old)
{
  gboolean alone = old->n_cells == 0 && old->n_exact == 0 && old->up_to == 0
                   && tall_rocksdb_family_get_oldest (family) <= 1;
  return alone ? TALL_DONE_ALONE : TALL_DONE;
}

/* Merges those from @first on. */
static gboolean
merge_group (TallRocksdbWrite *self, const Group *group, guint first, GError **error)
{
  for (guint i = first; i < group->n; i++)
    {
      TallStoredRow old;
      const TallMutation *mutation = group->mutations[i];
      if (!tall_rocksdb_write_load (self, group->families[i], mutation->row, &old, error)
          || !tall_rocksdb_write_add (self, group->families[i], &old, mutation, error))
        return FALSE;
      if (group->done != NULL)
        group->done[i] = foresee (group->families[i], &old);
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
  g_auto (TallRocksdbWrite) write;
  g_auto (Locks) locks = { .n = 0 };
  gboolean refused;
  tall_rocksdb_write_init (&write, self);
  locks_add_group (&locks, group);
  return locks_take (&locks, self, deadline, error) && merge_group (&write, group, 0, error)
         && tall_rocksdb_write_commit (&write, durability, deadline, "Writing rows", &refused,
                                       error);
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
 * @done: (optional): zeroed before
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
                           TallDone *done,
                           GError **error)
{
  g_auto (Call) call G_GNUC_UNUSED = call_begin (self);
  for (guint i = 0; i < n;)
    {
      Group group = { families + i, mutations + i, count_group (mutations + i, n - i),
                      done != NULL ? done + i : NULL };
      gboolean last = i + group.n == n;
      if (!apply_group (self, &group, last ? durability : TALL_DURABLE_LATER, deadline, error))
        {
          if (done != NULL)
            memset (done, 0, n * sizeof *done);
          return FALSE;
        }
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
condition_holds (const TallRocksdbCondition *condition, const TallStoredRow *row, gint64 oldest)
{
  const TallCell *cell = find_visible (row, condition->qualifier, oldest);
  if (cell == NULL || condition->expected == NULL)
    return cell == NULL && condition->expected == NULL;
  return tall_slice_equal (cell->value, *condition->expected);
}

static gboolean
apply_if_locked (TallRocksdbWrite *self,
                 const Group *group,
                 const TallRocksdbCondition *condition,
                 TallDurability durability,
                 gint64 deadline,
                 gboolean *matched,
                 GError **error)
{
  TallStoredRow old;
  const TallRocksdbFamily *family = group->families[0];
  if (!tall_rocksdb_write_load (self, family, group->mutations[0]->row, &old, error))
    return FALSE;
  if (!condition_holds (condition, &old, tall_rocksdb_family_get_oldest (family)))
    {
      *matched = FALSE;
      return TRUE;
    }
  /* The first row may be large. Put last it does not double what the batch takes. */
  if (!merge_group (self, group, 1, error)
      || !tall_rocksdb_write_add (self, family, &old, group->mutations[0], error)
      || !tall_rocksdb_write_commit_once (self, durability, deadline, "Writing rows on a condition",
                                          error))
    return FALSE;
  *matched = TRUE;
  return TRUE;
}

/**
 * tall_rocksdb_writer_apply_if:
 * @families: the tables of the @mutations
 * @n: %TALL_ROCKSDB_TOGETHER at most
 * @condition: of the first one's row
 *
 * Returns: TRUE if @matched is set; FALSE with %TALL_ERROR_OUTCOME_UNKNOWN if the write failed in
 *   the middle
 */
gboolean
tall_rocksdb_writer_apply_if (TallRocksdbWriter *self,
                              TallRocksdbFamily *const *families,
                              TallMutation *const *mutations,
                              guint n,
                              const TallRocksdbCondition *condition,
                              TallDurability durability,
                              gint64 deadline,
                              gboolean *matched,
                              GError **error)
{
  const Group group = { families, mutations, n, NULL };
  g_auto (Call) call G_GNUC_UNUSED = call_begin (self);
  g_auto (TallRocksdbWrite) write;
  g_auto (Locks) locks = { .n = 0 };
  tall_rocksdb_write_init (&write, self);
  locks_add_group (&locks, &group);
  return locks_take (&locks, self, deadline, error)
         && apply_if_locked (&write, &group, condition, durability, deadline, matched, error);
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
  tall_error_set_invalid (error, NULL, "Table %s: the cell is not a counter of 8 bytes",
                          family->spec->name);
  return FALSE;
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
  g_auto (TallRocksdbWrite) write;
  g_auto (Locks) locks = { .n = 0 };
  tall_rocksdb_write_init (&write, self);
  locks.held[locks.n++] = tall_rocksdb_stripes_find (family->id, row);
  if (!locks_take (&locks, self, deadline, error))
    return FALSE;

  TallStoredRow old;
  guint64 counter;
  gint64 timestamp;
  if (!tall_rocksdb_write_load (&write, family, row, &old, error))
    return FALSE;
  const TallCell *cell = find_visible (&old, qualifier, tall_rocksdb_family_get_oldest (family));
  if (!step_counter (family, cell, delta, &counter, &timestamp, error))
    return FALSE;

  guint64 stored = GUINT64_TO_BE (counter);
  TallChange change = { TALL_CHANGE_PUT, timestamp, qualifier,
                        tall_slice (&stored, sizeof stored) };
  TallMutation mutation = { family->spec->name, row, &change, 1, 1 };
  if (!tall_rocksdb_write_add (&write, family, &old, &mutation, error)
      || !tall_rocksdb_write_commit_once (&write, TALL_DURABLE, deadline, "Incrementing a counter",
                                          error))
    return FALSE;
  *value = (gint64)counter;
  return TRUE;
}
