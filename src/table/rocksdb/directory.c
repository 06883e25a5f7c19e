/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "table/rocksdb/settings.h"

#define MARKER_TEXT "tallorder embedded store, format "
#define NOT_READABLE "The store can not be read by this user: run as the one that owns it"
#define READ_ONLY                                                                                  \
  "The store's file system is mounted read-only: mount it for writing, or add `?readonly=1` to "   \
  "the address to read what is there"

static gboolean
check_marker (const char *directory, const char *text, GError **error)
{
  guint64 format = 0;
  g_autofree char *number = NULL;
  if (g_str_has_prefix (text, MARKER_TEXT))
    number = g_strchomp (g_strdup (text + strlen (MARKER_TEXT)));

  if (number == NULL || !g_ascii_string_to_unsigned (number, 10, 1, G_MAXUINT32, &format, NULL))
    return tall_error_fail_detailed (error, TALL_ERROR_DAMAGED, directory,
                                     "The store's file " TALL_DIRECTORY_MARKER
                                     " does not say which format the store has: restore it from a "
                                     "backup, or write this line into it: “" MARKER_TEXT "%d”",
                                     TALL_DIRECTORY_FORMAT);
  if (format > TALL_DIRECTORY_FORMAT)
    return tall_error_fail_detailed (error, TALL_ERROR_NEWER_VERSION, directory,
                                     "The store has format %" G_GUINT64_FORMAT
                                     ", this version knows formats up to %d: use a newer tallorder",
                                     format, TALL_DIRECTORY_FORMAT);
  return TRUE;
}

/* @reason says what the system said, with paths in it. */
static gboolean
set_unavailable (const char *directory, const char *reason, const char *message, GError **error)
{
  g_autofree char *detail = g_strdup_printf ("%s: %s", directory, reason);
  return tall_error_fail_detailed (error, TALL_ERROR_UNAVAILABLE, detail, "%s", message);
}

static gboolean
set_no_store (const char *directory, GError **error)
{
  return tall_error_fail_detailed (error, TALL_ERROR_NOT_FOUND, directory,
                                   "There is no store: create one by `tallorder init`");
}

/* Whether a file is the beginning of a marker, which an `init` that was killed has left. */
static gboolean
is_unfinished_marker (const char *name)
{
  return g_str_has_prefix (name, TALL_DIRECTORY_MARKER ".")
         && strlen (name) == strlen (TALL_DIRECTORY_MARKER ".XXXXXX");
}

static void
remove_unfinished_markers (const char *directory)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (is_unfinished_marker (name))
      {
        g_autofree char *path = g_build_filename (directory, name, NULL);
        (void)g_unlink (path);
      }
}

static gboolean
check_empty (const char *directory, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autoptr (GDir) dir = g_dir_open (directory, 0, &local);
  if (dir == NULL)
    return set_unavailable (directory, local->message, "The store's directory can not be read",
                            error);
  const char *name = g_dir_read_name (dir);
  while (name != NULL && is_unfinished_marker (name))
    name = g_dir_read_name (dir);
  if (name == NULL)
    return TRUE;

  g_autofree char *current = g_build_filename (directory, "CURRENT", NULL);
  if (g_file_test (current, G_FILE_TEST_EXISTS))
    tall_error_set_detailed (
        error, TALL_ERROR_INVALID, directory,
        "The directory has a database but no file " TALL_DIRECTORY_MARKER
        ": name another directory if it is another program's. If it is a store of tallorder that "
        "lost the file, write this line into it: “" MARKER_TEXT "%d”",
        TALL_DIRECTORY_FORMAT);
  else
    {
      g_autofree char *found = g_strdup_printf ("%s: it has %s", directory, name);
      tall_error_set_detailed (
          error, TALL_ERROR_INVALID, found,
          "The directory is not a store of tallorder, and not empty: name another directory");
    }
  return FALSE;
}

/**
 * tall_rocksdb_directory_mark:
 *
 * Writes the file that makes a directory a store.
 */
gboolean
tall_rocksdb_directory_mark (const char *directory, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autofree char *marker = g_build_filename (directory, TALL_DIRECTORY_MARKER, NULL);
  g_autofree char *text = g_strdup_printf (MARKER_TEXT "%d\n", TALL_DIRECTORY_FORMAT);

  if (g_file_set_contents_full (marker, text, -1,
                                G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0600,
                                &local))
    return TRUE;
  const char *message =
      "The store's directory can not be written; choose one that this user may write";
  if (g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_NOSPC))
    message = "The store's directory can not be written: make room on the file system of the store";
  else if (g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_ROFS))
    message = READ_ONLY;
  return set_unavailable (directory, local->message, message, error);
}

/* What is opened is written to. */
static gboolean
check_no_backup (const char *directory, GError **error)
{
  g_autofree char *path = g_build_filename (directory, TALL_DIRECTORY_BACKUP, NULL);
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  return tall_error_fail_detailed (
      error, TALL_ERROR_INVALID, directory,
      "This is a backup, which is never changed: make a store of it by `tallorder restore`, or add "
      "`?readonly=1` to the address to read it");
}

static gboolean
make_directory (const char *directory, gboolean must_exist, GError **error)
{
  if (g_file_test (directory, G_FILE_TEST_IS_DIR))
    return TRUE;
  if (must_exist && g_access (directory, F_OK) != 0)
    return errno == EACCES ? set_unavailable (directory, g_strerror (EACCES), NOT_READABLE, error)
                           : set_no_store (directory, error);
  if (g_file_test (directory, G_FILE_TEST_EXISTS))
    return tall_error_fail_detailed (
        error, TALL_ERROR_INVALID, directory,
        "This is a file; give a directory: that of a store, or a new one for `tallorder init`");
  g_autofree char *parent = g_path_get_dirname (directory);
  if (!tall_file_check_owner (parent, "directory", error))
    return FALSE;
  if (g_mkdir (directory, 0700) == 0)
    return TRUE;
  int code = errno;
  const char *message = "The store's directory can not be created";
  if (code == ENOENT)
    message = "The store's directory can not be created: there is no directory to create it in. "
              "Create that first, or correct the path";
  else if (code == EACCES)
    message =
        "The store's directory can not be created: this user may not write there. Name another one";
  else if (code == EROFS)
    message = READ_ONLY;
  return set_unavailable (directory, g_strerror (code), message, error);
}

/* A store that @code keeps from being written. */
static gboolean
set_not_writable (const char *directory, int code, GError **error)
{
  const char *message = "The store can not be written";
  if (code == EACCES)
    message = "The store can not be written by this user: run as the one that owns it, or add "
              "`?readonly=1` to the address to read what is there";
  else if (code == EROFS)
    message = READ_ONLY;
  return set_unavailable (directory, g_strerror (code), message, error);
}

/**
 * tall_rocksdb_directory_prepare:
 * @directory: where the store is or shall be
 * @must_exist: whether there has to be a store
 * @read_only: whether nothing is written there; a backup is a store then
 *
 * Makes sure that a directory is a store of ours or an empty one that becomes it, before RocksDB
 * touches it: opening another program's database might change it.
 *
 * Returns: FALSE with %TALL_ERROR_NOT_FOUND if there is no store and there has to be,
 *   %TALL_ERROR_INVALID if there is something else, %TALL_ERROR_UNAVAILABLE if it can not be read
 * or written, %TALL_ERROR_NEWER_VERSION, %TALL_ERROR_DAMAGED
 */
gboolean
tall_rocksdb_directory_prepare (const char *directory,
                                gboolean must_exist,
                                gboolean read_only,
                                GError **error)
{
  if (!make_directory (directory, must_exist, error)
      || (!read_only && !check_no_backup (directory, error)))
    return FALSE;

  g_autoptr (GError) local = NULL;
  g_autofree char *text = NULL;
  g_autofree char *marker = g_build_filename (directory, TALL_DIRECTORY_MARKER, NULL);
  if (g_file_get_contents (marker, &text, NULL, &local))
    {
      if (!check_marker (directory, text, error)
          || (!read_only && !tall_file_check_owner (marker, "store", error)))
        return FALSE;
      if (access (directory, read_only ? R_OK | X_OK : W_OK | X_OK) == 0)
        return TRUE;
      return set_not_writable (directory, errno, error);
    }
  if (!g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    return set_unavailable (marker, local->message,
                            g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_ACCES)
                                ? NOT_READABLE
                                : "A file of the store can not be read",
                            error);
  if (!check_empty (directory, error))
    return FALSE;
  if (must_exist)
    return set_no_store (directory, error);
  if (!tall_file_check_owner (directory, "directory", error)
      || !tall_rocksdb_directory_mark (directory, error))
    return FALSE;
  remove_unfinished_markers (directory);
  return TRUE;
}

#define OPEN_FILES "/proc/self/fd/"

/**
 * tall_rocksdb_directory_hold:
 * @lock: descriptor of @directory
 *
 * RocksDB makes and removes files by their paths as long as it runs. Somebody may move the
 * directory away meanwhile and restore a backup in its place, whose files have the same names.
 *
 * Returns: (transfer full): a path that leads to what was opened, wherever it lies; @directory
 *   itself where the system has none
 */
char *
tall_rocksdb_directory_hold (int lock, const char *directory)
{
  g_autofree char *held = g_strdup_printf (OPEN_FILES "%d", lock);
  struct stat found, wanted;
  gboolean leads = stat (held, &found) == 0 && fstat (lock, &wanted) == 0
                   && found.st_dev == wanted.st_dev && found.st_ino == wanted.st_ino;
  return leads ? g_steal_pointer (&held) : g_strdup (directory);
}

/**
 * tall_rocksdb_directory_show:
 * @text: for people; it may have a path that tall_rocksdb_directory_hold() has given
 *
 * Returns: (transfer full): @text with the path to which that leads now
 */
char *
tall_rocksdb_directory_show (const char *text)
{
  const char *held = strstr (text, OPEN_FILES);
  if (held == NULL)
    return g_strdup (text);
  gsize before = (gsize)(held - text);
  gsize len = strlen (OPEN_FILES) + strspn (held + strlen (OPEN_FILES), "0123456789");
  g_autofree char *link = g_strndup (held, len);
  g_autofree char *path = g_file_read_link (link, NULL);
  return g_strdup_printf ("%.*s%s%s", (int)before, text, path != NULL ? path : link, held + len);
}

/**
 * tall_rocksdb_directory_find_last_log:
 * @number: (out) (optional): its number, or 0
 *
 * Returns: (transfer full) (nullable): path of the log that RocksDB has begun last
 */
char *
tall_rocksdb_directory_find_last_log (const char *directory, guint64 *number)
{
  guint64 highest = 0;
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".log"))
      highest = MAX (highest, g_ascii_strtoull (name, NULL, 10));
  if (number != NULL)
    *number = highest;
  return highest == 0 ? NULL
                      : g_strdup_printf ("%s/%06" G_GUINT64_FORMAT ".log", directory, highest);
}

#define MIB ((guint64)1024 * 1024)

/* For what RocksDB writes besides rows: the files that say which files there are. */
#define MARGIN MIB

/* Where so much is to spare, it is not measured again for so many microseconds, except for a large
 * write: nothing fills it meanwhile, and asking the file system takes 6 to 8 % of a small put. */
#define PLENTY (1024 * MIB)
#define TRUSTED_FOR (10 * 1000)
#define LARGE (16 * MIB)

struct _TallRocksdbRoom
{
  char *path;
  int directory; /* the descriptor of the one that is open, its owner's; -1: none yet */
  guint64
      log; /* atomic: bytes of the log, at least; all of them are written once more, to a table */
  gint64 trusted_until; /* atomic: monotonic time until which there is plenty */
};

/* The bytes of the log's files, and those that are set aside for them beyond (@reserved). What was
 * written to tables since may be among them. */
static guint64
measure_log (const char *path, guint64 *reserved)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  guint64 size = 0;
  const char *name;
  *reserved = 0;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);
      GStatBuf info;
      if (!g_str_has_suffix (name, ".log") || g_stat (file, &info) != 0)
        continue;
      size += (guint64)info.st_size;
      *reserved += (guint64)MAX ((gint64)info.st_blocks * 512 - info.st_size, 0);
    }
  return size;
}

/* A file system that does not say counts as empty: its errors will tell. */
static guint64
measure_free (const char *path)
{
  struct statvfs info;
  return statvfs (path, &info) == 0 ? (guint64)info.f_bavail * info.f_frsize : G_MAXUINT64;
}

/**
 * tall_rocksdb_room_new:
 * @path: directory of a database, which may be still to come
 */
TallRocksdbRoom *
tall_rocksdb_room_new (const char *path)
{
  TallRocksdbRoom *self = g_new0 (TallRocksdbRoom, 1);
  self->path = g_strdup (path);
  self->directory = -1;
  guint64 reserved;
  self->log = measure_log (path, &reserved);
  return self;
}

/**
 * tall_rocksdb_room_watch:
 * @directory: descriptor of the directory, open as long as @self is used
 *
 * From now on tall_rocksdb_room_take() looks whether the directory is still in its place.
 */
void
tall_rocksdb_room_watch (TallRocksdbRoom *self, int directory)
{
  self->directory = directory;
}

/* What would be stored in a directory that was put aside is lost to those who use its place. Only
 * one that is certainly gone, or another one, is. */
static gboolean
check_place (const TallRocksdbRoom *self, const char *operation, GError **error)
{
  struct stat held, there;
  if (self->directory < 0 || fstat (self->directory, &held) != 0)
    return TRUE;
  gboolean found = stat (self->path, &there) == 0;
  if (found ? held.st_dev == there.st_dev && held.st_ino == there.st_ino
            : errno != ENOENT && errno != ENOTDIR)
    return TRUE;
  return tall_error_fail_detailed (
      error, TALL_ERROR_UNAVAILABLE, self->path,
      "%s: the store was moved, removed or replaced while it was open. Stop this process, and "
      "start it again when the store is in its place. Nothing was written",
      operation);
}

/**
 * tall_rocksdb_room_measure:
 *
 * Returns: bytes that are free on the file system now
 */
guint64
tall_rocksdb_room_measure (TallRocksdbRoom *self)
{
  return measure_free (self->path);
}

/**
 * tall_rocksdb_room_find:
 * @path: directory of a database
 *
 * What tall_rocksdb_room_take() keeps free is left out, about: it is there for the log, and what
 * is written to that comes once more when it is moved to tables.
 *
 * Returns: bytes of rows that can be written, at least 1; 0: the file system does not say
 */
guint64
tall_rocksdb_room_find (const char *path)
{
  guint64 reserved;
  guint64 kept = measure_log (path, &reserved) + MARGIN;
  guint64 available = measure_free (path);
  if (available == G_MAXUINT64)
    return 0;
  available += reserved;
  guint64 left = available > kept ? available - kept : 0;
  return MAX (left - MIN (left / 2, tall_rocksdb_options_get_log_size (left)), 1);
}

void
tall_rocksdb_room_free (TallRocksdbRoom *self)
{
  g_free (self->path);
  g_free (self);
}

/**
 * tall_rocksdb_room_take:
 * @size: bytes that shall be written to the log
 * @operation: what for
 *
 * Sees to it that the database can be opened and its log be moved to tables after the write: a
 * RocksDB that has run out of room can not be opened any more.
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE if the file system is too full, or the directory is
 *   not in its place any more; nothing is written then, and the same call may succeed as soon as
 *   there is room
 */
gboolean
tall_rocksdb_room_take (TallRocksdbRoom *self, gsize size, const char *operation, GError **error)
{
  guint64 log = __atomic_add_fetch (&self->log, size, __ATOMIC_RELAXED);
  gint64 now = g_get_monotonic_time ();
  if (size < LARGE && now < __atomic_load_n (&self->trusted_until, __ATOMIC_RELAXED))
    return TRUE;
  if (!check_place (self, operation, error))
    return FALSE;
  guint64 available = measure_free (self->path);
  if (available > MARGIN && available - MARGIN >= log + size)
    {
      if (available - MARGIN - log - size >= PLENTY)
        __atomic_store_n (&self->trusted_until, now + TRUSTED_FOR, __ATOMIC_RELAXED);
      return TRUE;
    }

  guint64 reserved;
  log = measure_log (self->path, &reserved);
  available += reserved;
  __atomic_store_n (&self->log, log + size, __ATOMIC_RELAXED);
  guint64 needed = log + 2 * (guint64)size + MARGIN;
  if (available >= needed)
    return TRUE;
  return tall_error_fail_detailed (error, TALL_ERROR_UNAVAILABLE, self->path,
                                   "%s: make room on the file system of the store. It has %.1f MiB "
                                   "left, and %.1f MiB are needed, most of them to move the log to "
                                   "tables. Nothing was written, and what is stored can be read",
                                   operation, (double)available / MIB, (double)needed / MIB);
}
