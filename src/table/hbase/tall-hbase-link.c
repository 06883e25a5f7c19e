/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-link.h"

/**
 * tall_hbase_link_open:
 * @wire: copied
 * @deadline: of connecting, and of the calls until another one is set
 *
 * Returns: (transfer full): a connection on which nothing was said yet; NULL with @error set
 */
TallHbaseLink *
tall_hbase_link_open (const char *address,
                      const TallWireOptions *wire,
                      gint64 deadline,
                      GError **error)
{
  TallConnection *connection = tall_connection_open (address, wire, deadline, error);
  if (connection == NULL)
    return NULL;

  tall_connection_set_deadline (connection, deadline);
  ThriftProtocol *protocol = tall_connection_get_protocol (connection);
  TallHbaseLink *self = g_new0 (TallHbaseLink, 1);
  self->connection = connection;
  self->client = g_object_new (HB_TYPE_GATEWAY_CLIENT, "input_protocol", protocol,
                               "output_protocol", protocol, NULL);
  return self;
}

/**
 * tall_hbase_link_free:
 *
 * Closes the connection.
 */
void
tall_hbase_link_free (TallHbaseLink *self)
{
  g_clear_object (&self->client);
  g_clear_object (&self->connection);
  g_free (self);
}
