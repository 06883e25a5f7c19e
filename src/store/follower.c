/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/follower.h"

#include "tall-error.h"
#include "store/record/generation.h"

/* Tables that count, or counted once, and what is needed to work with them. */
typedef struct _Generation Generation;
struct _Generation
{
  TallStoreContext context;
  char *id;           /* owned: of the deployment */
  Generation *before; /* owned: the one that counted before; NULL: none that we have met */
};

struct _TallFollower
{
  TallTable *table; /* owned: all tables by their own names */
  TallStoreHooks hooks;

  /* As the record was when it was last read; atomic. */
  gint read_only;
  gint phase;       /* TallMigrationPhase */
  gint is_replaced; /* another deployment was there: this one comes back no more */

  /* Atomic: what counts. An operation works with the one that it has begun with. None is freed
   * before the store, so that no operation has to count references, which all threads would share;
   * a process meets few of them in its life. */
  Generation *current;

  GMutex mutex; /* for all below, and for making another generation the current one */
  GCond cond;   /* a look has ended */
  gboolean is_looking;
  guint64 n_begun; /* looks that have begun */
  guint64 last;    /* the last one that has read the record: its number */
};

static void
generation_free (Generation *self)
{
  tall_store_context_clear (&self->context);
  g_free (self->id);
  g_free (self);
}

static Generation *
generation_new (TallFollower *follower, const TallDeployment *record, GError **error)
{
  g_autoptr (TallTable) table =
      tall_generation_table_new (follower->table, record->migration.generation);
  Generation *self = g_new0 (Generation, 1);
  if (!tall_store_context_init (&self->context, table, record, &follower->hooks, error))
    {
      generation_free (self);
      return NULL;
    }
  self->context.id = self->id = g_strdup (record->id);
  self->context.generation = record->migration.generation;
  self->context.follower = follower;
  return self;
}

/**
 * tall_follower_new:
 * @table: (transfer none): where the deployment is; a reference is kept
 * @record: its record
 * @hooks: (nullable): time and chance, for tests; copied
 *
 * Returns: NULL with %TALL_ERROR_INVALID if the layout or the key strategy is not known
 */
TallFollower *
tall_follower_new (TallTable *table,
                   const TallDeployment *record,
                   const TallStoreHooks *hooks,
                   GError **error)
{
  g_autoptr (TallFollower) self = g_new0 (TallFollower, 1);
  g_mutex_init (&self->mutex);
  g_cond_init (&self->cond);
  self->table = g_object_ref (table);
  tall_store_hooks_complete (&self->hooks, hooks);
  self->read_only = record->read_only;
  self->phase = (gint)record->migration.phase;
  self->current = generation_new (self, record, error);
  return self->current != NULL ? g_steal_pointer (&self) : NULL;
}

void
tall_follower_free (TallFollower *self)
{
  for (Generation *generation = self->current; generation != NULL;)
    {
      Generation *before = generation->before;
      generation_free (generation);
      generation = before;
    }
  g_object_unref (self->table);
  g_cond_clear (&self->cond);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

/**
 * tall_follower_get_context:
 *
 * Returns: (transfer none): of the tables that count, as far as this process knows; valid as long
 *   as @self
 */
const TallStoreContext *
tall_follower_get_context (TallFollower *self)
{
  const Generation *current = g_atomic_pointer_get (&self->current);
  return &current->context;
}

/**
 * tall_follower_get_table:
 *
 * Returns: (transfer none): holds the tables of all generations
 */
TallTable *
tall_follower_get_table (TallFollower *self)
{
  return self->table;
}

/**
 * tall_follower_get_phase:
 *
 * Returns: in which phase a migration was when the record was last read
 */
TallMigrationPhase
tall_follower_get_phase (TallFollower *self)
{
  return (TallMigrationPhase)g_atomic_int_get (&self->phase);
}

/**
 * tall_follower_check_writable:
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED if the deployment was read-only when its record was
 *   last read
 */
gboolean
tall_follower_check_writable (TallFollower *self, GError **error)
{
  if (!g_atomic_int_get (&self->read_only))
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
               "this deployment is read-only; it was set so, and what writes has to wait or go to "
               "another");
  return FALSE;
}

/**
 * tall_follower_check_current:
 *
 * All that this process knows is of one deployment: its layout, keys, ids, tables.
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED if another one was in its place when the record was
 * last read
 */
gboolean
tall_follower_check_current (TallFollower *self, GError **error)
{
  if (!g_atomic_int_get (&self->is_replaced))
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
               "another deployment has been made in the place of this one; open it again");
  return FALSE;
}

/* Obeys the record from now on. An older one, which a server of HBase that is none any more may
 * give, is passed over. */
static gboolean
take_in (TallFollower *self, const TallDeployment *record, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  Generation *current = self->current;
  if (!g_str_equal (record->id, current->id))
    g_atomic_int_set (&self->is_replaced, TRUE);
  if (!tall_follower_check_current (self, error))
    return FALSE;
  if (record->migration.generation < current->context.generation)
    return TRUE;
  if (record->migration.generation > current->context.generation)
    {
      Generation *next = generation_new (self, record, error);
      if (next == NULL)
        return FALSE;
      next->before = current;
      g_atomic_pointer_set (&self->current, next);
      tall_store_context_leave (&current->context);
    }
  g_atomic_int_set (&self->read_only, record->read_only);
  g_atomic_int_set (&self->phase, (gint)record->migration.phase);
  return TRUE;
}

/**
 * tall_follower_read_record:
 *
 * Reads the record again. Everything that begins from now on obeys it, so that a client never sees
 * another mode than the one that is obeyed.
 *
 * Returns: (transfer full): the record; NULL like tall_deployment_read(), or with
 *   %TALL_ERROR_UNSUPPORTED if it is that of another deployment
 */
TallDeployment *
tall_follower_read_record (TallFollower *self, gint64 deadline, GError **error)
{
  g_autoptr (TallDeployment) record = tall_deployment_read (self->table, deadline, error);
  if (record == NULL || !take_in (self, record, error))
    return NULL;
  return g_steal_pointer (&record);
}

/* Without the mutex. */
static gboolean
look_now (TallFollower *self, guint64 number, gint64 deadline, GError **error)
{
  g_autoptr (TallDeployment) record = tall_follower_read_record (self, deadline, error);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  self->is_looking = FALSE;
  if (record != NULL)
    self->last = number;
  g_cond_broadcast (&self->cond);
  return record != NULL;
}

/**
 * tall_follower_look:
 *
 * Reads the record again. When tables are shut, all operations of a process ask at once: one reads
 * for all who have asked before it began.
 *
 * Returns: FALSE like tall_follower_read_record()
 */
gboolean
tall_follower_look (TallFollower *self, gint64 deadline, GError **error)
{
  g_mutex_lock (&self->mutex);
  guint64 wanted = self->n_begun + 1;
  gboolean in_time = TRUE;
  while (in_time && self->is_looking && self->last < wanted)
    in_time = g_cond_wait_until (&self->cond, &self->mutex, deadline);
  gboolean known = self->last >= wanted;
  gboolean mine = !known && !self->is_looking;
  guint64 number = mine ? ++self->n_begun : 0;
  self->is_looking = self->is_looking || mine;
  g_mutex_unlock (&self->mutex);

  if (known)
    return TRUE;
  if (mine)
    return look_now (self, number, deadline, error);
  g_set_error (error, TALL_ERROR, TALL_ERROR_TIMED_OUT,
               "the time was over before the deployment record was read");
  return FALSE;
}
