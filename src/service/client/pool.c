/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/client/pool.h"

/* More are closed when their calls are done. */
#define MAX_KEPT 16

struct _TallClientPool
{
  char *address;       /* host:port */
  TallTlsContext *tls; /* NULL: nothing is encrypted */
  GMutex mutex;
  GQueue kept; /* of TallConnection, owned; the one used last comes first */
};

TallClientPool *
tall_client_pool_new (const char *address)
{
  TallClientPool *self = g_new0 (TallClientPool, 1);
  self->address = g_strdup (address);
  g_mutex_init (&self->mutex);
  g_queue_init (&self->kept);
  return self;
}

void
tall_client_pool_free (TallClientPool *self)
{
  g_queue_clear_full (&self->kept, g_object_unref);
  g_mutex_clear (&self->mutex);
  g_clear_pointer (&self->tls, tall_tls_context_unref);
  g_free (self->address);
  g_free (self);
}

/**
 * tall_client_pool_set_tls:
 * @tls: a reference is taken; encrypts connections. To be set before any is opened
 */
void
tall_client_pool_set_tls (TallClientPool *self, TallTlsContext *tls)
{
  g_clear_pointer (&self->tls, tall_tls_context_unref);
  self->tls = tall_tls_context_ref (tls);
}

gboolean
tall_client_pool_has_tls (TallClientPool *self)
{
  return self->tls != NULL;
}

const char *
tall_client_pool_get_address (TallClientPool *self)
{
  return self->address;
}

static TallConnection *
pop_kept (TallClientPool *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return g_queue_pop_head (&self->kept);
}

/**
 * tall_client_pool_take_kept:
 *
 * Returns: (transfer full) (nullable): a connection that looked open just now; NULL if none is kept
 */
TallConnection *
tall_client_pool_take_kept (TallClientPool *self)
{
  for (;;)
    {
      g_autoptr (TallConnection) connection = pop_kept (self);
      if (connection == NULL || tall_connection_is_fit (connection))
        return g_steal_pointer (&connection);
    }
}

/**
 * tall_client_pool_open:
 * @deadline: of connecting
 *
 * Returns: (transfer full): a new connection, for the caller's thread alone
 */
TallConnection *
tall_client_pool_open (TallClientPool *self, gint64 deadline, GError **error)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.tls = self->tls;
  return tall_connection_open (self->address, &options, deadline, error);
}

/**
 * tall_client_pool_keep:
 * @connection: (transfer full): one whose call is done
 */
void
tall_client_pool_keep (TallClientPool *self, TallConnection *connection)
{
  g_autoptr (TallConnection) spare = connection;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  if (self->kept.length < MAX_KEPT)
    g_queue_push_head (&self->kept, g_steal_pointer (&spare));
}
