/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/access/origins.h"

#include "service/access/networks.h"

/* @trusted: (nullable): a reference is taken */
void
tall_origins_init (TallOrigins *self, GPtrArray *trusted)
{
  self->trusted = trusted != NULL ? g_ptr_array_ref (trusted) : NULL;
  self->table = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
}

void
tall_origins_clear (TallOrigins *self)
{
  g_clear_pointer (&self->trusted, g_ptr_array_unref);
  g_clear_pointer (&self->table, g_hash_table_unref);
}

/**
 * tall_origins_use:
 *
 * Returns: (transfer none) (nullable): that of the socket's other side, to be released; NULL if it
 *   is trusted, or gone already
 */
TallOrigin *
tall_origins_use (TallOrigins *self, GSocket *socket)
{
  g_autoptr (GSocketAddress) address = g_socket_get_remote_address (socket, NULL);
  if (!G_IS_INET_SOCKET_ADDRESS (address))
    return NULL;
  GInetAddress *inet = g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address));
  if (tall_networks_contain (self->trusted, inet))
    return NULL;

  guint64 number = tall_networks_get_origin (inet);
  TallOrigin *origin = g_hash_table_lookup (self->table, &number);
  if (origin == NULL)
    {
      origin = g_new0 (TallOrigin, 1);
      origin->number = number;
      g_hash_table_insert (self->table, &origin->number, origin);
    }
  origin->n_users++;
  return origin;
}

/* @origin: (nullable): */
void
tall_origins_release (TallOrigins *self, TallOrigin *origin)
{
  if (origin != NULL && --origin->n_users == 0)
    g_hash_table_remove (self->table, &origin->number);
}
