/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "load/orders/grouper.h"
#include "tall-must.h"

#include <sys/mman.h>
#include <unistd.h>

#define MAX_ROW 256

static const char map[] = "[order]\ncustomer_number=C\norder_number=O\nsales_date=D\n"
                          "[location]\nnumber=L\n[line]\nquantity=Q\n";
static const char *const encodings[] = { NULL, "ISO-8859-1", "WINDOWS-1252", "UTF-16",
                                         "SHIFT_JIS" };

static void
count_rows (TallLoadItem *taken, gpointer data)
{
  g_autoptr (TallLoadItem) item = taken;
  *(guint64 *)data += tall_load_item_count_rows (item);
}

static TallCsvReader *
open_bytes (const uint8_t *data, size_t size, const char *encoding)
{
  g_autoptr (GError) error = NULL;
  int fd = memfd_create ("csv", MFD_CLOEXEC);
  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (write (fd, data, size), ==, size);
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", fd);
  TallCsvDialect dialect = { .delimiter = ',', .encoding = encoding };
  TallCsvReader *reader = tall_csv_reader_open (path, &dialect, MAX_ROW, &error);
  g_assert_cmpint (reader == NULL, ==, error != NULL);
  close (fd);
  return reader;
}

/* Groups what can be read of a file, which may end in the middle. Returns how many rows were read;
 * each is stored or rejected. */
static guint64
group_rows (const TallLoadFiles *files, TallSurvey *survey)
{
  TallCsvReader *reader = tall_load_files_get (files, 0)->reader;
  g_autoptr (GError) error = NULL;
  g_autoptr (TallRejects) rejects = must (tall_rejects_new (NULL, &error));
  guint64 stored = 0, rows = 0;
  const TallSpoolPlace place = { .folder = g_get_tmp_dir () };
  g_autoptr (TallGrouper) grouper =
      tall_grouper_new (files, survey, &place, rejects, count_rows, &stored);
  TallCsvRow row;
  TallCsvStep step;
  for (; (step = tall_csv_reader_next (reader, &row, &error)) == TALL_CSV_ROW; rows++)
    {
      for (guint i = 0; i < row.n_fields && row.reason == NULL; i++)
        g_assert_true (g_utf8_validate (row.fields[i], -1, NULL));
      must (tall_grouper_push (grouper, &row, &error));
    }
  g_assert_cmpint (step == TALL_CSV_FAILED, ==, error != NULL);
  g_assert_true (tall_grouper_finish (grouper, NULL, NULL));
  g_assert_cmpuint (rows, ==, stored + tall_rejects_get_count (rejects));
  return rows;
}

/* Any bytes as a file, after one that chooses its encoding: compressed or not, damaged or not, it
 * is refused, or every row has one end; and what was read to its end once is read to its end again.
 */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (size == 0)
    return 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (TallMapping) mapping = tall_mapping_parse ("fuzz", map, -1, &error);
  g_autoptr (TallCsvReader) reader =
      open_bytes (data + 1, size - 1, encodings[data[0] % G_N_ELEMENTS (encodings)]);
  if (reader == NULL || !tall_mapping_bind_reader (mapping, reader, NULL))
    return 0;
  g_autoptr (TallLoadFiles) files =
      tall_load_files_new_of_one (g_steal_pointer (&reader), g_steal_pointer (&mapping));
  g_autoptr (TallSurvey) survey = tall_survey_make (files, g_get_tmp_dir (), NULL, NULL, &error);
  if (survey == NULL)
    return 0;
  guint64 rows = group_rows (files, survey);
  g_assert_true (tall_survey_agrees (survey));
  TallCsvReader *again = tall_load_files_get (files, 0)->reader;
  must (tall_csv_reader_rewind (again, &error));
  TallCsvRow row;
  while (tall_csv_reader_next (again, &row, &error) == TALL_CSV_ROW)
    rows--;
  g_assert_no_error (error);
  g_assert_cmpuint (rows, ==, 0);
  return 0;
}
