/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "hb_gateway.h"
#include "table/hbase/reader.h"
#include "tall-thrift.h"
#include "tall-must.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbGatewayClient, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HbTGet, g_object_unref)

/* Gets are, byte for byte, what the generated functions send. */

#define N_GETS 7

#define TABLE "shop.orders"

typedef gboolean (*Send) (TallTransport *transport,
                          gboolean compact,
                          const TallHbaseRowGet *gets,
                          GError **error);

static GByteArray *
bytes_new (TallSlice slice)
{
  GByteArray *array = g_byte_array_new ();
  tall_bytes_append (array, slice);
  return array;
}

static HbTGet *
get_new (const TallHbaseRowGet *get)
{
  const TallRead *read = get->read;
  HbTGet *object = g_object_new (HB_TYPE_T_GET, NULL);
  object->row = bytes_new (get->key);
  for (guint i = 0; i < MAX (read->n_qualifiers, 1); i++)
    {
      HbTColumn *column = g_object_new (HB_TYPE_T_COLUMN, NULL);
      column->family = bytes_new (tall_slice_str ("d"));
      column->__isset_qualifier = i < read->n_qualifiers;
      if (column->__isset_qualifier)
        column->qualifier = bytes_new (read->qualifiers[i]);
      g_ptr_array_add (object->columns, column);
    }
  object->__isset_columns = TRUE;
  object->__isset_timeRange = read->min_timestamp != 0 || read->max_timestamp != G_MAXINT64;
  object->timeRange->minStamp = read->min_timestamp;
  object->timeRange->maxStamp = read->max_timestamp;
  object->maxVersions = read->max_versions == 0 ? G_MAXINT32 : (gint32)read->max_versions;
  object->__isset_maxVersions = TRUE;
  return object;
}

static gboolean
send_gets (TallTransport *transport, const TallHbaseRowGet *gets, guint n, GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallHbaseArgs args;
  TallHbaseMethodId method = tall_hbase_make_gets (gets, n, &args, arena);
  args.table = tall_slice_str (TABLE);
  return tall_hbase_send (transport, method, &args, error);
}

static gboolean
send_one (TallTransport *transport,
          gboolean compact G_GNUC_UNUSED,
          const TallHbaseRowGet *gets,
          GError **error)
{
  return send_gets (transport, gets, 1, error);
}

static gboolean
send_all (TallTransport *transport,
          gboolean compact G_GNUC_UNUSED,
          const TallHbaseRowGet *gets,
          GError **error)
{
  return send_gets (transport, gets, N_GETS, error);
}

/* Generated clients number every call 0, and ours the first one 1. */
static void
set_number (TallTransport *transport, gboolean compact, const char *name)
{
  TallSlice output = tall_transport_get_output (transport);
  gsize at = compact ? 2 : 4 + 4 + strlen (name) + 3;
  g_assert_cmpint (output.data[at], ==, 0);
  ((guint8 *)output.data)[at] = 1;
}

/* The client holds no reference of its protocol. */
static HbGatewayClient *
client_new (ThriftProtocol *protocol)
{
  return g_object_new (HB_TYPE_GATEWAY_CLIENT, "input_protocol", protocol, "output_protocol",
                       protocol, NULL);
}

static gboolean
send_one_generated (TallTransport *transport,
                    gboolean compact,
                    const TallHbaseRowGet *gets,
                    GError **error)
{
  g_autoptr (ThriftProtocol) protocol = tall_thrift_protocol_new (transport, compact);
  g_autoptr (HbGatewayClient) client = client_new (protocol);
  g_autoptr (GByteArray) table = bytes_new (tall_slice_str (TABLE));
  g_autoptr (HbTGet) get = get_new (&gets[0]);
  gboolean sent = hb_gateway_client_send_get (HB_GATEWAY_IF (client), table, get, error);
  set_number (transport, compact, "get");
  return sent;
}

static gboolean
send_all_generated (TallTransport *transport,
                    gboolean compact,
                    const TallHbaseRowGet *gets,
                    GError **error)
{
  g_autoptr (ThriftProtocol) protocol = tall_thrift_protocol_new (transport, compact);
  g_autoptr (HbGatewayClient) client = client_new (protocol);
  g_autoptr (GByteArray) table = bytes_new (tall_slice_str (TABLE));
  g_autoptr (GPtrArray) objects = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < N_GETS; i++)
    g_ptr_array_add (objects, get_new (&gets[i]));
  gboolean sent =
      hb_gateway_client_send_get_multiple (HB_GATEWAY_IF (client), table, objects, error);
  set_number (transport, compact, "getMultiple");
  return sent;
}

static GByteArray *
encode (gboolean compact, const TallHbaseRowGet *gets, Send send)
{
  TallWireOptions wire = TALL_WIRE_OPTIONS_INIT;
  wire.compact = compact;
  g_autoptr (TallTransport) transport =
      tall_transport_new_memory ((TallSlice)TALL_SLICE_INIT, &wire);
  must (send (transport, compact, gets, &error));

  GByteArray *request = g_byte_array_new ();
  tall_bytes_append (request, tall_transport_get_output (transport));
  return request;
}

static void
expect_same_bytes (const TallHbaseRowGet *gets, Send ours, Send theirs)
{
  for (guint compact = 0; compact < 2; compact++)
    {
      g_autoptr (GByteArray) bytes = encode (compact, gets, ours);
      g_autoptr (GByteArray) expected = encode (compact, gets, theirs);
      g_assert_cmpuint (expected->len, >, 20);
      g_assert_cmpmem (bytes->data, bytes->len, expected->data, expected->len);
    }
}

static void
expect_same (const TallHbaseRowGet *gets)
{
  expect_same_bytes (gets, send_all, send_all_generated);
  for (guint i = 0; i < N_GETS; i++)
    expect_same_bytes (&gets[i], send_one, send_one_generated);
}

static void
test_one_read (void)
{
  const TallRead read = { .kind = TALL_READ_GET, .max_versions = 1, .max_timestamp = G_MAXINT64 };
  TallHbaseRowGet gets[N_GETS];
  static const char *const keys[] = { "a", "", "a longer key", "b", "b", "c", "dd" };
  for (guint i = 0; i < N_GETS; i++)
    gets[i] = (TallHbaseRowGet){ &read, tall_slice_str (keys[i]) };
  expect_same (gets);
}

/* Each says by itself which cells it wants. */
static void
test_different_reads (void)
{
  TallSlice content[] = { tall_slice_str ("c") };
  TallSlice state[] = { tall_slice_str ("s") };
  TallSlice both[] = { tall_slice_str ("c"), tall_slice_str ("s") };
  const TallRead reads[N_GETS] = {
    { .max_versions = 1, .max_timestamp = G_MAXINT64, .qualifiers = content, .n_qualifiers = 1 },
    { .max_versions = 3, .max_timestamp = G_MAXINT64, .qualifiers = content, .n_qualifiers = 1 },
    { .max_versions = 1, .max_timestamp = G_MAXINT64, .qualifiers = state, .n_qualifiers = 1 },
    { .max_versions = 1, .max_timestamp = G_MAXINT64, .qualifiers = both, .n_qualifiers = 2 },
    { .max_versions = 0, .max_timestamp = G_MAXINT64, .qualifiers = both, .n_qualifiers = 2 },
    { .max_versions = 0, .max_timestamp = 100, .qualifiers = both, .n_qualifiers = 2 },
    { .max_versions = 0, .min_timestamp = 5, .max_timestamp = 100, .n_qualifiers = 0 },
  };
  TallHbaseRowGet gets[N_GETS];
  for (guint i = 0; i < N_GETS; i++)
    gets[i] = (TallHbaseRowGet){ &reads[i], tall_slice_str (i % 2 == 0 ? "even" : "an odd one") };
  expect_same (gets);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/hbase/gets/one-read", test_one_read);
  g_test_add_func ("/table/hbase/gets/different-reads", test_different_reads);
  return g_test_run ();
}
