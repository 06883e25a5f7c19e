/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/csv/reader.h"
#include "tall-error.h"
#include "tall-test-files.h"
#include "tall-must.h"

#include <gio/gio.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#define TEXT "a,b\n1,\xc3\xa4\n2,\"x\ny\"\n"

static GBytes *
compress_gzip (const void *text, gsize len)
{
  g_autoptr (GConverter) converter =
      G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 6));
  gsize room = len + 1024, taken = 0, written = 0;
  guint8 *packed = g_malloc (room);
  GConverterResult result =
      must (g_converter_convert (converter, text, len, packed, room, G_CONVERTER_INPUT_AT_END,
                                 &taken, &written, &error));
  g_assert_cmpint (result, ==, G_CONVERTER_FINISHED);
  return g_bytes_new_take (packed, written);
}

static GBytes *
compress_zstd (const void *text, gsize len)
{
  gsize bound = ZSTD_compressBound (len);
  guint8 *packed = g_malloc (bound);
  ZSTD_CCtx *context = ZSTD_createCCtx ();
  ZSTD_CCtx_setParameter (context, ZSTD_c_checksumFlag, 1);
  size_t n = ZSTD_compress2 (context, packed, bound, text, len);
  g_assert_false (ZSTD_isError (n));
  ZSTD_freeCCtx (context);
  return g_bytes_new_take (packed, n);
}

typedef GBytes *(*Compress) (const void *text, gsize len);

static const struct
{
  const char *name;
  Compress compress;
} packings[] = { { "gzip", compress_gzip }, { "zstd", compress_zstd } };

static void
append (GByteArray *all, GBytes *bytes)
{
  gsize len;
  const guint8 *data = g_bytes_get_data (bytes, &len);
  g_byte_array_append (all, data, (guint)len);
}

/* Rows as `LINE:field|field` or `LINE!COLUMN reason <raw>`; a failure as `failed: message`. */
static char *
read_rows (TallCsvReader *reader)
{
  g_autoptr (GString) all = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  TallCsvRow row;
  TallCsvStep step;
  while ((step = tall_csv_reader_next (reader, &row, &error)) == TALL_CSV_ROW)
    if (row.reason != NULL)
      g_string_append_printf (all, "%d!%d %s <%.*s>\n", (int)row.line, row.column, row.reason,
                              (int)row.raw.len, (const char *)row.raw.data);
    else
      g_string_append_printf (all, "%d:%s|%s <%.*s>\n", (int)row.line, row.fields[0], row.fields[1],
                              (int)row.raw.len, (const char *)row.raw.data);
  if (step == TALL_CSV_FAILED)
    g_string_append_printf (all, "failed: %s\n", error->message);
  return g_string_free (g_steal_pointer (&all), FALSE);
}

static TallCsvReader *
open_bytes (const void *data, gsize len, const char *encoding, GError **error)
{
  g_autofree char *path = tall_test_write_file (data, (gssize)len);
  TallCsvDialect dialect = { .delimiter = ',', .encoding = encoding };
  TallCsvReader *reader = tall_csv_reader_open (path, &dialect, TALL_CSV_MAX_ROW, error);
  g_remove (path);
  return reader;
}

static void
assert_rows (const void *data, gsize len, const char *encoding, const char *rows)
{
  g_autoptr (TallCsvReader) reader = must (open_bytes (data, len, encoding, &error));
  must (tall_csv_reader_keep (reader, g_get_tmp_dir (), &error));
  g_autofree char *first = read_rows (reader);
  g_assert_cmpstr (first, ==, rows);
  g_assert_cmpuint (tall_csv_reader_get_position (reader), ==, len);
  must (tall_csv_reader_rewind (reader, &error));
  g_autofree char *second = read_rows (reader);
  g_assert_cmpstr (second, ==, rows);
}

#define ROWS "2:1|ä <1,ä>\n3:2|x\ny <2,\"x\ny\">\n"

/* The file ends after so many rows, the header not counted, in both passes. */
static void
test_limit (void)
{
  const char *text = "a,b\n1,2\n3,4\n5,6\n";
  g_autoptr (TallCsvReader) reader = must (open_bytes (text, strlen (text), NULL, &error));
  tall_csv_reader_set_limit (reader, 2);
  must (tall_csv_reader_keep (reader, g_get_tmp_dir (), &error));
  for (guint pass = 0; pass < 2; pass++)
    {
      g_autofree char *rows = read_rows (reader);
      g_assert_cmpstr (rows, ==, "2:1|2 <1,2>\n3:3|4 <3,4>\n");
      g_assert_true (tall_csv_reader_is_cut (reader));
      g_assert_cmpuint (tall_csv_reader_get_position (reader), ==, strlen ("a,b\n1,2\n3,4\n"));
      must (tall_csv_reader_rewind (reader, &error));
      g_assert_false (tall_csv_reader_is_cut (reader));
    }
  tall_csv_reader_set_limit (reader, 4);
  g_autofree char *all = read_rows (reader);
  g_assert_cmpstr (all, ==, "2:1|2 <1,2>\n3:3|4 <3,4>\n4:5|6 <5,6>\n");
  g_assert_false (tall_csv_reader_is_cut (reader));
}

static void
test_packed (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (packings); i++)
    {
      g_test_message ("%s", packings[i].name);
      g_autoptr (GBytes) whole = packings[i].compress (TEXT, strlen (TEXT));
      g_autoptr (GBytes) head = packings[i].compress (TEXT, 7);
      g_autoptr (GBytes) empty = packings[i].compress ("", 0);
      g_autoptr (GBytes) tail = packings[i].compress (&TEXT[7], strlen (TEXT) - 7);
      assert_rows (g_bytes_get_data (whole, NULL), g_bytes_get_size (whole), NULL, ROWS);

      g_autoptr (GByteArray) members = g_byte_array_new ();
      append (members, head);
      append (members, empty);
      append (members, tail);
      assert_rows (members->data, members->len, NULL, ROWS);
      g_byte_array_append (members, (const guint8 *)"\0\0\0\0\0\0", 6);
      assert_rows (members->data, members->len, NULL, ROWS);
    }
}

/* What is said of a file, whether it is refused at once or while it is read. */
static char *
describe_failure (const guint8 *data, gsize len)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallCsvReader) reader = open_bytes (data, len, NULL, &error);
  if (reader == NULL)
    return g_strdup (error->message);
  g_autofree char *rows = read_rows (reader);
  const char *failed = strstr (rows, "failed: ");
  g_assert_nonnull (failed);
  return g_strdup (failed);
}

static char *
make_long_text (guint rows)
{
  g_autoptr (GString) text = g_string_new ("a,b\n");
  for (guint i = 0; i < rows; i++)
    g_string_append_printf (text, "%u,%x\n", i, i * 2654435761u);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Wherever a compressed file is cut, or damaged in the middle, it is an error and no shorter file.
 */
static void
test_cut_and_damaged (void)
{
  g_autofree char *text = make_long_text (500);
  for (guint i = 0; i < G_N_ELEMENTS (packings); i++)
    {
      g_autoptr (GBytes) packed = packings[i].compress (text, strlen (text));
      gsize len;
      const guint8 *data = g_bytes_get_data (packed, &len);
      for (gsize cut = 4; cut < len; cut += MAX (1, MIN (97, len - cut - 9)))
        {
          g_test_message ("%s cut at %" G_GSIZE_FORMAT, packings[i].name, cut);
          g_autofree char *failure = describe_failure (data, cut);
          g_autofree char *place = g_strdup_printf ("at byte %" G_GSIZE_FORMAT, cut);
          g_assert_nonnull (strstr (failure, "ends too early; the file was cut off"));
          g_assert_nonnull (strstr (failure, place));
        }
      g_autofree guint8 *damaged = g_memdup2 (data, len);
      damaged[len - 2] ^= 0x10;
      g_autofree char *sum = describe_failure (damaged, len);
      g_autofree char *bytes =
          g_strdup_printf (", at byte 0: the %s data of the next %" G_GSIZE_FORMAT
                           " bytes cannot be unpacked: ",
                           packings[i].name, len);
      g_assert_nonnull (strstr (sum, bytes));
      g_assert_null (strstr (sum, "After line")); /* so small a file is unpacked at once */
      damaged[len - 2] ^= 0x10;
      for (guint k = 0; k < 8; k++)
        damaged[len / 2 + k] ^= 0xa5;
      g_autofree char *middle = describe_failure (damaged, len);
      g_assert_nonnull (strstr (middle, "cannot be unpacked"));

      g_autoptr (GByteArray) more = g_byte_array_new ();
      append (more, packed);
      g_byte_array_append (more, (const guint8 *)"\0x,y\n", 5);
      g_autofree char *appended = describe_failure (more->data, more->len);
      g_assert_nonnull (strstr (appended, "comes something else"));
    }
}

/* The rows before the place where a file is cut are handed over, and the error names the last. */
static void
test_place_of_cut (void)
{
  g_autofree char *text = make_long_text (200 * 1000);
  g_autoptr (GBytes) packed = compress_gzip (text, strlen (text));
  g_autoptr (GError) error = NULL;
  gsize len = g_bytes_get_size (packed) - 1;
  g_autoptr (TallCsvReader) reader =
      open_bytes (g_bytes_get_data (packed, NULL), len, NULL, &error);
  TallCsvRow row;
  TallCsvStep step;
  guint64 line = 0;
  while ((step = tall_csv_reader_next (reader, &row, &error)) == TALL_CSV_ROW)
    line = row.line;
  g_assert_cmpint (step, ==, TALL_CSV_FAILED);
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_autofree char *place = g_strdup_printf ("After line %" G_GUINT64_FORMAT ": ", line);
  g_assert_true (g_str_has_prefix (error->message, place));
}

static guint64
read_peak (void)
{
  g_autofree char *status = NULL;
  g_assert_true (g_file_get_contents ("/proc/self/status", &status, NULL, NULL));
  const char *peak = strstr (status, "VmHWM:");
  return g_ascii_strtoull (peak + strlen ("VmHWM:"), NULL, 10) * 1024;
}

/* A small file that unpacks to very much costs its rows, and no memory. */
static void
test_bomb (void)
{
  gsize size = 256 * 1024 * 1024;
  for (guint i = 0; i < G_N_ELEMENTS (packings); i++)
    {
      g_autoptr (GBytes) head = packings[i].compress ("a,b\n1,2\n", 8);
      g_autofree guint8 *zeros = g_malloc0 (size / 64);
      g_autoptr (GBytes) bomb = packings[i].compress (zeros, size / 64);
      g_autoptr (GByteArray) all = g_byte_array_new ();
      append (all, head);
      for (guint n = 0; n < 64; n++)
        append (all, bomb);
      guint64 before = read_peak ();
      g_autoptr (GError) error = NULL;
      g_autoptr (TallCsvReader) reader = open_bytes (all->data, all->len, NULL, &error);
      g_autofree char *rows = read_rows (reader);
      g_assert_true (g_str_has_prefix (rows, "2:1|2 <1,2>\n3!-1 the row is longer than"));
      g_assert_cmpuint (read_peak () - before, <, 32 * 1024 * 1024);
    }
}

/* A window that needs very much memory is refused, with what helps. */
static void
test_wide_window (void)
{
  static const guint8 frame[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa0, 0x01, 0x00, 0x00 };
  g_autofree char *failure = describe_failure (frame, sizeof frame);
  g_assert_nonnull (strstr (failure, "zstdcat --long=31"));
}

/* Frames that carry no data may stand before and between others. */
static void
test_skippable_frame (void)
{
  g_autoptr (GByteArray) all = g_byte_array_new ();
  g_autoptr (GBytes) packed = compress_zstd (TEXT, strlen (TEXT));
  g_byte_array_append (all, (const guint8 *)"\x53\x2a\x4d\x18\x02\0\0\0??", 10);
  append (all, packed);
  assert_rows (all->data, all->len, NULL, ROWS);
}

/* Gives the bytes through a pipe, a few at a time. */
static gpointer
feed (gpointer data)
{
  GByteArray *all = ((gpointer *)data)[0];
  int fd = GPOINTER_TO_INT (((gpointer *)data)[1]);
  for (guint at = 0; at < all->len; at++)
    g_assert_cmpint (write (fd, all->data + at, 1), ==, 1);
  close (fd);
  return NULL;
}

static void
test_pipe (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (packings); i++)
    {
      g_autoptr (GByteArray) all = g_byte_array_new ();
      g_autoptr (GBytes) packed = packings[i].compress (TEXT, strlen (TEXT));
      append (all, packed);
      int ends[2];
      g_assert_cmpint (pipe (ends), ==, 0);
      gpointer fed[] = { all, GINT_TO_POINTER (ends[1]) };
      GThread *feeder = g_thread_new ("feed", feed, fed);
      g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", ends[0]);
      g_autoptr (TallCsvReader) reader = must (
          tall_csv_reader_open (path, &(TallCsvDialect){ ',', NULL }, TALL_CSV_MAX_ROW, &error));
      close (ends[0]);
      must (tall_csv_reader_keep (reader, g_get_tmp_dir (), &error));
      g_autofree char *first = read_rows (reader);
      g_thread_join (feeder);
      must (tall_csv_reader_rewind (reader, &error));
      g_autofree char *second = read_rows (reader);
      g_assert_cmpstr (first, ==, ROWS);
      g_assert_cmpstr (second, ==, ROWS);
      g_assert_cmpuint (tall_csv_reader_get_size (reader), ==, all->len);
    }
}

static void
test_encodings (void)
{
  static const struct
  {
    const char *encoding;
    const char *text;
    gsize len;
    const char *rows;
  } cases[] = {
    { "ISO-8859-1", "a,b\n1,\xe4\xa3\n", 9, "2:1|ä£ <1,ä£>\n" },
    { "iso-8859-15", "a,b\n1,\xa4\n", 8, "2:1|€ <1,€>\n" },
    { "windows-1252", "a,b\n1,\x80\n", 8, "2:1|€ <1,€>\n" },
    { "UTF-8", "a,b\n1,\xc3\xa4\n", 9, "2:1|ä <1,ä>\n" },
    { "UTF-8", "\n\n\"a\nx\",b\n1,2\n", 14, "5:1|2 <1,2>\n" },
    { "UTF-16LE", "a\0,\0b\0\n\0001\0,\0\xe4\0\n\0", 16, "2:1|ä <1,ä>\n" },
    { "UTF-16", "\xfe\xff\0a\0,\0b\0\n\0001\0,\0\xe4\0\n", 18, "2:1|ä <1,ä>\n" },
    { "UTF-16",
      "\xff\xfe"
      "a\0,\0b\0\n\0001\0,\0\xe4\0\n\0",
      18, "2:1|ä <1,ä>\n" },
    { "UTF-16LE",
      "\xff\xfe"
      "a\0,\0b\0\n\0001\0,\0\xe4\0\n\0",
      18, "2:1|ä <1,ä>\n" },
    { "SHIFT_JIS", "a,b\n1,\x83\x5c\n", 9, "2:1|ソ <1,ソ>\n" },
    { "windows-1252", "a,b\n1,\xe4\x81\n2,3\n", 13,
      "2!1 is not windows-1252: byte 0x81 at character 2; if the file has another encoding, name "
      "that in the mapping <1,ä\x81>\n3:2|3 <2,3>\n" },
    { "US-ASCII", "a,b\n1,\xc3\xa4\n", 9,
      "2!1 is not US-ASCII: byte 0xc3 at character 1; if the file has another encoding, name that "
      "in the mapping <1,\xc3\xa4>\n" },
    { "windows-1252", "a,b\n1,\x81", 7,
      "2!1 is not windows-1252: byte 0x81 at character 1; if the file has another encoding, name "
      "that in the mapping <1,\x81>\n" },
    { "windows-1252", "a,b\n\x81\n", 6, "2!-1 has 1 field where the header has 2 <\x81>\n" },
    /* Half of a pair, whose second byte would be a quote; the next character is read well. */
    { "UTF-16LE", "a\0,\0b\0\n\0001\0,\0\x22\xdc\n\0002\0,\0003\0", 22,
      "2!1 is not UTF-16LE: byte 0x22 at character 1; if the file has another encoding, name that "
      "in the mapping <1,\xff\xdc>\n3:2|3 <2,3>\n" },
    /* Cut in the middle of a character. */
    { "UTF-16LE", "a\0,\0b\0\n\0001\0,\0002", 13,
      "2!1 is not UTF-16LE: byte 0x32 at character 1; if the file has another encoding, name that "
      "in the mapping <1,\xff>\n" },
    { "UTF-16LE", "a\0,\0b\0\n\0001\0,\0\0\0", 14, "2!1 holds a NUL byte <1,>\n" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%u: %s", i, cases[i].encoding);
      assert_rows (cases[i].text, cases[i].len, cases[i].encoding, cases[i].rows);
    }
}

/* Every byte of a character falls on the border of two reads at some length. */
static void
test_borders (void)
{
  for (guint pad = 0; pad < 8; pad++)
    {
      g_autoptr (GString) text = g_string_new ("a,b\n");
      while (text->len < 128 * 1024 - 4 + pad)
        g_string_append (text, text->len % 2 == 0 ? "1,ソ\n" : "2,é\n");
      gsize len;
      g_autofree char *foreign =
          g_convert (text->str, (gssize)text->len, "UTF-16LE", "UTF-8", NULL, &len, NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (TallCsvReader) plain = open_bytes (text->str, text->len, NULL, &error);
      g_autoptr (TallCsvReader) reader = must (open_bytes (foreign, len, "UTF-16LE", &error));
      g_autofree char *expected = read_rows (plain);
      g_autofree char *rows = read_rows (reader);
      g_assert_cmpstr (rows, ==, expected);
    }
}

/* A file compressed and of another encoding. */
static void
test_both (void)
{
  static const char text[] = "a,b\n1,\xe4\n2,\x81\n";
  g_autoptr (GBytes) packed = compress_zstd (text, strlen (text));
  assert_rows (g_bytes_get_data (packed, NULL), g_bytes_get_size (packed), "WINDOWS-1252",
               "2:1|ä <1,ä>\n3!1 is not WINDOWS-1252: byte 0x81 at character 1; if the file has "
               "another encoding, name that in the mapping <2,\x81>\n");
}

static void
test_wrong_encoding (void)
{
  static const struct
  {
    const char *text;
    const char *encoding;
    const char *what;
  } cases[] = {
    { "\xef\xbb\xbf"
      "a,b\n",
      "ISO-8859-1",
      "begins with the mark of UTF-8, and is not ISO-8859-1; leave out encoding = ISO-8859-1" },
    { "a,b\n", "KLINGON-1", "there is no encoding “KLINGON-1”" },
    { "\xff\xfe"
      "a",
      NULL, "is UTF-16, not a CSV text in UTF-8; name it in the mapping: encoding = UTF-16" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      must_fail (open_bytes (cases[i].text, strlen (cases[i].text), cases[i].encoding, &error),
                 TALL_ERROR_INVALID, cases[i].what);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load/csv-input/limit", test_limit);
  g_test_add_func ("/load/csv-input/packed", test_packed);
  g_test_add_func ("/load/csv-input/cut-and-damaged", test_cut_and_damaged);
  g_test_add_func ("/load/csv-input/place-of-cut", test_place_of_cut);
  g_test_add_func ("/load/csv-input/bomb", test_bomb);
  g_test_add_func ("/load/csv-input/wide-window", test_wide_window);
  g_test_add_func ("/load/csv-input/skippable-frame", test_skippable_frame);
  g_test_add_func ("/load/csv-input/pipe", test_pipe);
  g_test_add_func ("/load/csv-input/encodings", test_encodings);
  g_test_add_func ("/load/csv-input/borders", test_borders);
  g_test_add_func ("/load/csv-input/both", test_both);
  g_test_add_func ("/load/csv-input/wrong-encoding", test_wrong_encoding);
  return g_test_run ();
}
