/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-thrift.h"
#include "wire/wire-input.h"
#include "wire/wire-output.h"
#include "wire-cases.h"

/* Single values: each is, byte for byte, what Thrift's own protocol writes, and is read back. */

/* Both sides write into memory of their own. */
typedef struct
{
  GByteArray *bytes;
  TallWireOutput output;
  TallTransport *transport;
  ThriftProtocol *protocol;
} Pair;

static void
pair_init (Pair *self, gboolean compact)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.framed = FALSE;
  self->bytes = g_byte_array_new ();
  tall_wire_output_init (&self->output, self->bytes, compact);
  self->transport = tall_transport_new_memory ((TallSlice)TALL_SLICE_INIT, &options);
  self->protocol = tall_thrift_protocol_new (self->transport, compact);
}

static void
pair_clear (Pair *self)
{
  g_byte_array_unref (self->bytes);
  g_object_unref (self->protocol);
  g_object_unref (self->transport);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pair, pair_clear)

static void
assert_same (Pair *self)
{
  tall_wire_output_settle (&self->output);
  TallSlice due = tall_transport_get_output (self->transport);
  g_assert_cmpmem (self->bytes->data, self->bytes->len, due.data, due.len);
}

static TallTransport *
reader_new (const Pair *self, guint max_depth)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.framed = FALSE;
  options.compact = self->output.compact;
  options.max_depth = max_depth;
  return tall_transport_new_memory (tall_slice_array (self->bytes), &options);
}

/* Steps from the field before: small, the largest that fits, one more, none, and back. */
static const gint16 ids[] = { 1, 2, 18, 35, 49, 48, -1, 32767, -32768 };

static void
test_fields (gconstpointer data)
{
  g_auto (Pair) pair;
  gint16 last = 0;
  pair_init (&pair, COMPACT);
  thrift_protocol_write_struct_begin (pair.protocol, "", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      tall_wire_put_field (&pair.output, &last, TALL_WIRE_I32, ids[i]);
      tall_wire_put_i32 (&pair.output, 7);
      thrift_protocol_write_field_begin (pair.protocol, "", T_I32, ids[i], NULL);
      thrift_protocol_write_i32 (pair.protocol, 7, NULL);
      tall_wire_put_bool_field (&pair.output, &last, ids[i] ^ 1, i & 1);
      thrift_protocol_write_field_begin (pair.protocol, "", T_BOOL, ids[i] ^ 1, NULL);
      thrift_protocol_write_bool (pair.protocol, i & 1, NULL);
    }
  tall_wire_put_stop (&pair.output);
  thrift_protocol_write_field_stop (pair.protocol, NULL);
  thrift_protocol_write_struct_end (pair.protocol, NULL);
  assert_same (&pair);

  g_autoptr (TallTransport) transport = reader_new (&pair, 1);
  g_autoptr (GError) error = NULL;
  TallWireInput input;
  TallWireField field = { 0 };
  tall_wire_input_init (&input, transport);
  g_assert_true (tall_wire_input_begin_struct (&input, &error));
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      gint32 number = 0;
      gboolean truth = FALSE;
      g_assert_true (tall_wire_input_next_field (&input, &field, &error));
      g_assert_cmpint (field.type, ==, TALL_WIRE_I32);
      g_assert_cmpint (field.id, ==, ids[i]);
      g_assert_true (tall_wire_input_i32 (&input, &number, &error));
      g_assert_cmpint (number, ==, 7);
      g_assert_true (tall_wire_input_next_field (&input, &field, &error));
      g_assert_cmpint (field.type, ==, TALL_WIRE_BOOL);
      g_assert_true (tall_wire_input_bool (&input, &truth, &error));
      g_assert_cmpint (truth, ==, i & 1);
    }
  g_assert_true (tall_wire_input_next_field (&input, &field, &error));
  g_assert_cmpint (field.type, ==, TALL_WIRE_STOP);
  g_assert_true (tall_wire_input_finish (&input, &error));
}

static const gint64 numbers[] = { 0,          1,          -1,         63,        64,
                                  -64,        -65,        8191,       8192,      G_MAXINT32,
                                  G_MININT32, G_MAXINT64, G_MININT64, 1LL << 35, -(1LL << 35) };

static void
test_numbers (gconstpointer data)
{
  g_auto (Pair) pair;
  pair_init (&pair, COMPACT);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      tall_wire_put_i64 (&pair.output, numbers[i]);
      tall_wire_put_i32 (&pair.output, (gint32)numbers[i]);
      thrift_protocol_write_i64 (pair.protocol, numbers[i], NULL);
      thrift_protocol_write_i32 (pair.protocol, (gint32)numbers[i], NULL);
    }
  assert_same (&pair);

  g_autoptr (TallTransport) transport = reader_new (&pair, 1);
  g_autoptr (GError) error = NULL;
  TallWireInput input;
  tall_wire_input_init (&input, transport);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      gint64 wide = 5;
      gint32 narrow = 5;
      g_assert_true (tall_wire_input_i64 (&input, &wide, &error));
      g_assert_true (tall_wire_input_i32 (&input, &narrow, &error));
      g_assert_cmpint (wide, ==, numbers[i]);
      g_assert_cmpint (narrow, ==, (gint32)numbers[i]);
    }
  g_assert_true (tall_wire_input_finish (&input, &error));
}

static const guint32 sizes[] = { 0, 1, 14, 15, 16, 127, 128, 300 };

static void
put_elements (Pair *pair, guint32 n)
{
  g_autofree char *text = g_strnfill (n, 'x');
  for (guint32 i = 0; i < n; i++)
    {
      tall_wire_put_bytes (&pair->output, tall_slice (text, i));
      thrift_protocol_write_binary (pair->protocol, text, i, NULL);
    }
}

/* Lists and maps of texts from nothing to many bytes. */
static void
test_containers (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_auto (Pair) pair;
      pair_init (&pair, COMPACT);
      tall_wire_put_list (&pair.output, TALL_WIRE_STRING, sizes[i]);
      thrift_protocol_write_list_begin (pair.protocol, T_STRING, (gint32)sizes[i], NULL);
      put_elements (&pair, sizes[i]);
      tall_wire_put_map (&pair.output, TALL_WIRE_STRING, TALL_WIRE_STRING, sizes[i]);
      thrift_protocol_write_map_begin (pair.protocol, T_STRING, T_STRING, sizes[i], NULL);
      put_elements (&pair, sizes[i]);
      put_elements (&pair, sizes[i]);
      assert_same (&pair);

      g_autoptr (TallTransport) transport = reader_new (&pair, 1);
      g_autoptr (GError) error = NULL;
      TallWireInput input;
      tall_wire_input_init (&input, transport);
      g_assert_true (tall_wire_input_skip (&input, TALL_WIRE_LIST, &error));
      g_assert_true (tall_wire_input_skip (&input, TALL_WIRE_MAP, &error));
      g_assert_true (tall_wire_input_finish (&input, &error));
      g_assert_no_error (error);
    }
}

static void
check_depth (gboolean compact, guint depth, guint max_depth)
{
  g_auto (Pair) pair;
  pair_init (&pair, compact);
  for (guint i = 1; i < depth; i++)
    {
      gint16 last = 0;
      tall_wire_put_field (&pair.output, &last, TALL_WIRE_STRUCT, 1);
    }
  for (guint i = 0; i < depth; i++)
    tall_wire_put_stop (&pair.output);
  tall_wire_output_settle (&pair.output);

  g_autoptr (TallTransport) transport = reader_new (&pair, max_depth);
  g_autoptr (GError) error = NULL;
  TallWireInput input;
  tall_wire_input_init (&input, transport);
  gboolean ok = tall_wire_input_skip (&input, TALL_WIRE_STRUCT, &error);
  g_assert_cmpint (ok, ==, depth <= max_depth);
  if (!ok)
    g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
}

/* Exactly as deep as allowed, and one more. */
static void
test_depth (gconstpointer data)
{
  check_depth (COMPACT, 32, 32);
  check_depth (COMPACT, 33, 32);
  check_depth (COMPACT, 1, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  static const WireCase cases[] = {
    { "fields", test_fields },
    { "numbers", test_numbers },
    { "containers", test_containers },
    { "depth", test_depth },
  };
  wire_add_cases ("codec", cases, G_N_ELEMENTS (cases));
  return g_test_run ();
}
