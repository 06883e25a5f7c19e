/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/check.h"

#include <glib/gstdio.h>
#include <stdarg.h>

#include "tall-error.h"
#include "table/rocksdb/log.h"

#define CURRENT "CURRENT"
#define MANIFEST "MANIFEST-"

/* A look at one directory. */
typedef struct
{
  const char *directory;
  TallRocksdbProof proof;
  gboolean has_proof;
  guint64 tables;  /* the last write that the MANIFEST says to be in tables */
  guint64 covered; /* the last write before the first that is missing, so far */
  GPtrArray *lost; /* of texts; owned by the caller */
} Look;

static gboolean set_damaged (const Look *look, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static gboolean
set_damaged (const Look *look, GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_autofree char *detail = g_strdup_printf ("%s: found before RocksDB opened it", look->directory);
  tall_error_set_detailed (error, TALL_ERROR_DAMAGED, detail,
                           "Opening the store: it is damaged, and nothing was changed: %s", what);
  return FALSE;
}

static GMappedFile *
map_file (const Look *look, const char *name, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autofree char *path = g_build_filename (look->directory, name, NULL);
  GMappedFile *file = g_mapped_file_new (path, FALSE, &local);
  if (file != NULL)
    return file;
  if (g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    set_damaged (look, error, "%s is missing. Restore the store from a backup", name);
  else
    tall_error_set_detailed (error, TALL_ERROR_UNAVAILABLE, local->message,
                             g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_ACCES)
                                 ? "Opening the store: %s can not be read by this user: give all "
                                   "files of the store to the user that runs this (`chown -R`)"
                                 : "Opening the store: %s can not be read: check its file system",
                             name);
  return NULL;
}

static TallSlice
get_content (GMappedFile *file)
{
  return tall_slice (g_mapped_file_get_contents (file), g_mapped_file_get_length (file));
}

/* The number of a file of the form @before, digits, @after. */
static gboolean
parse_name (const char *name, const char *before, const char *after, guint64 *number)
{
  if (!g_str_has_prefix (name, before) || !g_str_has_suffix (name, after)
      || strlen (name) <= strlen (before) + strlen (after))
    return FALSE;
  gsize len = strlen (name) - strlen (before) - strlen (after);
  g_autofree char *digits = g_strndup (name + strlen (before), len);
  return g_ascii_string_to_unsigned (digits, 10, 0, G_MAXUINT64, number, NULL);
}

static gboolean
set_no_current (const Look *look, const char *what, GError **error)
{
  if (!look->has_proof)
    return set_damaged (look, error, CURRENT " %s. Restore the store from a backup", what);
  return set_damaged (look, error,
                      CURRENT " %s. Write this line into it: " MANIFEST "%06" G_GUINT64_FORMAT
                              ". If there is no such file, restore the store from a backup",
                      what, look->proof.manifest);
}

/* The name of the MANIFEST and its number. */
static char *
read_current (const Look *look, guint64 *number, GError **error)
{
  g_autoptr (GMappedFile) file = map_file (look, CURRENT, error);
  if (file == NULL)
    return NULL;
  TallSlice text = get_content (file);
  g_autofree char *name = g_strndup (text.len > 0 ? (const char *)text.data : "", text.len);
  gsize len = strlen (name);
  if (len > 0 && name[len - 1] == '\n')
    name[len - 1] = '\0';
  if (len > 0 && len == text.len && parse_name (name, MANIFEST, "", number))
    return g_steal_pointer (&name);
  set_no_current (look, "names no " MANIFEST " file", error);
  return NULL;
}

/* Reads the whole records of the MANIFEST. Records of a group count when its last one is there. */
static gboolean
read_manifest (Look *look, const char *name, TallRocksdbLog *log, GError **error)
{
  TallSlice record;
  guint64 tables = 0;
  guint32 more;
  while (tall_rocksdb_log_next (log, &record))
    {
      tables = MAX (tables, tall_rocksdb_log_parse_edit (record, &more));
      if (more == 0)
        look->tables = tables;
    }
  gsize end = log->at;
  if (end == 0 || tall_rocksdb_log_skip (log))
    return set_damaged (look, error,
                        "%s is not whole at byte %" G_GSIZE_FORMAT
                        ". Restore the store from a backup",
                        name, end);
  if (end < log->data.len)
    g_ptr_array_add (look->lost, g_strdup_printf ("%" G_GSIZE_FORMAT " bytes at the end of %s, a "
                                                  "change of tables that had not come to its end",
                                                  log->data.len - end, name));
  return TRUE;
}

/* The one that was in use last may be another one. */
static gboolean
check_is_there (const Look *look, const char *name, guint64 number, GError **error)
{
  g_autofree char *path = g_build_filename (look->directory, name, NULL);
  if (number == look->proof.manifest || g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  g_autofree char *what = g_strdup_printf ("names %s, which is missing", name);
  return set_no_current (look, what, error);
}

static gboolean
check_manifest (Look *look, GError **error)
{
  guint64 number;
  g_autofree char *name = read_current (look, &number, error);
  if (name == NULL || !check_is_there (look, name, number, error))
    return FALSE;
  g_autoptr (GMappedFile) file = map_file (look, name, error);
  if (file == NULL)
    return FALSE;
  g_auto (TallRocksdbLog) log = TALL_ROCKSDB_LOG_INIT (get_content (file));
  if (!read_manifest (look, name, &log, error))
    return FALSE;

  if (number < look->proof.manifest)
    return set_damaged (look, error,
                        CURRENT " names %s, but a later one was in use. Restore the "
                                "store from a backup",
                        name);
  if (number == look->proof.manifest && log.at < look->proof.manifest_len)
    return set_damaged (look, error,
                        "%s ends at byte %" G_GSIZE_FORMAT ", but has had %" G_GUINT64_FORMAT
                        ". Restore the store from a backup",
                        name, log.at, look->proof.manifest_len);
  look->covered = look->tables;
  if (number == look->proof.manifest)
    look->covered = MAX (look->covered, look->proof.base);
  return TRUE;
}

/* Something of the log that must be there is not. */
static gboolean
set_log_damaged (const Look *look, const char *name, gsize at, const char *what, GError **error)
{
  return set_damaged (
      look, error,
      "%s %s. Every write up to number %" G_GUINT64_FORMAT " is there, but acknowledged ones after "
      "it are not. Restore the store from a backup. To give up what was written after number "
      "%" G_GUINT64_FORMAT
      " instead, copy the directory of the store, cd into the copy and run: truncate "
      "-s %" G_GSIZE_FORMAT " %s; rm -f " TALL_ROCKSDB_SYNCED,
      name, what, look->covered, look->covered, at, name);
}

/* Reads one log. Its writes must go on where those before it end; those that are in tables already
 * may be damaged or missing. */
static gboolean
check_log (Look *look, const char *name, TallRocksdbLog *log, gboolean *begun, GError **error)
{
  TallSlice record;
  gsize whole = 0;
  gboolean skipped = FALSE;
  for (;;)
    {
      gsize at = log->at;
      if (!tall_rocksdb_log_next (log, &record))
        {
          skipped = tall_rocksdb_log_skip (log);
          if (!skipped)
            break;
          continue;
        }
      TallRocksdbSpan span = tall_rocksdb_log_parse_writes (record);
      if (span.n == 0)
        {
          /* RocksDB begins a log so when it dropped the end of the one before. */
          whole = skipped ? whole : log->at;
          continue;
        }
      if (!look->has_proof && !*begun && !skipped)
        look->covered = MAX (look->covered, span.first - 1); /* an older version may leave a gap */
      *begun = TRUE;
      if (span.first > look->covered + 1)
        return set_log_damaged (look, name, skipped ? whole : at,
                                skipped ? "is damaged before later writes"
                                        : "does not go on where the writes before it end",
                                error);
      look->covered = MAX (look->covered, span.first + span.n - 1);
      whole = log->at;
      skipped = FALSE;
    }
  if (whole < log->data.len)
    g_ptr_array_add (look->lost,
                     g_strdup_printf ("%" G_GSIZE_FORMAT " bytes at the end of %s, from byte "
                                      "%" G_GSIZE_FORMAT " on, after write %" G_GUINT64_FORMAT "%s",
                                      log->data.len - whole, name, whole, look->covered,
                                      look->has_proof
                                          ? "; nothing that was acknowledged as synced is in them"
                                          : "; whether they had an acknowledged write is not "
                                            "known, as an older version wrote them"));
  return TRUE;
}

static int
compare_logs (gconstpointer a, gconstpointer b)
{
  const char *x = *(const char *const *)a;
  const char *y = *(const char *const *)b;
  guint64 m = g_ascii_strtoull (x, NULL, 10);
  guint64 n = g_ascii_strtoull (y, NULL, 10);
  return (m > n) - (m < n);
}

/* Names of files of RocksDB: logs in their order, and whether there are others that a database has
 * only after it was made. */
static GPtrArray *
list_files (const Look *look, gboolean *others, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autoptr (GDir) dir = g_dir_open (look->directory, 0, &local);
  g_autoptr (GPtrArray) logs = g_ptr_array_new_with_free_func (g_free);
  const char *name;
  guint64 number;
  *others = FALSE;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (parse_name (name, "", ".log", &number))
      g_ptr_array_add (logs, g_strdup (name));
    else if (parse_name (name, "", ".sst", &number)
             || (parse_name (name, MANIFEST, "", &number) && number > 1))
      *others = TRUE;
  g_ptr_array_sort (logs, compare_logs);
  if (dir != NULL)
    return g_steal_pointer (&logs);
  tall_error_set_detailed (error, TALL_ERROR_UNAVAILABLE, local->message,
                           "Opening the store: its directory can not be read");
  return NULL;
}

static gboolean
check_logs (Look *look, GPtrArray *logs, GError **error)
{
  gboolean begun = FALSE;
  gsize at = 0;
  for (guint i = 0; i < logs->len; i++)
    {
      const char *name = g_ptr_array_index (logs, i);
      g_autoptr (GMappedFile) file = map_file (look, name, error);
      if (file == NULL)
        return FALSE;
      g_auto (TallRocksdbLog) log = TALL_ROCKSDB_LOG_INIT (get_content (file));
      if (!check_log (look, name, &log, &begun, error))
        return FALSE;
      at = log.at;
    }
  if (look->covered >= look->proof.synced)
    return TRUE;
  if (logs->len > 0)
    return set_log_damaged (look, g_ptr_array_index (logs, logs->len - 1), at,
                            "ends before the last acknowledged write", error);
  return set_damaged (look, error,
                      "the log is missing: every write up to number %" G_GUINT64_FORMAT
                      " is there, but acknowledged ones after it are not. Restore the store from a "
                      "backup; or, to give those up, remove " TALL_ROCKSDB_SYNCED
                      " on a copy of it",
                      look->covered);
}

/**
 * tall_rocksdb_check_directory:
 * @check: (out caller-allocates): what was found; to be cleared in any case
 *
 * Looks at CURRENT, the MANIFEST and the logs, before RocksDB does: RocksDB takes what is not whole
 * for the end of a file, drops what comes after it, and goes on.
 *
 * RocksDB numbers all writes of all tables without a gap, and the tables of a store are flushed
 * together. So the MANIFEST says up to which write all is in tables, the logs have those after it,
 * and together they have to reach the last write that was acknowledged as synced (SYNCED). A
 * missing or shortened file, a record that is damaged before others, and one that looks like the
 * end of the file are all the same: a number that is missing.
 *
 * Nothing is written.
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED if acknowledged writes are missing or the files make no
 *   sense; %TALL_ERROR_UNAVAILABLE if they can not be read; %TALL_ERROR_NEWER_VERSION
 */
gboolean
tall_rocksdb_check_directory (const char *directory, TallRocksdbCheck *check, GError **error)
{
  *check = (TallRocksdbCheck){ .lost = g_ptr_array_new_with_free_func (g_free) };
  Look look = { .directory = directory, .lost = check->lost };
  if (!tall_rocksdb_proof_load (directory, &look.proof, error))
    return FALSE;
  look.has_proof = look.proof.manifest != 0;

  gboolean others;
  g_autoptr (GPtrArray) logs = list_files (&look, &others, error);
  if (logs == NULL)
    return FALSE;
  g_autofree char *current = g_build_filename (directory, CURRENT, NULL);
  check->exists = g_file_test (current, G_FILE_TEST_EXISTS);
  if (!check->exists && (others || look.has_proof || logs->len > 0))
    return set_no_current (&look, "is missing", error);
  if (!check->exists)
    return TRUE;
  if (!check_manifest (&look, error) || !check_logs (&look, logs, error))
    return FALSE;
  check->covered = look.covered;
  return TRUE;
}

void
tall_rocksdb_check_clear (TallRocksdbCheck *self)
{
  g_clear_pointer (&self->lost, g_ptr_array_unref);
}

/**
 * tall_rocksdb_check_opened:
 * @last: the number of the last write that RocksDB found
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED if it found less than tall_rocksdb_check_directory()
 */
gboolean
tall_rocksdb_check_opened (const char *directory,
                           const TallRocksdbCheck *check,
                           guint64 last,
                           GError **error)
{
  if (last >= check->covered)
    return TRUE;
  tall_error_set_detailed (error, TALL_ERROR_DAMAGED, directory,
                           "Opening the store: it is damaged: of %" G_GUINT64_FORMAT
                           " writes, RocksDB found the first %" G_GUINT64_FORMAT
                           " only. Restore the store from a backup",
                           check->covered, last);
  return FALSE;
}

/**
 * tall_rocksdb_check_measure_manifest:
 *
 * To be called while nothing is added to it.
 *
 * Returns: FALSE if the MANIFEST of a store that is open can not be read
 */
gboolean
tall_rocksdb_check_measure_manifest (const char *directory,
                                     guint64 *number,
                                     guint64 *len,
                                     GError **error)
{
  Look look = { .directory = directory };
  g_autofree char *name = read_current (&look, number, error);
  g_autoptr (GMappedFile) file = name == NULL ? NULL : map_file (&look, name, error);
  if (file == NULL)
    return FALSE;
  g_auto (TallRocksdbLog) log = TALL_ROCKSDB_LOG_INIT (get_content (file));
  TallSlice record;
  while (tall_rocksdb_log_next (&log, &record))
    continue;
  *len = log.at;
  return TRUE;
}
