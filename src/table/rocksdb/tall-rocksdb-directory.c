/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-rocksdb-directory.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "tall-error.h"

#define MARKER_TEXT "tallorder embedded store, format "

static gboolean
check_marker (const char *directory, const char *text, GError **error)
{
  guint64 format = 0;
  g_autofree char *number = NULL;
  if (g_str_has_prefix (text, MARKER_TEXT))
    number = g_strchomp (g_strdup (text + strlen (MARKER_TEXT)));

  if (number == NULL || !g_ascii_string_to_unsigned (number, 10, 1, G_MAXUINT32, &format, NULL))
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
                   "%s/" TALL_DIRECTORY_MARKER
                   " does not say which format the store has: restore it from a backup, or write "
                   "this line into it: " MARKER_TEXT "%d",
                   directory, TALL_DIRECTORY_FORMAT);
      return FALSE;
    }
  if (format > TALL_DIRECTORY_FORMAT)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_NEWER_VERSION,
                   "The store in %s has format %" G_GUINT64_FORMAT
                   ", this version knows formats up to %d: use a newer tallorder",
                   directory, format, TALL_DIRECTORY_FORMAT);
      return FALSE;
    }
  return TRUE;
}

static gboolean
check_empty (const char *directory, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autoptr (GDir) dir = g_dir_open (directory, 0, &local);
  if (dir == NULL)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "%s can not be read: %s", directory,
                   local->message);
      return FALSE;
    }
  const char *name = g_dir_read_name (dir);
  if (name == NULL)
    return TRUE;

  g_autofree char *current = g_build_filename (directory, "CURRENT", NULL);
  if (g_file_test (current, G_FILE_TEST_EXISTS))
    tall_error_set_invalid (error, "directory",
                            "%s has a database but no file " TALL_DIRECTORY_MARKER
                            ": name another directory if it is another program's. If it is a store "
                            "of tallorder that lost the file, write this line into it: " MARKER_TEXT
                            "%d",
                            directory, TALL_DIRECTORY_FORMAT);
  else
    tall_error_set_invalid (error, "directory",
                            "%s is no store of tallorder, and not empty (%s): name another "
                            "directory",
                            directory, name);
  return FALSE;
}

static gboolean
create (const char *directory, const char *marker, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autofree char *text = g_strdup_printf (MARKER_TEXT "%d\n", TALL_DIRECTORY_FORMAT);

  if (!check_empty (directory, error))
    return FALSE;
  if (g_file_set_contents_full (marker, text, -1,
                                G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0600,
                                &local))
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
               "%s can not be written: %s; choose a directory that this user may write", directory,
               local->message);
  return FALSE;
}

static gboolean
make_directory (const char *directory, gboolean must_exist, GError **error)
{
  if (g_file_test (directory, G_FILE_TEST_IS_DIR))
    return TRUE;
  if (must_exist && !g_file_test (directory, G_FILE_TEST_EXISTS))
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND,
                   "There is no store in %s: create one by `tallorder init`", directory);
      return FALSE;
    }
  if (g_file_test (directory, G_FILE_TEST_EXISTS))
    {
      tall_error_set_invalid (
          error, "directory",
          "%s is a file; give a directory: that of a store, or a new one for `tallorder init`",
          directory);
      return FALSE;
    }
  if (g_mkdir (directory, 0700) == 0)
    return TRUE;
  int code = errno;
  g_autofree char *parent = g_path_get_dirname (directory);
  if (code == ENOENT)
    g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                 "Directory %s can not be created: there is no %s. Create that first, or correct "
                 "the path",
                 directory, parent);
  else
    g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "Directory %s can not be created: %s",
                 directory, g_strerror (code));
  return FALSE;
}

/**
 * tall_rocksdb_directory_prepare:
 * @directory: where the store is or shall be
 * @must_exist: whether there has to be a store
 *
 * Makes sure that a directory is a store of ours or an empty one that becomes it, before RocksDB
 * touches it: opening another program's database might change it.
 *
 * Returns: FALSE with %TALL_ERROR_NOT_FOUND if there is no store and there has to be,
 *   %TALL_ERROR_INVALID if there is something else, %TALL_ERROR_UNAVAILABLE if it can not be read
 * or written, %TALL_ERROR_NEWER_VERSION, %TALL_ERROR_DAMAGED
 */
gboolean
tall_rocksdb_directory_prepare (const char *directory, gboolean must_exist, GError **error)
{
  if (!make_directory (directory, must_exist, error))
    return FALSE;

  g_autoptr (GError) local = NULL;
  g_autofree char *text = NULL;
  g_autofree char *marker = g_build_filename (directory, TALL_DIRECTORY_MARKER, NULL);
  if (g_file_get_contents (marker, &text, NULL, &local))
    {
      if (!check_marker (directory, text, error))
        return FALSE;
      if (access (directory, W_OK | X_OK) == 0)
        return TRUE;
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                   "The store in %s can not be written by this user", directory);
      return FALSE;
    }
  if (!g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "%s can not be read: %s", marker,
                   local->message);
      return FALSE;
    }
  if (!must_exist)
    return create (directory, marker, error);
  if (check_empty (directory, error))
    g_set_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND,
                 "There is no store in %s: create one by `tallorder init`", directory);
  return FALSE;
}
