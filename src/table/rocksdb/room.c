/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/room.h"

#include <glib/gstdio.h>
#include <sys/statvfs.h>

#include "tall-error.h"
#include "table/rocksdb/options.h"

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
  guint64 reserved;
  self->log = measure_log (path, &reserved);
  return self;
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

static gboolean
is_plenty (const TallRocksdbRoom *self, gsize size)
{
  return size < LARGE
         && g_get_monotonic_time () < __atomic_load_n (&self->trusted_until, __ATOMIC_RELAXED);
}

static void
note_spare (TallRocksdbRoom *self, guint64 spare)
{
  if (spare >= PLENTY)
    __atomic_store_n (&self->trusted_until, g_get_monotonic_time () + TRUSTED_FOR,
                      __ATOMIC_RELAXED);
}

/**
 * tall_rocksdb_room_take:
 * @size: bytes that shall be written to the log
 * @operation: what for
 *
 * Sees to it that the database can be opened and its log be moved to tables after the write: a
 * RocksDB that has run out of room can not be opened any more.
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE if the file system is too full; nothing is written
 *   then, and the same call may succeed as soon as there is room
 */
gboolean
tall_rocksdb_room_take (TallRocksdbRoom *self, gsize size, const char *operation, GError **error)
{
  guint64 log = __atomic_add_fetch (&self->log, size, __ATOMIC_RELAXED);
  if (is_plenty (self, size))
    return TRUE;
  guint64 available = measure_free (self->path);
  if (available > MARGIN && available - MARGIN >= log + size)
    {
      note_spare (self, available - MARGIN - log - size);
      return TRUE;
    }

  guint64 reserved;
  log = measure_log (self->path, &reserved);
  available += reserved;
  __atomic_store_n (&self->log, log + size, __ATOMIC_RELAXED);
  guint64 needed = log + 2 * (guint64)size + MARGIN;
  if (available >= needed)
    return TRUE;
  tall_error_set_detailed (
      error, TALL_ERROR_UNAVAILABLE, self->path,
      "%s: make room on the file system of the store. It has %.1f MiB left, and %.1f MiB are "
      "needed, most of them to move the log to tables. Nothing was written, and what is stored can "
      "be read",
      operation, (double)available / MIB, (double)needed / MIB);
  return FALSE;
}
