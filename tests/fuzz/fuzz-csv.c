/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "load/orders/grouper.h"
#include "tall-must.h"

#include <csv.h>
#include <sys/mman.h>
#include <unistd.h>

/* Small, so that long rows come up; a read takes more than this at once. */
#define MAX_ROW 64

static const char map[] = "[order]\ncustomer_number=C\norder_number=O\nsales_date=D\n"
                          "[location]\nnumber=L\n[line]\nquantity=Q\n";
static const char header[] = "C,O,D,L,Q\n";

static void
count_rows (TallLoadItem *taken, gpointer data)
{
  g_autoptr (TallLoadItem) item = taken;
  g_assert_nonnull (item->order);
  *(guint64 *)data += tall_load_item_count_rows (item);
}

static TallCsvReader *
open_bytes (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  int fd = memfd_create ("csv", MFD_CLOEXEC);
  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (write (fd, header, strlen (header)), ==, strlen (header));
  g_assert_cmpint (write (fd, data, size), ==, size);
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", fd);
  TallCsvReader *reader = tall_csv_reader_open (path, &(TallCsvDialect){ ',' }, MAX_ROW, &error);
  g_assert_no_error (error);
  close (fd);
  return reader;
}

static void
add_field (void *data, size_t len, void *fields)
{
  g_ptr_array_add (fields, g_strndup (data, len));
}

static void
end_row (int terminator G_GNUC_UNUSED, void *fields)
{
  g_ptr_array_add (fields, NULL);
}

static int
is_space (unsigned char byte G_GNUC_UNUSED)
{
  return 0;
}

/* A good row has the fields that the CSV library finds in its text, on its own. */
static void
check_fields (const TallCsvRow *row)
{
  g_autoptr (GPtrArray) fields = g_ptr_array_new_with_free_func (g_free);
  struct csv_parser parser;
  g_assert_cmpint (csv_init (&parser, CSV_STRICT | CSV_STRICT_FINI), ==, 0);
  csv_set_space_func (&parser, is_space);
  g_assert_cmpuint (csv_parse (&parser, row->raw.data, row->raw.len, add_field, end_row, fields),
                    ==, row->raw.len);
  g_assert_cmpint (csv_fini (&parser, add_field, end_row, fields), ==, 0);
  csv_free (&parser);
  g_assert_cmpuint (fields->len, ==, row->n_fields + 1);
  for (guint i = 0; i < row->n_fields; i++)
    g_assert_cmpstr (row->fields[i], ==, g_ptr_array_index (fields, i));
}

/* A good row can be made of its text again. */
static void
check_parse (TallCsvReader *reader, const TallCsvRow *row)
{
  TallCsvRow again;
  g_autofree char *text = g_strndup ((const char *)row->raw.data, row->raw.len);
  g_autoptr (GPtrArray) fields = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < row->n_fields; i++)
    g_ptr_array_add (fields, g_strdup (row->fields[i]));
  tall_csv_reader_parse (reader, tall_slice_str (text), &again);
  g_assert_null (again.reason);
  g_assert_cmpuint (again.n_fields, ==, fields->len);
  for (guint i = 0; i < fields->len; i++)
    g_assert_cmpstr (again.fields[i], ==, g_ptr_array_index (fields, i));
}

/* Reads all rows. Returns a checksum over everything that is said of them. */
static char *
sum_rows (TallCsvReader *reader)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_MD5);
  TallCsvRow row;
  TallCsvStep step;
  guint64 line = 1;
  while ((step = tall_csv_reader_next (reader, &row, &error)) == TALL_CSV_ROW)
    {
      g_assert_cmpuint (row.line, >, line);
      g_assert_true (row.reason != NULL || row.n_fields == 5);
      g_assert_cmpint (row.reason == NULL, ==, row.kind == NULL);
      line = row.line;
      g_checksum_update (sum, (const guint8 *)&row.line, sizeof row.line);
      g_checksum_update (sum, row.raw.data, (gssize)row.raw.len);
      g_checksum_update (sum, (const guint8 *)(row.reason != NULL ? row.reason : ""), -1);
      if (row.reason != NULL)
        continue;
      check_fields (&row);
      check_parse (reader, &row);
    }
  g_assert_no_error (error);
  g_assert_cmpint (step, ==, TALL_CSV_END);
  return g_strdup (g_checksum_get_string (sum));
}

/* A file can be read twice, and gives the same then. */
static void
read_twice (TallCsvReader *reader)
{
  must (tall_csv_reader_keep (reader, g_get_tmp_dir (), &error));
  g_autofree char *first = sum_rows (reader);
  must (tall_csv_reader_rewind (reader, &error));
  g_autofree char *second = sum_rows (reader);
  g_assert_cmpstr (first, ==, second);
  must (tall_csv_reader_rewind (reader, &error));
}

/* Whatever follows the header: every row is handed over once, in order, and ends in one place. */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallMapping) mapping = tall_mapping_parse ("fuzz", map, -1, &error);
  g_autoptr (TallCsvReader) reader = open_bytes (data, size);
  must (tall_mapping_bind_reader (mapping, reader, &error));
  read_twice (reader);

  g_autoptr (TallRejects) rejects = tall_rejects_new (NULL, &error);
  g_autoptr (TallLoadFiles) files =
      tall_load_files_new_of_one (g_steal_pointer (&reader), g_steal_pointer (&mapping));
  g_autoptr (TallSurvey) survey = tall_survey_make (files, g_get_tmp_dir (), NULL, NULL, &error);
  g_assert_no_error (error);
  guint64 stored = 0;
  const TallSpoolPlace place = { .folder = g_get_tmp_dir () };
  g_autoptr (TallGrouper) grouper =
      tall_grouper_new (files, survey, &place, rejects, count_rows, &stored);
  TallCsvReader *again = tall_load_files_get (files, 0)->reader;
  TallCsvRow row;
  guint64 rows = 0;
  for (; tall_csv_reader_next (again, &row, &error) == TALL_CSV_ROW; rows++)
    g_assert_true (tall_grouper_push (grouper, &row, &error));
  g_assert_no_error (error);
  g_assert_true (tall_survey_agrees (survey));
  must (tall_grouper_finish (grouper, NULL, &error));
  g_assert_cmpuint (tall_csv_reader_get_position (again), ==, strlen (header) + size);
  g_assert_cmpuint (rows, ==, stored + tall_rejects_get_count (rejects));
  return 0;
}
