/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "table/rocksdb/row.h"
#include "tall-must.h"

#define QUALIFIER(text)                                                                            \
  {                                                                                                \
    (const guint8 *)(text), sizeof (text) - 1                                                      \
  }

/* The drawing of src/table/rocksdb/README.md, byte by byte. */
static const guint8 sample[] = {
  0x01,                                           /* format */
  0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0a, /* deleted up to 10 */
  0x00, 0x00, 0x00, 0x01,                         /* exact deletes */
  0x00, 0x00, 0x00, 0x02,                         /* cells */
  0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0c, /* deleted at 12 */
  0x00, 0x01, 0x00, 0x00, 0x00, 0x03,             /* lengths of `s` and `abc` */
  0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, /* timestamp */
  's',  'a',  'b',  'c',                          /* qualifier, value */
  0x00, 0x01, 0x00, 0x00, 0x00, 0x00,             /* an empty value */
  0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0b, /* an older version of `s` */
  's',
};

static void
test_format (void)
{
  gint64 exact[] = { 12 };
  TallCell cells[] = {
    { QUALIFIER ("s"), 0x0102030405060708, QUALIFIER ("abc") },
    { QUALIFIER ("s"), 11, TALL_SLICE_INIT },
  };
  TallStoredRow row = { 10, exact, 1, cells, 2 };
  g_autoptr (GByteArray) stored = g_byte_array_new ();
  tall_row_encode (&row, stored);
  g_assert_cmpmem (stored->data, stored->len, sample, sizeof sample);

  /* What was in the array before is gone. */
  tall_row_encode (&row, stored);
  g_assert_cmpmem (stored->data, stored->len, sample, sizeof sample);
}

static void
test_decode (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallStoredRow row;
  must (tall_row_decode (arena, tall_slice (sample, sizeof sample), &row, &error));
  g_assert_cmpint (row.up_to, ==, 10);
  g_assert_cmpuint (row.n_exact, ==, 1);
  g_assert_cmpint (row.exact[0], ==, 12);
  g_assert_cmpuint (row.n_cells, ==, 2);
  g_assert_cmpmem (row.cells[0].value.data, row.cells[0].value.len, "abc", 3);
  g_assert_cmpint (row.cells[0].timestamp, ==, 0x0102030405060708);
  g_assert_cmpuint (row.cells[1].value.len, ==, 0);
  g_assert_cmpint (row.cells[1].timestamp, ==, 11);
}

/* The same row as the version writes it that marks when markers came: format 2, and the number
 * after the header. */
static guint8 *
make_marked_sample (guint64 marked, gsize *len)
{
  const gsize header = 17;
  guint64 number = GUINT64_TO_BE (marked);
  guint8 *data = g_malloc (sizeof sample + sizeof number);
  memcpy (data, sample, header);
  memcpy (data + header, &number, sizeof number);
  memcpy (data + header + sizeof number, sample + header, sizeof sample - header);
  data[0] = 2;
  *len = sizeof sample + sizeof number;
  return data;
}

static void
test_marked (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  gsize len;
  g_autofree guint8 *data = make_marked_sample (0x0102030405060708, &len);
  TallStoredRow row;
  must (tall_row_decode (arena, tall_slice (data, len), &row, &error));
  g_assert_cmpuint (row.marked, ==, 0x0102030405060708);
  g_assert_cmpint (row.exact[0], ==, 12);
  g_autoptr (GByteArray) stored = g_byte_array_new ();
  tall_row_encode (&row, stored);
  g_assert_cmpmem (stored->data, stored->len, data, len);
}

static void
expect_stripped (const guint8 *data, gsize len, guint64 forgotten, gboolean stripped)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  TallRowStripped outcome = tall_row_strip (tall_slice (data, len), forgotten, bytes);
  g_assert_cmpint (outcome, ==, stripped ? TALL_ROW_STRIPPED : TALL_ROW_AS_IT_WAS);
  if (!stripped)
    return;
  TallStoredRow row;
  must (tall_row_decode (arena, tall_slice_array (bytes), &row, &error));
  g_assert_cmpint (row.up_to, ==, 0);
  g_assert_cmpuint (row.n_exact, ==, 0);
  g_assert_cmpuint (row.marked, ==, 0);
  g_assert_cmpuint (row.n_cells, ==, 2);
  g_assert_cmpmem (row.cells[0].value.data, row.cells[0].value.len, "abc", 3);
}

static void
test_strip (void)
{
  gsize len;
  g_autofree guint8 *data = make_marked_sample (50, &len);
  expect_stripped (data, len, 49, FALSE);
  expect_stripped (data, len, 50, TRUE);
  expect_stripped (sample, sizeof sample, 0, TRUE); /* an older version's are older than all */
  expect_stripped (data, 24, 50, FALSE);            /* it is not a row */

  g_autoptr (GByteArray) stored = g_byte_array_new ();
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  TallStoredRow only_markers = { .up_to = 10, .marked = 50 };
  tall_row_encode (&only_markers, stored);
  g_assert_cmpint (tall_row_strip (tall_slice_array (stored), 49, bytes), ==, TALL_ROW_AS_IT_WAS);
  g_assert_cmpint (tall_row_strip (tall_slice_array (stored), 50, bytes), ==, TALL_ROW_EMPTY);

  TallCell cell = { QUALIFIER ("s"), 11, QUALIFIER ("v") };
  TallStoredRow no_markers = { .cells = &cell, .n_cells = 1 };
  tall_row_encode (&no_markers, stored);
  g_assert_cmpuint (stored->data[0], ==, TALL_ROW_FORMAT_PLAIN);
  g_assert_cmpint (tall_row_strip (tall_slice_array (stored), 50, bytes), ==, TALL_ROW_AS_IT_WAS);
}

static void
expect_refused (const guint8 *data, gsize len, TallError code)
{
  /* Memory of exactly this size, so that a sanitizer sees a read beyond it. */
  g_autofree guint8 *exact = g_memdup2 (data, len);
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallStoredRow row;
  must_fail (tall_row_decode (arena, tall_slice (exact, len), &row, &error), code);
}

static void
test_truncated (void)
{
  for (gsize len = 0; len < sizeof sample; len++)
    expect_refused (sample, len, TALL_ERROR_DAMAGED);

  guint8 longer[sizeof sample + 1] = { 0 };
  memcpy (longer, sample, sizeof sample);
  expect_refused (longer, sizeof longer, TALL_ERROR_DAMAGED);
}

static void
test_contradictions (void)
{
  static const struct
  {
    gsize offset;
    guint8 byte;
    TallError code;
  } cases[] = {
    { 0, 0, TALL_ERROR_DAMAGED },     { 0, 3, TALL_ERROR_NEWER_VERSION },
    { 0, 2, TALL_ERROR_DAMAGED },     /* the markers' number is missing */
    { 1, 0x80, TALL_ERROR_DAMAGED },  /* a negative marker */
    { 9, 0xff, TALL_ERROR_DAMAGED },  /* more exact markers than bytes */
    { 13, 0xff, TALL_ERROR_DAMAGED }, /* more cells than bytes */
    { 24, 0x0a, TALL_ERROR_DAMAGED }, /* an exact marker that up_to covers */
    { 25, 0xff, TALL_ERROR_DAMAGED }, /* a qualifier longer than the row */
    { 27, 0xff, TALL_ERROR_DAMAGED }, /* a value longer than the row */
    { 31, 0xff, TALL_ERROR_DAMAGED }, /* a negative timestamp */
    { 39, 't', TALL_ERROR_DAMAGED },  /* qualifiers that do not ascend */
    { 56, 0x00, TALL_ERROR_DAMAGED }, /* timestamp 0 */
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      guint8 copy[sizeof sample];
      memcpy (copy, sample, sizeof sample);
      g_assert_cmpuint (cases[i].offset, <, sizeof sample);
      copy[cases[i].offset] = cases[i].byte;
      expect_refused (copy, sizeof copy, cases[i].code);
    }
}

/* The same cell twice, or an older version before a newer one. */
static void
test_order_of_versions (void)
{
  TallCell cells[] = {
    { QUALIFIER ("s"), 20, QUALIFIER ("a") },
    { QUALIFIER ("s"), 20, QUALIFIER ("b") },
  };
  TallStoredRow row = { 0, NULL, 0, cells, 2 };
  g_autoptr (GByteArray) stored = g_byte_array_new ();
  tall_row_encode (&row, stored);
  expect_refused (stored->data, stored->len, TALL_ERROR_DAMAGED);
  cells[1].timestamp = 21;
  tall_row_encode (&row, stored);
  expect_refused (stored->data, stored->len, TALL_ERROR_DAMAGED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/table/row-codec/format", test_format);
  g_test_add_func ("/table/row-codec/decode", test_decode);
  g_test_add_func ("/table/row-codec/marked", test_marked);
  g_test_add_func ("/table/row-codec/strip", test_strip);
  g_test_add_func ("/table/row-codec/truncated", test_truncated);
  g_test_add_func ("/table/row-codec/contradictions", test_contradictions);
  g_test_add_func ("/table/row-codec/order-of-versions", test_order_of_versions);
  return g_test_run ();
}
