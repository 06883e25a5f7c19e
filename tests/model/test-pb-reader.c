/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/pb-reader.h"

static void
test_varint (void)
{
  static const struct
  {
    guint8 bytes[11];
    guint len;
    guint64 value;
  } cases[] = {
    { { 0x00 }, 1, 0 },
    { { 0x7f }, 1, 127 },
    { { 0x80, 0x01 }, 2, 128 },
    { { 0xff, 0xff, 0xff, 0xff, 0x07 }, 5, G_MAXINT32 },
    { { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 }, 10, G_MAXUINT64 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TallPbReader in = tall_pb_reader (tall_slice (cases[i].bytes, cases[i].len));
      g_assert_cmpuint (tall_pb_reader_varint (&in), ==, cases[i].value);
      g_assert_false (in.failed);
      g_assert_true (in.at == in.end);
    }
}

/* Cut short, too long for 64 bits, or longer than need be. */
static void
test_bad_varint (void)
{
  static const struct
  {
    guint8 bytes[11];
    guint len;
  } cases[] = {
    { { 0 }, 0 },
    { { 0x80 }, 1 },
    { { 0x80, 0x00 }, 2 },
    { { 0xff, 0x80, 0x00 }, 3 },
    { { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02 }, 10 },
    { { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 }, 11 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TallPbReader in = tall_pb_reader (tall_slice (cases[i].bytes, cases[i].len));
      g_assert_cmpuint (tall_pb_reader_varint (&in), ==, 0);
      g_assert_true (in.failed);
      g_assert_false (tall_pb_reader_next (&in, 0, 1));
    }
}

static void
test_signed (void)
{
  static const guint8 bytes[] = { 0x08, 0x00, 0x10, 0x01, 0x18, 0x02, 0x20, 0xff, 0xff,
                                  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 };
  static const gint64 values[] = { 0, -1, 1, G_MININT64 };
  TallPbReader in = tall_pb_reader (tall_slice (bytes, sizeof bytes));
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_assert_true (tall_pb_reader_next (&in, 0, 4));
      g_assert_cmpuint (in.field, ==, i + 1);
      g_assert_cmpint (tall_pb_reader_signed (&in), ==, values[i]);
    }
  g_assert_false (tall_pb_reader_next (&in, 0, 4));
  g_assert_false (in.failed);
}

/* Field 2 is a list, 3 the last known: what may come after what. */
static void
test_order_of_fields (void)
{
  static const struct
  {
    guint8 bytes[6]; /* three numbers */
    gboolean good;
  } cases[] = {
    { { 0x08, 1, 0x10, 1, 0x18, 1 }, TRUE },  { { 0x10, 1, 0x10, 1, 0x10, 1 }, TRUE },
    { { 0x08, 1, 0x20, 1, 0x20, 1 }, TRUE },  { { 0x08, 1, 0x08, 1, 0x10, 1 }, FALSE },
    { { 0x10, 1, 0x18, 1, 0x10, 1 }, FALSE }, { { 0x10, 1, 0x18, 1, 0x18, 1 }, FALSE },
    { { 0x20, 1, 0x18, 1, 0x20, 1 }, FALSE }, { { 0x00, 1, 0x08, 1, 0x10, 1 }, FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TallPbReader in = tall_pb_reader (tall_slice (cases[i].bytes, sizeof cases[i].bytes));
      while (tall_pb_reader_next (&in, TALL_PB_LIST (2), 3))
        tall_pb_reader_skip (&in);
      g_assert_cmpint (in.failed, ==, !cases[i].good);
    }
}

static void
test_text (void)
{
  static const guint8 bytes[] = { 0x0a, 2, 'a', 'b', 0x12, 0, 0x1a, 1, 0 };
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallPbReader in = tall_pb_reader (tall_slice (bytes, sizeof bytes));
  g_assert_true (tall_pb_reader_next (&in, 0, 3));
  g_assert_cmpstr (tall_pb_reader_text (&in, arena), ==, "ab");
  g_assert_true (tall_pb_reader_next (&in, 0, 3));
  g_assert_cmpstr (tall_pb_reader_text (&in, arena), ==, "");
  g_assert_true (tall_pb_reader_next (&in, 0, 3));
  tall_pb_reader_text (&in, arena);
  g_assert_true (in.failed);
}

/* A field of each wire type can be skipped; groups and truncated fields cannot. */
static void
test_skip (void)
{
  static const guint8 good[] = { 0x78, 0x80, 0x01, 0x79, 1, 2,    3, 4, 5, 6, 7,
                                 8,    0x7a, 2,    9,    9, 0x7d, 1, 2, 3, 4 };
  TallPbReader in = tall_pb_reader (tall_slice (good, sizeof good));
  g_assert_cmpuint (tall_pb_reader_count (in, 15), ==, 4);
  g_assert_cmpuint (tall_pb_reader_count (in, 14), ==, 0);
  while (tall_pb_reader_next (&in, 0, 1))
    g_assert_true (tall_pb_reader_skip (&in));
  g_assert_false (in.failed);

  static const guint8 bad[][3] = { { 0x79, 1, 2 }, { 0x7d, 1, 2 }, { 0x7a, 2, 1 }, { 0x7b, 1, 1 },
                                   { 0x7c, 1, 1 }, { 0x7e, 1, 1 }, { 0x7f, 1, 1 } };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      in = tall_pb_reader (tall_slice (bad[i], sizeof bad[i]));
      g_assert_true (tall_pb_reader_next (&in, 0, 1));
      g_assert_false (tall_pb_reader_skip (&in));
      g_assert_true (in.failed);
    }
}

/* Adding even nothing to no address is undefined. */
static void
test_no_message (void)
{
  TallPbReader in = tall_pb_reader (tall_slice (NULL, 0));
  g_assert_nonnull (in.at);
  g_assert_true (in.at == in.end);
  g_assert_false (tall_pb_reader_next (&in, 0, 1));
  g_assert_false (in.failed);
  g_assert_cmpuint (tall_pb_reader_count (in, 1), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/pb-reader/varint", test_varint);
  g_test_add_func ("/model/pb-reader/bad-varint", test_bad_varint);
  g_test_add_func ("/model/pb-reader/signed", test_signed);
  g_test_add_func ("/model/pb-reader/order-of-fields", test_order_of_fields);
  g_test_add_func ("/model/pb-reader/text", test_text);
  g_test_add_func ("/model/pb-reader/skip", test_skip);
  g_test_add_func ("/model/pb-reader/no-message", test_no_message);
  return g_test_run ();
}
