/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/database.h"

#include "table/rocksdb/engine.h"

/* What one compaction of all tables of a deployment does. */
typedef struct
{
  TallRocksdbDatabase *database; /* which ends it before it is closed */
  char *deployment;
  guint64 reached; /* markers up to this write are needed by nobody */
} Work;

static gboolean
rewrite (const Work *self, GError **error)
{
  TallRocksdbDatabase *database = self->database;
  /* so that no table comes or goes, which would break the compaction off */
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&database->schema_mutex);
  g_auto (GStrv) names = tall_rocksdb_families_list (database->families, self->deployment);
  g_autoptr (GPtrArray) families =
      g_ptr_array_new_with_free_func ((GDestroyNotify)tall_rocksdb_family_unref);
  g_autoptr (GPtrArray) handles = tall_rocksdb_database_list_handles (database);
  for (guint i = 0; names[i] != NULL; i++)
    g_ptr_array_add (families,
                     tall_rocksdb_families_find (database->families, self->deployment, names[i]));
  return tall_rocksdb_sweeper_rewrite (database->sweeper, families, handles, error);
}

static gpointer
run (gpointer data)
{
  Work *self = data;
  TallRocksdbDatabase *database = self->database;
  GError *error = NULL;
  gboolean done = rewrite (self, &error);

  g_mutex_lock (&database->compacted.mutex);
  if (done || error != NULL)
    {
      g_free (database->compacted.deployment);
      g_clear_error (&database->compacted.error);
      database->compacted.deployment = g_steal_pointer (&self->deployment);
      database->compacted.reached = self->reached;
      database->compacted.error = error;
    }
  g_mutex_unlock (&database->compacted.mutex);
  tall_rocksdb_sweeper_end (database->sweeper);
  g_free (self->deployment);
  g_free (self);
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
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->compacted.mutex);
  gboolean is_it =
      g_strcmp0 (self->compacted.deployment, deployment) == 0 && self->compacted.reached >= ticket;
  *done = is_it && self->compacted.error == NULL;
  if (!is_it || *done)
    return TRUE;
  g_propagate_prefixed_error (error, g_steal_pointer (&self->compacted.error),
                              "Compacting the store: delete markers of ");
  g_clear_pointer (&self->compacted.deployment, g_free);
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
  Work *work = g_new (Work, 1);
  *work = (Work){ self, g_strdup (deployment), reached };
  if (tall_rocksdb_sweeper_begin (self->sweeper, run, work))
    return TRUE;
  g_free (work->deployment);
  g_free (work);
  return TRUE;
}
