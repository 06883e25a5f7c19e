/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "table/hbase/reply.h"

/* Replies in the binary protocol, put together by hand; what gateways really send is for the
 * conformance suite. Fields: type, two bytes of number, value. */
#define BEGIN "\x80\x01\x00\x02\x00\x00\x00\x03get\x00\x00\x00\x01"
#define ONE "\x0c\x00\x00"
#define LIST(n) "\x0f\x00\x00\x0c\x00\x00\x00" n
#define KEY(letter) "\x0b\x00\x01\x00\x00\x00\x01" letter
#define CELLS(n) "\x0f\x00\x02\x0c\x00\x00\x00" n
#define FAMILY(letter) "\x0b\x00\x01\x00\x00\x00\x01" letter
#define QUALIFIER(letter) "\x0b\x00\x02\x00\x00\x00\x01" letter
#define VALUE(letter) "\x0b\x00\x03\x00\x00\x00\x01" letter
#define TIMESTAMP(n) "\x0a\x00\x04\x00\x00\x00\x00\x00\x00\x00" n
#define CELL(q, n, v) FAMILY ("d") QUALIFIER (q) VALUE (v) TIMESTAMP (n) "\x00"
#define BYTES(text) text, sizeof (text) - 1

typedef struct
{
  TallArena *arena;
  TallHbaseReply reply;
  TallHbaseTIOError *io;
  GError *error;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  f->arena = tall_arena_new (0);
  tall_hbase_reply_init (&f->reply, f->arena);
}

static void
tear_down (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  f->io = NULL;
  g_clear_error (&f->error);
  tall_hbase_reply_clear (&f->reply);
  tall_arena_free (f->arena);
}

static gboolean
read_bytes (Fixture *f, TallHbaseMethodId method, guint max_rows, const char *bytes, gsize len)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  g_autoptr (TallTransport) transport =
      tall_transport_new_memory (tall_slice (bytes, len), &options);
  f->io = NULL;
  g_clear_error (&f->error);
  return tall_hbase_reply_read (&f->reply, transport, method, max_rows, &f->io, &f->error);
}

static void
assert_cell (const TallCell *cell, const char *qualifier, gint64 timestamp, const char *value)
{
  g_assert_true (tall_slice_equal (cell->qualifier, tall_slice_str (qualifier)));
  g_assert_cmpint (cell->timestamp, ==, timestamp);
  g_assert_true (tall_slice_equal (cell->value, tall_slice_str (value)));
}

/* Cells are sorted; those of other families or without a timestamp are left out. */
static void
test_row (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_assert_true (read_bytes (
      f, TALL_HBASE_GET, 1,
      BYTES (BEGIN ONE KEY ("r") CELLS ("\x05") CELL ("b", "\x02", "v") CELL ("a", "\x02", "w")
                 CELL ("a", "\x04", "x") FAMILY ("e") QUALIFIER ("c") VALUE ("y")
                     TIMESTAMP ("\x02") "\x00" FAMILY ("d") QUALIFIER ("c") VALUE ("z") "\x00"
                                                                                        "\x00"
                                                                                        "\x00")));
  g_assert_no_error (f->error);
  g_assert_cmpuint (f->reply.rows->len, ==, 1);
  const TallRow *row = tall_hbase_reply_get_row (&f->reply, 0);
  g_assert_true (tall_slice_equal (row->key, tall_slice_str ("r")));
  g_assert_cmpuint (row->n_cells, ==, 3);
  assert_cell (&row->cells[0], "a", 4, "x");
  assert_cell (&row->cells[1], "a", 2, "w");
  assert_cell (&row->cells[2], "b", 2, "v");
}

#define ROW(key, value) KEY (key) CELLS ("\x01") CELL ("q", "\x02", value) "\x00"
#define ABSENT CELLS ("\x00") "\x00"

/* Replies add up, absent rows keep their place, and a failure takes its own rows back only. */
static void
test_rows (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_assert_true (
      read_bytes (f, TALL_HBASE_GET_MULTIPLE, 3,
                  BYTES (BEGIN LIST ("\x03") ROW ("r", "1") ABSENT ROW ("s", "2") "\x00")));
  gsize bytes = f->reply.bytes;
  g_assert_cmpuint (bytes, >, 0);
  g_assert_false (read_bytes (f, TALL_HBASE_GET_MULTIPLE, 3,
                              BYTES (BEGIN LIST ("\x02") ROW ("t", "3") KEY ("u") "\x00"
                                                                                  "\x00")));
  g_assert_error (f->error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpuint (f->reply.rows->len, ==, 3);
  g_assert_cmpuint (f->reply.bytes, ==, bytes);
  g_assert_true (read_bytes (f, TALL_HBASE_GET_MULTIPLE, 1,
                             BYTES (BEGIN LIST ("\x01") ROW ("v", "4") "\x00")));
  g_assert_cmpuint (f->reply.rows->len, ==, 4);
  g_assert_cmpuint (tall_hbase_reply_get_row (&f->reply, 1)->n_cells, ==, 0);
  assert_cell (tall_hbase_reply_get_row (&f->reply, 2)->cells, "q", 2, "2");
  assert_cell (tall_hbase_reply_get_row (&f->reply, 3)->cells, "q", 2, "4");
}

static void
test_declared (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_assert_false (read_bytes (
      f, TALL_HBASE_GET_MULTIPLE, 1,
      BYTES (BEGIN "\x0c\x00\x01\x0b\x00\x01\x00\x00\x00\x04hurt\x02\x00\x02\x01\x00\x00")));
  g_assert_no_error (f->error);
  g_assert_nonnull (f->io);
  g_assert_cmpstr (f->io->message, ==, "hurt");
  g_assert_true (f->io->can_retry);

  g_assert_false (
      read_bytes (f, TALL_HBASE_GET, 1,
                  BYTES ("\x80\x01\x00\x03\x00\x00\x00\x03get\x00\x00\x00\x01"
                         "\x0b\x00\x01\x00\x00\x00\x04oops\x08\x00\x02\x00\x00\x00\x06\x00")));
  g_assert_null (f->io);
  g_assert_error (f->error, TALL_HBASE_EXCEPTION, 6);
  g_assert_nonnull (strstr (f->error->message, "oops"));
}

static const struct
{
  const char *what; /* part of the message */
  TallHbaseMethodId method;
  const char *bytes;
  gsize len;
} malformed[] = {
  { "neither rows nor an error", TALL_HBASE_GET, BYTES (BEGIN "\x00") },
  { "lacks its list of cells", TALL_HBASE_GET, BYTES (BEGIN ONE KEY ("r") "\x00\x00") },
  { "cells and no key", TALL_HBASE_GET,
    BYTES (BEGIN ONE CELLS ("\x01") CELL ("q", "\x02", "v") "\x00\x00") },
  { "lacks its family", TALL_HBASE_GET,
    BYTES (BEGIN ONE KEY ("r") CELLS ("\x01") QUALIFIER ("q") VALUE ("v") "\x00\x00\x00") },
  { "a field twice", TALL_HBASE_GET, BYTES (BEGIN ONE KEY ("r") KEY ("s") ABSENT "\x00") },
  { "a field twice", TALL_HBASE_GET, BYTES (BEGIN ONE ABSENT ONE ABSENT "\x00") },
  { "wrong type", TALL_HBASE_GET, BYTES (BEGIN LIST ("\x00") "\x00") },
  { "wrong type", TALL_HBASE_GET_MULTIPLE, BYTES (BEGIN ONE ABSENT "\x00") },
  { "wrong type", TALL_HBASE_GET,
    BYTES (BEGIN ONE "\x0f\x00\x02\x0b\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00") },
  { "longer than asked for", TALL_HBASE_GET_MULTIPLE,
    BYTES (BEGIN LIST ("\x03") ABSENT ABSENT ABSENT "\x00") },
  { "announces more", TALL_HBASE_GET, BYTES (BEGIN ONE CELLS ("\x7f") "\x00\x00") },
  { "announces more", TALL_HBASE_GET, BYTES (BEGIN ONE "\x0b\x00\x01\x00\x00\x00\x09 r") },
  { "a length of", TALL_HBASE_GET, BYTES (BEGIN ONE "\x0b\x00\x01\xff\xff\xff\xff r") },
  { "bytes too many", TALL_HBASE_GET, BYTES (BEGIN ONE ABSENT "\x00\x00") },
};

static void
test_malformed (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  for (guint i = 0; i < G_N_ELEMENTS (malformed); i++)
    {
      g_assert_false (read_bytes (f, malformed[i].method, 2, malformed[i].bytes, malformed[i].len));
      g_assert_null (f->io);
      g_assert_error (f->error, TALL_ERROR, TALL_ERROR_INVALID);
      g_test_message ("%s", f->error->message);
      g_assert_nonnull (strstr (f->error->message, malformed[i].what));
      g_assert_cmpuint (f->reply.rows->len, ==, 0);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/table/hbase/reply/row", Fixture, NULL, set_up, test_row, tear_down);
  g_test_add ("/table/hbase/reply/rows", Fixture, NULL, set_up, test_rows, tear_down);
  g_test_add ("/table/hbase/reply/declared", Fixture, NULL, set_up, test_declared, tear_down);
  g_test_add ("/table/hbase/reply/malformed", Fixture, NULL, set_up, test_malformed, tear_down);
  return g_test_run ();
}
