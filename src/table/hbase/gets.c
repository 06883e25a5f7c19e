/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/gets.h"

#include "table/hbase/convert.h"

/* Room for the columns of a usual request. */
#define USUAL_SIZE 4096

/* Reads of the same cells share what says so. */
static void
init_gets (TallHbaseTGet *self, const TallHbaseRowGet *gets, guint n, TallArena *arena)
{
  for (guint i = 0; i < n; i++)
    {
      if (i == 0 || gets[i].read != gets[i - 1].read)
        tall_hbase_t_get_init (&self[i], gets[i].read, gets[i].key, arena);
      else
        {
          self[i] = self[i - 1];
          self[i].row = gets[i].key;
        }
    }
}

/**
 * tall_hbase_row_get_size:
 *
 * Returns: about the bytes that it takes in a request
 */
gsize
tall_hbase_row_get_size (const TallHbaseRowGet *self)
{
  gsize size = 64 + self->key.len;
  for (guint i = 0; i < self->read->n_qualifiers; i++)
    size += 32 + self->read->qualifiers[i].len;
  return size;
}

/**
 * tall_hbase_send_get:
 * @table: with its name in HBase
 *
 * Sends a `get`.
 */
gboolean
tall_hbase_send_get (TallTransport *transport,
                     const char *table,
                     const TallHbaseRowGet *get,
                     GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallHbaseTGet sent;
  tall_hbase_t_get_init (&sent, get->read, get->key, arena);
  TallHbaseArgs args = { .table = tall_slice_str (table), .get = &sent };
  return tall_hbase_send (transport, TALL_HBASE_GET, &args, error);
}

/**
 * tall_hbase_send_gets:
 * @table: with its name in HBase
 * @gets: @n of them, each with columns, versions and times of its own
 *
 * Sends a `getMultiple`.
 */
gboolean
tall_hbase_send_gets (TallTransport *transport,
                      const char *table,
                      const TallHbaseRowGet *gets,
                      guint n,
                      GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (USUAL_SIZE);
  TallHbaseTGet *sent = tall_arena_newa0 (arena, TallHbaseTGet, n);
  init_gets (sent, gets, n, arena);
  TallHbaseArgs args = { .table = tall_slice_str (table), .gets = sent, .n_gets = n };
  return tall_hbase_send (transport, TALL_HBASE_GET_MULTIPLE, &args, error);
}

/**
 * tall_hbase_send_scan:
 * @table: with its name in HBase
 * @start: where to begin instead of at the beginning of @read
 * @n_rows: rows at most
 *
 * Sends a `getScannerResults`: one page of a scan.
 */
gboolean
tall_hbase_send_scan (TallTransport *transport,
                      const char *table,
                      const TallRead *read,
                      TallSlice start,
                      guint n_rows,
                      GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallHbaseTScan scan;
  tall_hbase_t_scan_init (&scan, read, start, n_rows, arena);
  TallHbaseArgs args = { .table = tall_slice_str (table), .scan = &scan, .n_rows = (gint32)n_rows };
  return tall_hbase_send (transport, TALL_HBASE_GET_SCANNER_RESULTS, &args, error);
}
