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

/* The i-th file is of the i-th kind, if they are joined. Returns: FALSE if it is refused */
static gboolean
add_file (TallLoadFiles *files, guint i, const char *map, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallMapping) mapping = tall_mapping_parse ("fuzz", map, -1, &error);
  g_autoptr (TallCsvReader) reader = NULL;
  if (mapping == NULL || (reader = open_text (text, &mapping->dialect)) == NULL
      || !tall_csv_reader_check_data (reader, &error)
      || (mapping->files->len == 0 && !tall_mapping_bind_reader (mapping, reader, &error)))
    return FALSE;
  guint kind = mapping->files->len == 0 ? 0 : i % mapping->files->len;
  tall_load_files_add (files, g_steal_pointer (&reader), g_steal_pointer (&mapping))->kind = kind;
  return TRUE;
}

/* All files of a joined load are there. */
static TallJoin *
join (const TallLoadFiles *files)
{
  g_autoptr (GError) error = NULL;
  TallJoin *made = tall_join_new (files, &error);
  g_assert_cmpint (made == NULL, ==, error != NULL);
  return made;
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

/* Any mapping with any files, joined or not: they are refused, or every row of each file has one
 * end. The load itself adds that up. */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strndup ((const char *)data, size);
  g_auto (GStrv) parts = g_strsplit (text, SEPARATOR, MAX_PARTS);
  g_autoptr (TallLoadFiles) files = tall_load_files_new ();
  g_autoptr (TallJoin) joined = NULL;
  if (parts[0] == NULL || !add_files (files, parts)
      || (tall_load_files_get (files, 0)->mapping->files->len > 0
          && (joined = join (files)) == NULL))
    return 0;
  g_autoptr (TallRejects) rejects = tall_rejects_new (NULL, &error);
  TallLoadSummary summary;
  TallLoadOptions options = TALL_LOAD_OPTIONS_INIT;
  options.join = joined;
  gboolean ok = tall_load (NULL, files, rejects, &options, &summary, &error);
  g_assert_cmpint (ok, ==, error == NULL);
  g_assert_false (g_error_matches (error, TALL_ERROR, TALL_ERROR_INTERNAL));
  return 0;
}
