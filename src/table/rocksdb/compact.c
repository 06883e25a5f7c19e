/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/database.h"

#include "table/rocksdb/engine.h"

struct _TallRocksdbCompaction
{
  TallRocksdbDatabase *database; /* which ends it before it is closed */
  char *deployment;
  guint64 reached; /* markers up to this write are needed by nobody */
  GError *error;   /* why the tables are not written anew; NULL: they are */
};

void
tall_rocksdb_compaction_free (TallRocksdbCompaction *self)
{
  g_free (self->deployment);
  g_clear_error (&self->error);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallRocksdbCompaction, tall_rocksdb_compaction_free)

static gboolean
rewrite (TallRocksdbCompaction *self)
{
  TallRocksdbDatabase *database = self->database;
  /* so that no table comes or goes meanwhile */
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&database->schema_mutex);
  g_auto (GStrv) names = tall_rocksdb_families_list (database->families, self->deployment);
  g_autoptr (GPtrArray) families =
      g_ptr_array_new_with_free_func ((GDestroyNotify)tall_rocksdb_family_unref);
  for (guint i = 0; names[i] != NULL; i++)
    g_ptr_array_add (families,
                     tall_rocksdb_families_find (database->families, self->deployment, names[i]));
  /* the log is moved by then, if there was room for it */
  return tall_rocksdb_sweeper_rewrite (database->sweeper, families, &self->error)
         && tall_rocksdb_engine_flush (database->engine, database->specs, &self->error);
}

static gpointer
run (gpointer data)
{
  g_autoptr (TallRocksdbCompaction) self = data;
  TallRocksdbDatabase *database = self->database;
  if (rewrite (self) || self->error != NULL)
    {
      g_autoptr (GMutexLocker) locker G_GNUC_UNUSED =
          g_mutex_locker_new (&database->compacted_mutex);
      g_clear_pointer (&database->compacted, tall_rocksdb_compaction_free);
      database->compacted = g_steal_pointer (&self);
    }
  tall_rocksdb_sweeper_end (database->sweeper);
  return NULL;
}

/* What the last one has come to, if it was for this. A failure is reported once. */
static gboolean
take_result (TallRocksdbDatabase *self,
             const char *deployment,
             guint64 ticket,
             gboolean *done,
             GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->compacted_mutex);
  TallRocksdbCompaction *last = self->compacted;
  *done = FALSE;
  if (last == NULL || last->reached < ticket || !g_str_equal (last->deployment, deployment))
    return TRUE;
  *done = last->error == NULL;
  if (*done)
    return TRUE;
  g_propagate_prefixed_error (error, g_steal_pointer (&last->error),
                              "Compacting the store: delete markers of ");
  g_clear_pointer (&self->compacted, tall_rocksdb_compaction_free);
  return FALSE;
}

/**
 * tall_rocksdb_database_compact:
 * @ticket: (inout): number of the write up to which what was deleted is to go; 0: the last one
 *
 * See tall_table_compact(). A compaction removes the rows of which markers are left only if no call
 * can come late for which they are needed. So it begins when that is so: two minutes later, while
 * others write.
 */
gboolean
tall_rocksdb_database_compact (TallRocksdbDatabase *self,
                               const char *deployment,
                               gboolean alone,
                               guint64 *ticket,
                               gboolean *done,
                               GError **error)
{
  guint64 last = rocksdb_get_latest_sequence_number (self->db);
  *done = FALSE;
  if (*ticket == 0)
    *ticket = MAX (last, 1);
  if (!tall_rocksdb_database_check_writable (self, 0, "Compacting the store", error)
      || !take_result (self, deployment, *ticket, done, error))
    return FALSE;
  if (*done)
    return TRUE;
  tall_rocksdb_horizon_leave (self->horizon, tall_rocksdb_database_enter (self));
  if (alone)
    tall_rocksdb_horizon_forget (self->horizon, last);
  guint64 reached = tall_rocksdb_horizon_get (self->horizon);
  if (reached < *ticket)
    return TRUE;
  g_autoptr (TallRocksdbCompaction) begun = g_new (TallRocksdbCompaction, 1);
  *begun = (TallRocksdbCompaction){ self, g_strdup (deployment), reached, NULL };
  if (tall_rocksdb_sweeper_begin (self->sweeper, run, begun))
    g_steal_pointer (&begun);
  return TRUE;
}
