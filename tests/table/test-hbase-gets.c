/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-binary-protocol.h"
#include "tall-compact-protocol.h"
#include "tall-hbase-convert.h"

/* A getMultiple is, byte for byte, what the generated function sends. */

#define N_GETS 7

static GByteArray *
encode (gboolean compact, const TallHbaseRowGet *gets, gboolean generated)
{
  TallWireOptions wire = TALL_WIRE_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTransport) transport =
      tall_transport_new_memory ((TallSlice)TALL_SLICE_INIT, &wire);
  g_autoptr (ThriftProtocol) protocol =
      compact ? tall_compact_protocol_new (transport) : tall_binary_protocol_new (transport);
  g_autoptr (HbGatewayClient) client = g_object_new (HB_TYPE_GATEWAY_CLIENT, "input_protocol",
                                                     protocol, "output_protocol", protocol, NULL);
  g_autoptr (GByteArray) table = tall_hbase_bytes (tall_slice_str ("shop.orders"));
  gboolean sent;
  if (generated)
    {
      g_autoptr (GPtrArray) objects = g_ptr_array_new_with_free_func (g_object_unref);
      for (guint i = 0; i < N_GETS; i++)
        g_ptr_array_add (objects, tall_hbase_get_new (gets[i].read, gets[i].key));
      sent = hb_gateway_client_send_get_multiple (HB_GATEWAY_IF (client), table, objects, &error);
    }
  else
    sent = tall_hbase_send_gets (HB_GATEWAY_IF (client), table, gets, N_GETS, &error);
  g_assert_no_error (error);
  g_assert_true (sent);

  GByteArray *request = g_byte_array_new ();
  tall_bytes_append (request, tall_transport_get_output (transport));
  return request;
}

static void
expect_same (const TallHbaseRowGet *gets)
{
  for (guint compact = 0; compact < 2; compact++)
    {
      g_autoptr (GByteArray) ours = encode (compact, gets, FALSE);
      g_autoptr (GByteArray) theirs = encode (compact, gets, TRUE);
      g_assert_cmpuint (ours->len, >, 100);
      g_assert_cmpmem (ours->data, ours->len, theirs->data, theirs->len);
    }
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

/* Each says by itself which cells it wants; two in a row want the same. */
static void
test_different_reads (void)
{
  TallSlice content[] = { tall_slice_str ("c") };
  TallSlice content_too[] = { tall_slice_str ("c") };
  TallSlice state[] = { tall_slice_str ("s") };
  TallSlice both[] = { tall_slice_str ("c"), tall_slice_str ("s") };
  const TallRead reads[N_GETS] = {
    { .max_versions = 1, .max_timestamp = G_MAXINT64, .qualifiers = content, .n_qualifiers = 1 },
    { .max_versions = 1,
      .max_timestamp = G_MAXINT64,
      .qualifiers = content_too,
      .n_qualifiers = 1 },
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
