/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/sql/temp-db.h"

#include "base/fail.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <unistd.h>

/* Of all databases of the process: what a query may take at most. */
#define MAX_HEAP ((gint64)256 * 1024 * 1024)

struct _TallTempDb
{
  sqlite3_vfs vfs; /* the first, as SQLite hands over a pointer to it; a copy of … */
  sqlite3_vfs *usual;
  char *name; /* of @vfs */
  char *folder;
  GPtrArray *paths; /* of char *, that files had when they were opened */
  sqlite3 *db;
};

/* SQLite unlinks a file of this kind when it has opened it. */
static int
open_file (sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out)
{
  TallTempDb *self = (TallTempDb *)vfs;
  file->pMethods = NULL;
  if (path != NULL)
    return SQLITE_CANTOPEN;
  char *own =
      g_strdup_printf ("%s/tallorder-%08x%08x", self->folder, g_random_int (), g_random_int ());
  g_ptr_array_add (self->paths, own);
  return self->usual->xOpen (self->usual, own, file, flags | SQLITE_OPEN_DELETEONCLOSE, out);
}

static gboolean
set_no_room (const char *folder, int number, GError **error)
{
  return tall_error_fail (error, TALL_ERROR_UNAVAILABLE,
                          "Rows cannot be put aside in %s: %s. Name another folder with --spool",
                          folder, g_strerror (number));
}

/**
 * tall_temp_folder_check:
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE if no file can be made in @folder
 */
gboolean
tall_temp_folder_check (const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "tallorder-XXXXXX", NULL);
  int fd = g_mkstemp (path);
  if (fd < 0)
    return set_no_room (folder, errno, error);
  g_unlink (path);
  close (fd);
  return TRUE;
}

/* Sets the error that the database has met last. Returns: FALSE */
gboolean
tall_temp_db_set_failure (TallTempDb *self, GError **error)
{
  int code = sqlite3_errcode (self->db), number = sqlite3_system_errno (self->db);
  if (code == SQLITE_NOMEM)
    return tall_error_fail (error, TALL_ERROR_TOO_LARGE,
                            "sorting or joining takes more than %d MiB of memory",
                            (int)(MAX_HEAP / 1024 / 1024));
  if (code == SQLITE_FULL || code == SQLITE_IOERR || code == SQLITE_CANTOPEN)
    return set_no_room (self->folder, code == SQLITE_FULL || number == 0 ? ENOSPC : number, error);
  return tall_error_fail (error, TALL_ERROR_INTERNAL, "SQLite, in %s: %s", self->folder,
                          sqlite3_errmsg (self->db));
}

/* Runs statements of ours that give no rows. Returns: FALSE as tall_temp_db_set_failure() */
gboolean
tall_temp_db_run (TallTempDb *self, const char *sql, GError **error)
{
  return sqlite3_exec (self->db, sql, NULL, NULL, NULL) == SQLITE_OK
         || tall_temp_db_set_failure (self, error);
}

/* A statement of ours, which is right. */
sqlite3_stmt *
tall_temp_db_prepare (TallTempDb *self, const char *sql)
{
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2 (self->db, sql, -1, &statement, NULL) != SQLITE_OK)
    g_error ("%s: %s", sql, sqlite3_errmsg (self->db));
  return statement;
}

/* @statement: that puts values, which are bound. Returns: FALSE as tall_temp_db_set_failure() */
gboolean
tall_temp_db_put (TallTempDb *self, sqlite3_stmt *statement, GError **error)
{
  gboolean ok = sqlite3_step (statement) == SQLITE_DONE || tall_temp_db_set_failure (self, error);
  sqlite3_reset (statement);
  return ok;
}

/* @folder: (nullable): where its files go; NULL: where such files usually go. Returns: (transfer
 * full): an empty database; NULL with an error if there is no memory for it */
TallTempDb *
tall_temp_db_new (const char *folder, GError **error)
{
  g_autoptr (TallTempDb) self = g_new0 (TallTempDb, 1);
  self->usual = sqlite3_vfs_find (NULL);
  self->folder = g_strdup (folder != NULL ? folder : g_get_tmp_dir ());
  self->name = g_strdup_printf ("tallorder-%p", (void *)self);
  self->paths = g_ptr_array_new_with_free_func (g_free);
  self->vfs = *self->usual;
  self->vfs.pNext = NULL;
  self->vfs.zName = self->name;
  self->vfs.xOpen = open_file;
  self->vfs.xDlOpen = NULL;
  sqlite3_vfs_register (&self->vfs, FALSE);
  sqlite3_hard_heap_limit64 (MAX_HEAP);
  g_autofree char *settings = g_strdup_printf (
      "PRAGMA temp_store = FILE; PRAGMA cache_size = -%d; PRAGMA journal_mode = OFF; "
      "PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE",
      (int)(TALL_TEMP_DB_MEMORY / 1024));
  int code = sqlite3_open_v2 ("", &self->db,
                              SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                              self->name);
  if (code == SQLITE_OK && tall_temp_db_run (self, settings, error))
    return g_steal_pointer (&self);
  if (code != SQLITE_OK)
    tall_temp_db_set_failure (self, error);
  return NULL;
}

/* No statement may be left. */
void
tall_temp_db_free (TallTempDb *self)
{
  if (self == NULL)
    return;
  sqlite3_close_v2 (self->db);
  sqlite3_vfs_unregister (&self->vfs);
  g_ptr_array_unref (self->paths);
  g_free (self->name);
  g_free (self->folder);
  g_free (self);
}

sqlite3 *
tall_temp_db_get (TallTempDb *self)
{
  return self->db;
}
