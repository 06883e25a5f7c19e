/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/link.h"

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
  TallHbaseLink *self = g_new0 (TallHbaseLink, 1);
  self->connection = connection;
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
  g_clear_object (&self->connection);
  g_free (self);
}

/**
 * tall_hbase_link_ask:
 * @question: a call that asks something of a table, such as whether it exists
 * @table: its short name
 *
 * Returns: FALSE with @error set if there was no answer, and without if HBase declared an error
 */
gboolean
tall_hbase_link_ask (TallHbaseLink *self,
                     TallHbaseMethodId question,
                     const TallHbaseNames *names,
                     const char *table,
                     gboolean *answer,
                     GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallHbaseArgs args = { .name = tall_hbase_names_get_table_name (names, table, arena) };
  TallHbaseReceiver receiver = { arena, NULL, NULL };
  TallHbaseResult result;
  if (!tall_hbase_exchange (tall_hbase_link_get_transport (self), question, &args, &receiver,
                            &result, error))
    return FALSE;
  *answer = result.yes;
  return TRUE;
}
