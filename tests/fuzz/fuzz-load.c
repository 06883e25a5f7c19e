/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "tall-error.h"
#include "load/store/loader.h"

#include <sys/mman.h>
#include <unistd.h>

/* A line of its own between the mapping and the files. */
#define SEPARATOR "\n---\n"
#define MAX_PARTS 6
#define MAX_ROW 256

static TallCsvReader *
open_text (const char *text, const TallCsvDialect *dialect)
{
  g_autoptr (GError) error = NULL;
  gsize len = strlen (text);
  int fd = memfd_create ("csv", MFD_CLOEXEC);
  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (write (fd, text, len), ==, len);
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", fd);
  TallCsvReader *reader = tall_csv_reader_open (path, dialect, MAX_ROW, &error);
  g_assert_cmpint (reader == NULL, ==, error != NULL);
  close (fd);
  return reader;
}

/* The i-th file of a query is table ti. Returns: FALSE if it is refused */
static gboolean
add_file (TallLoadFiles *files, guint i, const char *map, const char *text)
{
  g_autoptr (GError) error = NULL;
  gboolean is_sql = g_str_has_prefix (map, "--");
  g_autoptr (TallMapping) mapping = is_sql ? tall_mapping_parse_sql ("fuzz", map, -1, &error)
                                           : tall_mapping_parse ("fuzz", map, -1, &error);
  g_autoptr (TallCsvReader) reader = NULL;
  if (mapping == NULL || (reader = open_text (text, &mapping->dialect)) == NULL
      || !tall_csv_reader_check_data (reader, &error)
      || (!is_sql && !tall_mapping_bind_reader (mapping, reader, &error)))
    return FALSE;
  TallLoadFile *file =
      tall_load_files_add (files, g_steal_pointer (&reader), g_steal_pointer (&mapping));
  g_autofree char *name = g_strdup_printf ("t%u", i);
  file->kind_name = is_sql && i > 0 ? g_intern_string (name) : NULL;
  return TRUE;
}

static gboolean
add_files (TallLoadFiles *files, char *const *parts)
{
  for (guint i = 1; parts[i] != NULL; i++)
    if (!add_file (files, i - 1, parts[0], parts[i]))
      return FALSE;
  tall_load_files_start (files);
  return tall_load_files_count (files) > 0;
}

/* Any mapping or query with any files: they are refused, or every row of each file has one
 * end. The load itself adds that up. */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strndup ((const char *)data, size);
  g_auto (GStrv) parts = g_strsplit (text, SEPARATOR, MAX_PARTS);
  g_autoptr (TallLoadFiles) files = tall_load_files_new ();
  g_autoptr (TallQuery) query = NULL;
  if (parts[0] == NULL || !add_files (files, parts)
      || (tall_load_files_get (files, 0)->mapping->sql != NULL
          && (query = tall_query_new (files, NULL, &error)) == NULL))
    return 0;
  g_autoptr (TallRejects) rejects = tall_rejects_new (NULL, &error);
  TallLoadSummary summary;
  TallLoadOptions options = TALL_LOAD_OPTIONS_INIT;
  options.query = query;
  options.allows_bad_rows = TRUE;
  gboolean ok = tall_load (NULL, files, rejects, &options, &summary, &error);
  g_assert_cmpint (ok, ==, error == NULL);
  g_assert_false (g_error_matches (error, TALL_ERROR, TALL_ERROR_INTERNAL));
  return 0;
}
