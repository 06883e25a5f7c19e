/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "raw-request.h"

#include "table/hbase/convert.h"
#include "table/hbase/reply.h"
#include "table/hbase/reader.h"
#include "table/hbase/writer.h"

#define PAGE 256 /* rows of a scan, as the table asks for first */

static gboolean
send_read (TallTransport *transport,
           const TallHbaseNames *names,
           const TallRead *read,
           GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallHbaseTScan scan;
  TallHbaseArgs args = { .scan = &scan, .n_rows = PAGE };
  TallHbaseMethodId method = TALL_HBASE_GET_SCANNER_RESULTS;
  if (read->kind == TALL_READ_GET)
    {
      g_autofree TallHbaseRowGet *gets = g_new (TallHbaseRowGet, read->n_keys);
      for (guint i = 0; i < read->n_keys; i++)
        gets[i] = (TallHbaseRowGet){ read, read->keys[i] };
      method = tall_hbase_make_gets (gets, read->n_keys, &args, arena);
    }
  else
    tall_hbase_t_scan_init (&scan, read, read->start, PAGE, arena);
  args.table = tall_hbase_names_get_table (names, read->table, arena);
  return tall_hbase_send (transport, method, &args, error);
}

/* Rows of one table. */
static gboolean
send_puts (TallTransport *transport,
           const TallHbaseNames *names,
           const TallBatch *batch,
           GError **error)
{
  guint n = batch->mutations->len;
  const TallMutation *first = g_ptr_array_index (batch->mutations, 0);
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallHbaseTPut *puts = tall_arena_newa0 (arena, TallHbaseTPut, n);
  for (guint i = 0; i < n; i++)
    tall_hbase_t_put_init (&puts[i], g_ptr_array_index (batch->mutations, i), arena);
  const TallHbaseArgs args = { .table = tall_hbase_names_get_table (names, first->table, arena),
                               .puts = puts,
                               .n_puts = n };
  return tall_hbase_send (transport, TALL_HBASE_PUT_MULTIPLE, &args, error);
}

/* Something that is encoded. */
typedef struct
{
  const TallRead *read;   /* NULL: a write */
  const TallBatch *batch; /* NULL: a conditional one */
  const TallConditionalWrite *conditional;
} Request;

static gboolean
send (const Request *self, TallTransport *transport, const TallHbaseNames *names, GError **error)
{
  if (self->read != NULL)
    return send_read (transport, names, self->read, error);
  if (self->batch != NULL)
    return send_puts (transport, names, self->batch, error);
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallHbaseArgs args;
  TallHbaseMethodId method = tall_hbase_make_apply_if (self->conditional, &args, arena);
  args.table = tall_hbase_names_get_table (names, self->conditional->mutations[0]->table, arena);
  return tall_hbase_send (transport, method, &args, error);
}

static GByteArray *
encode (const TallHbaseOptions *options, const Request *what, GError **error)
{
  TallWireOptions wire = TALL_WIRE_OPTIONS_INIT;
  wire.compact = options->compact;
  g_auto (TallHbaseNames) names = { 0 };
  if (!tall_hbase_names_init (&names, options->name, error))
    return NULL;

  g_autoptr (TallTransport) transport =
      tall_transport_new_memory ((TallSlice)TALL_SLICE_INIT, &wire);
  if (!send (what, transport, &names, error))
    return NULL;

  GByteArray *request = g_byte_array_new ();
  tall_bytes_append (request, tall_transport_get_output (transport));
  return request;
}

/**
 * tall_raw_request_encode:
 * @read: a get of one key, one of several, or a scan
 *
 * Returns: (transfer full): the request that a gateway gets for it, byte for byte what the HBase
 *   table sends, without a frame's header
 */
GByteArray *
tall_raw_request_encode (const TallHbaseOptions *options, const TallRead *read, GError **error)
{
  return encode (options, &(Request){ .read = read }, error);
}

/**
 * tall_raw_request_encode_if:
 *
 * Returns: (transfer full): the same for a conditional write of a row
 */
GByteArray *
tall_raw_request_encode_if (const TallHbaseOptions *options,
                            const TallConditionalWrite *write,
                            GError **error)
{
  return encode (options, &(Request){ .conditional = write }, error);
}

/**
 * tall_raw_request_encode_puts:
 * @batch: puts of rows of one table, at least one
 *
 * Returns: (transfer full): the same for a request that writes all of them
 */
GByteArray *
tall_raw_request_encode_puts (const TallHbaseOptions *options,
                              const TallBatch *batch,
                              GError **error)
{
  return encode (options, &(Request){ .batch = batch }, error);
}
