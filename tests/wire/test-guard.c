/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire-cases.h"
#include "wire-messages.h"
#include "tall-must.h"

static const guint8 *
bytes_of (GByteArray *array)
{
  return array->data;
}

static void
assert_rejected (GByteArray *bytes, gboolean compact)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  must_fail (decode_row (tall_slice_array (bytes), compact, arena, &error), TALL_ERROR_INVALID);
}

static void
test_round_trip (gconstpointer data)
{
  g_autoptr (HbTResult) row = result_new (3, 1000);
  g_autoptr (GByteArray) bytes = encode_struct (THRIFT_STRUCT (row), COMPACT);

  g_autoptr (TallArena) arena = tall_arena_new (0);
  const WireRow *back = must (decode_row (tall_slice_array (bytes), COMPACT, arena, &error));
  g_assert_cmpuint (back->n_cells, ==, 3);
  const WireCell *cell = &back->cells[2];
  g_assert_cmpmem (cell->qualifier.data, cell->qualifier.len, "q00002", 6);
  g_assert_cmpuint (cell->value.len, ==, 1000);
  g_assert_cmpint (cell->timestamp, ==, 1002);
}

/* A message cut off anywhere is an error, and never one of memory. */
static void
test_cut (gconstpointer data)
{
  g_autoptr (HbTResult) row = result_new (3, 10);
  g_autoptr (GByteArray) bytes = encode_struct (THRIFT_STRUCT (row), COMPACT);

  for (guint len = 0; len < bytes->len; len++)
    {
      /* In a block of its own size, so that a read beyond it is seen. */
      g_autofree guint8 *part = g_memdup2 (bytes_of (bytes), len);
      g_autoptr (TallArena) arena = tall_arena_new (0);
      must_fail (decode_row (tall_slice (part, len), COMPACT, arena, &error), TALL_ERROR_INVALID);
    }
}

static void
test_extra_bytes (gconstpointer data)
{
  g_autoptr (HbTResult) row = result_new (1, 10);
  g_autoptr (GByteArray) bytes = encode_struct (THRIFT_STRUCT (row), COMPACT);
  tall_bytes_append_u8 (bytes, 0);
  assert_rejected (bytes, COMPACT);
}

/* Bytes changed at random give some row or an error. */
static void
test_changed (gconstpointer data)
{
  g_autoptr (HbTResult) row = result_new (4, 20);
  g_autoptr (GByteArray) bytes = encode_struct (THRIFT_STRUCT (row), COMPACT);
  guint n_rows = 0;

  for (guint i = 0; i < 20000; i++)
    {
      g_autofree guint8 *changed = g_memdup2 (bytes_of (bytes), bytes->len);
      for (gint n = g_test_rand_int_range (1, 4); n > 0; n--)
        changed[g_test_rand_int_range (0, (gint32)bytes->len)] =
            (guint8)g_test_rand_int_range (0, 256);

      g_autoptr (GError) error = NULL;
      g_autoptr (TallArena) arena = tall_arena_new (0);
      const WireRow *result = decode_row (tall_slice (changed, bytes->len), COMPACT, arena, &error);
      g_assert_true ((result == NULL) == (error != NULL));
      n_rows += result != NULL;
    }
  g_assert_cmpuint (n_rows, >, 0);
}

static void
append_repeated (GByteArray *bytes, const guint8 *unit, guint size, guint n)
{
  for (guint i = 0; i < n; i++)
    g_byte_array_append (bytes, unit, size);
}

/* What an unknown field may hold: structs, lists or maps within each other, a million deep. */
static void
test_nesting_bomb (gconstpointer data)
{
  const struct
  {
    const char *binary; /* one level: field 99, or an element */
    guint binary_size;
    const char *compact;
    guint compact_size;
  } levels[] = {
    { "\x0c\x00\x63", 3, "\x0c\xc6\x01", 3 },         /* struct in struct */
    { "\x0f\x00\x00\x00\x01", 5, "\x19", 1 },         /* list of one list */
    { "\x0e\x00\x00\x00\x01", 5, "\x1a", 1 },         /* set of one set */
    { "\x0d\x0d\x00\x00\x00\x01", 6, "\x01\xbb", 2 }, /* map of one map */
  };
  const struct
  {
    const char *binary;
    guint binary_size;
    const char *compact;
    guint compact_size;
  } fields[] = {
    { "\x0c\x00\x63", 3, "\x0c\xc6\x01", 3 },
    { "\x0f\x00\x63", 3, "\x09\xc6\x01", 3 },
    { "\x0e\x00\x63", 3, "\x0a\xc6\x01", 3 },
    { "\x0d\x00\x63", 3, "\x0b\xc6\x01", 3 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (levels); i++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      if (COMPACT)
        {
          append_repeated (bytes, (const guint8 *)fields[i].compact, fields[i].compact_size, 1);
          append_repeated (bytes, (const guint8 *)levels[i].compact, levels[i].compact_size,
                           1000000);
        }
      else
        {
          append_repeated (bytes, (const guint8 *)fields[i].binary, fields[i].binary_size, 1);
          append_repeated (bytes, (const guint8 *)levels[i].binary, levels[i].binary_size, 1000000);
        }

      g_autoptr (TallArena) arena = tall_arena_new (0);
      must_fail (decode_row (tall_slice_array (bytes), COMPACT, arena, &error), TALL_ERROR_INVALID,
                 "deep");
    }
}

typedef struct
{
  const char *name;
  const char *bytes; /* of a TResult */
  guint size;
} Sample;

#define SAMPLE(name, bytes)                                                                        \
  {                                                                                                \
    name, bytes, sizeof (bytes) - 1                                                                \
  }

static const Sample binary_samples[] = {
  SAMPLE ("row of 2 GiB",
          "\x0b\x00\x01\x7f\xff\xff\xff"
          "abc\x00"),
  SAMPLE ("row of -1", "\x0b\x00\x01\xff\xff\xff\xff\x00"),
  SAMPLE ("row longer than the message",
          "\x0b\x00\x01\x00\x00\x00\x05"
          "abc\x00"),
  SAMPLE ("list of 2^30 cells", "\x0f\x00\x02\x0c\x40\x00\x00\x00\x00\x00\x00\x00\x00"),
  SAMPLE ("list of -1 cells", "\x0f\x00\x02\x0c\xff\xff\xff\xff\x00"),
  SAMPLE ("list of an unknown type, empty", "\x0f\x00\x02\x07\x00\x00\x00\x00\x00"),
  SAMPLE ("list of 2^29 i64: the size overflows", "\x0f\x00\x63\x0a\x20\x00\x00\x00\x00"),
  SAMPLE ("list of stops", "\x0f\x00\x63\x00\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
  SAMPLE ("map longer than the message",
          "\x0d\x00\x63\x0b\x0c\x00\x00\x00\x03\x00\x00\x00\x00\x00"),
  SAMPLE ("the row twice",
          "\x0b\x00\x01\x00\x00\x00\x01"
          "a\x0b\x00\x01\x00\x00\x00\x01"
          "b\x00"),
  SAMPLE ("bool 7", "\x02\x00\x03\x07\x00"),
  SAMPLE ("unknown type", "\x07\x00\x63\x00\x00"),
  SAMPLE ("cut within an unknown text", "\x0b\x00\x63\x00\x00"),
};

static const Sample compact_samples[] = {
  SAMPLE ("row of 2 GiB",
          "\x18\xff\xff\xff\xff\x07"
          "abc\x00"),
  SAMPLE ("row of -1", "\x18\xff\xff\xff\xff\x0f\x00"),
  SAMPLE ("length of six bytes", "\x18\x80\x80\x80\x80\x80\x00\x00"),
  SAMPLE ("row longer than the message",
          "\x18\x05"
          "abc\x00"),
  SAMPLE ("list of 2^30 cells", "\x29\xfc\x80\x80\x80\x80\x04\x00\x00"),
  SAMPLE ("list of -1 cells", "\x29\xfc\xff\xff\xff\xff\x0f\x00"),
  SAMPLE ("list of an unknown type, empty", "\x29\x0e\x00"),
  SAMPLE ("list of stops", "\x09\xc6\x01\x90\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
  SAMPLE ("map longer than the message", "\x0b\xc6\x01\x05\x88\x00\x00"),
  SAMPLE ("the row twice",
          "\x18\x01"
          "a\x08\x02\x01"
          "b\x00"),
  SAMPLE ("unknown type", "\x0d\xc6\x01\x00\x00"),
  SAMPLE ("cut within an unknown text", "\x08\xc6\x01\x85"),
};

static void
test_samples (gconstpointer data)
{
  const Sample *samples = COMPACT ? compact_samples : binary_samples;
  guint n = COMPACT ? G_N_ELEMENTS (compact_samples) : G_N_ELEMENTS (binary_samples);

  for (guint i = 0; i < n; i++)
    {
      g_test_message ("%s", samples[i].name);
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      g_byte_array_append (bytes, (const guint8 *)samples[i].bytes, samples[i].size);
      assert_rejected (bytes, COMPACT);
    }
}

static void
test_repeated_in_message (void)
{
  static const guint8 bytes[] = { 0x80, 1, 0, 2, 0, 0, 0,   3,    'g', 'e', 't', 0, 0, 0, 0,   0x0b,
                                  0,    1, 0, 0, 0, 1, 'a', 0x0b, 0,   1,   0,   0, 0, 1, 'b', 0 };
  TallWireOptions options = options_of (TALL_WIRE_CLIENT, FALSE, FALSE);
  g_autoptr (TallTransport) transport =
      tall_transport_new_memory (tall_slice (bytes, sizeof bytes), &options);
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_auto (TallMessage) message;

  must (tall_message_read (&message, transport, &error));
  must_fail (read_struct (transport, &wire_row, arena, &error), TALL_ERROR_INVALID, "twice");
}

/* Replies show them; calls must not contain any. */
static void
test_text_with_nul (gconstpointer data)
{
  static const guint8 binary[] = { 0x0b, 0, 1, 0, 0, 0, 5, 'a', 0, 'b', 0xff, 0, 0 };
  static const guint8 compact[] = { 0x18, 5, 'a', 0, 'b', 0xff, 0, 0 };
  TallWireOptions options = options_of (TALL_WIRE_CLIENT, FALSE, COMPACT);
  TallSlice bytes =
      COMPACT ? tall_slice (compact, sizeof compact) : tall_slice (binary, sizeof binary);
  g_autoptr (TallTransport) reply = tall_transport_new_memory (bytes, &options);

  g_autoptr (TallArena) arena = tall_arena_new (0);
  const WireReason *shown = must (read_struct (reply, &wire_reason, arena, &error));
  g_assert_cmpstr (shown->message, ==, "a\\x00b\xff\\x00");
  g_assert_false (tall_transport_is_broken (reply));

  options.side = TALL_WIRE_SERVER;
  g_autoptr (TallTransport) call = tall_transport_new_memory (bytes, &options);
  must_fail (read_struct (call, &wire_text, arena, &error), TALL_ERROR_INVALID);
  g_assert_true (tall_transport_is_broken (call));
}

/* The lengths between the types: none, and more than there is. */
static void
test_text_lengths (gconstpointer data)
{
  const Sample texts[] = {
    COMPACT ? (Sample)SAMPLE ("empty", "\x18\x00\x00")
            : (Sample)SAMPLE ("empty", "\x0b\x00\x01\x00\x00\x00\x00\x00"),
    COMPACT ? (Sample)SAMPLE ("too long", "\x18\x03"
                                          "a\x00")
            : (Sample)SAMPLE ("too long", "\x0b\x00\x01\x00\x00\x00\x03"
                                          "a\x00"),
    COMPACT ? (Sample)SAMPLE ("-1", "\x18\xff\xff\xff\xff\x0f\x00")
            : (Sample)SAMPLE ("-1", "\x0b\x00\x01\xff\xff\xff\xff\x00"),
  };
  TallWireOptions options = options_of (TALL_WIRE_CLIENT, FALSE, COMPACT);

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (TallTransport) transport =
          tall_transport_new_memory (tall_slice (texts[i].bytes, texts[i].size), &options);
      g_autoptr (GError) error = NULL;
      g_autoptr (TallArena) arena = tall_arena_new (0);
      const WireReason *object = read_struct (transport, &wire_reason, arena, &error);
      g_test_message ("%s", texts[i].name);
      if (i == 0)
        g_assert_cmpstr (object->message, ==, "");
      else
        g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
    }
}

static void
test_too_many_elements (gconstpointer data)
{
  g_autoptr (HbTResult) row = result_new (50, 1);
  g_autoptr (GByteArray) bytes = encode_struct (THRIFT_STRUCT (row), COMPACT);
  TallWireOptions options = options_of (TALL_WIRE_SERVER, FALSE, COMPACT);
  options.max_elements = 49;
  g_autoptr (TallTransport) transport =
      tall_transport_new_memory (tall_slice_array (bytes), &options);
  g_autoptr (TallArena) arena = tall_arena_new (0);

  must_fail (read_struct (transport, &wire_row, arena, &error), TALL_ERROR_TOO_LARGE);
}

/* Texts that are short enough each, and too much together, are not a malformed message. */
static void
test_too_much_text (gconstpointer data)
{
  static const guint8 binary[] = { 0x0f, 0,   1,   0x0b, 0, 0, 0, 2,   0,   0,   0, 3,
                                   'a',  'b', 'c', 0,    0, 0, 3, 'd', 'e', 'f', 0 };
  static const guint8 compact[] = { 0x19, 0x28, 3, 'a', 'b', 'c', 3, 'd', 'e', 'f', 0 };
  TallStructLimits limits = { .bytes = "bytes", .text_bytes = 2, .pair_bytes = 6 };
  TallWireOptions options = options_of (TALL_WIRE_SERVER, FALSE, COMPACT);
  TallSlice bytes =
      COMPACT ? tall_slice (compact, sizeof compact) : tall_slice (binary, sizeof binary);

  for (limits.n_bytes = 9; limits.n_bytes <= 10; limits.n_bytes++)
    {
      g_autoptr (TallTransport) transport = tall_transport_new_memory (bytes, &options);
      g_autoptr (TallArena) arena = tall_arena_new (0);
      g_autoptr (GError) error = NULL;
      WireTexts texts = { NULL };
      TallStructReader reader;
      tall_struct_reader_init (&reader, transport, arena, &limits);
      gboolean ok = tall_struct_reader_read (&reader, &wire_texts, &texts, &error);
      g_assert_cmpint (ok, ==, limits.n_bytes == 10);
      g_assert_cmpint (reader.refused, ==, !ok);
      g_assert_false (tall_transport_is_broken (transport));
      if (!ok)
        g_assert_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE);
    }
}

/* What a header may not be: other protocols, other sides, other versions. */
static void
assert_header_rejected (TallSlice bytes, TallWireSide side, gboolean compact)
{
  TallWireOptions options = options_of (side, FALSE, compact);
  g_autoptr (TallTransport) transport = tall_transport_new_memory (bytes, &options);
  TallMessage message = { .name = (char *)"not set" };

  must_fail (tall_message_read (&message, transport, &error), TALL_ERROR_INVALID);
  g_assert_null (message.name);
}

static void
test_headers (gconstpointer data)
{
  const Sample headers[] = {
    SAMPLE ("HTTP", "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"),
    SAMPLE ("binary without a version", "\x00\x00\x00\x03get\x01\x00\x00\x00\x00\x00"),
    SAMPLE ("binary of version 2", "\x80\x02\x00\x01\x00\x00\x00\x03get\x00\x00\x00\x00\x00"),
    SAMPLE ("compact of version 3", "\x82\x23\x00\x03get\x00"),
    SAMPLE ("one byte", "\x80"),
    SAMPLE ("nothing", ""),
    SAMPLE ("binary of type 7", "\x80\x01\x00\x07\x00\x00\x00\x03get\x00\x00\x00\x00\x00"),
  };

  for (guint i = 0; i < G_N_ELEMENTS (headers); i++)
    {
      g_test_message ("%s", headers[i].name);
      TallSlice bytes = tall_slice (headers[i].bytes, headers[i].size);
      assert_header_rejected (bytes, TALL_WIRE_SERVER, COMPACT);
      assert_header_rejected (bytes, TALL_WIRE_CLIENT, COMPACT);
    }

  TallSlice call = COMPACT ? tall_slice ("\x82\x21\x00\x03get\x00", 8)
                           : tall_slice ("\x80\x01\x00\x01\x00\x00\x00\x03get\x00\x00\x00\x00", 15);
  TallSlice reply = COMPACT
                        ? tall_slice ("\x82\x41\x00\x03get\x00", 8)
                        : tall_slice ("\x80\x01\x00\x02\x00\x00\x00\x03get\x00\x00\x00\x00", 15);
  assert_header_rejected (call, TALL_WIRE_CLIENT, COMPACT);
  assert_header_rejected (reply, TALL_WIRE_SERVER, COMPACT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  static const WireCase cases[] = {
    { "round-trip", test_round_trip },
    { "cut", test_cut },
    { "extra-bytes", test_extra_bytes },
    { "changed", test_changed },
    { "nesting-bomb", test_nesting_bomb },
    { "samples", test_samples },
    { "text-with-nul", test_text_with_nul },
    { "text-lengths", test_text_lengths },
    { "too-many-elements", test_too_many_elements },
    { "too-much-text", test_too_much_text },
    { "headers", test_headers },
  };
  wire_add_cases ("guard", cases, G_N_ELEMENTS (cases));
  g_test_add_func ("/wire/guard/repeated-in-message", test_repeated_in_message);
  return g_test_run ();
}
