/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-follower.h"

#include "tall-error.h"

/* The tables that count, or counted once, and what is needed to work with them. */
typedef struct _Generation Generation;
struct _Generation
{
  TallStoreContext context;
  TallDeployment *deployment; /* owned: the record as it was when this generation was met */
  Generation *before;         /* owned: the one that counted before; NULL: none that we have met */
};

struct _TallFollower
{
  TallTable *table; /* owned */
  gint read_only;   /* atomic; as it was when the record was last read */

  /* Atomic: what counts. An operation works with the one that it has begun with. None is freed
   * before the store, so that no operation has to count references, which all threads would share;
   * a process meets few of them in its life. */
  Generation *current;
};

static void
generation_free (Generation *self)
{
  tall_store_context_clear (&self->context);
  g_clear_pointer (&self->deployment, tall_deployment_free);
  g_free (self);
}

/* @deployment: (transfer full) */
static Generation *
generation_new (TallTable *table,
                TallDeployment *deployment,
                const TallStoreHooks *hooks,
                GError **error)
{
  Generation *self = g_new0 (Generation, 1);
  self->deployment = deployment;
  if (tall_store_context_init (&self->context, table, deployment, hooks, error))
    return self;
  generation_free (self);
  return NULL;
}

/**
 * tall_follower_new:
 * @table: (transfer none): where the deployment is; a reference is kept
 * @deployment: (transfer full): its record
 * @hooks: (nullable): time and chance, for tests; copied
 *
 * Returns: NULL with %TALL_ERROR_INVALID if the layout or the key strategy is not known
 */
TallFollower *
tall_follower_new (TallTable *table,
                   TallDeployment *deployment,
                   const TallStoreHooks *hooks,
                   GError **error)
{
  gboolean read_only = deployment->read_only;
  Generation *current = generation_new (table, deployment, hooks, error);
  if (current == NULL)
    return NULL;
  TallFollower *self = g_new0 (TallFollower, 1);
  self->table = g_object_ref (table);
  self->read_only = read_only;
  self->current = current;
  return self;
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
  g_free (self);
}

/**
 * tall_follower_get_context:
 *
 * Returns: (transfer none): of the tables that count; valid as long as @self
 */
const TallStoreContext *
tall_follower_get_context (TallFollower *self)
{
  const Generation *current = g_atomic_pointer_get (&self->current);
  return &current->context;
}

/**
 * tall_follower_read_record:
 *
 * Reads the record again. Writes obey its mode from now on, so that a client never sees another
 * mode than the one that is obeyed.
 *
 * Returns: (transfer full): the record; NULL like tall_deployment_read()
 */
TallDeployment *
tall_follower_read_record (TallFollower *self, gint64 deadline, GError **error)
{
  TallDeployment *deployment = tall_deployment_read (self->table, deadline, error);
  if (deployment != NULL)
    g_atomic_int_set (&self->read_only, deployment->read_only);
  return deployment;
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
