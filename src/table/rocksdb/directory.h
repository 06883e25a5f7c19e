/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/* In the file %TALL_DIRECTORY_MARKER of the directory; raised when an older version could not use
 * the store any more. */
#define TALL_DIRECTORY_FORMAT 1
#define TALL_DIRECTORY_MARKER "TALLORDER"

/* A directory with this file is a backup: opened as a store, it would not be one any more. */
#define TALL_DIRECTORY_BACKUP "BACKUP"

gboolean tall_rocksdb_directory_prepare (const char *directory,
                                         gboolean must_exist,
                                         gboolean read_only,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_rocksdb_directory_mark (const char *directory,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

char *tall_rocksdb_directory_hold (int lock, const char *directory);
char *tall_rocksdb_directory_show (const char *text);
char *tall_rocksdb_directory_find_last_log (const char *directory, guint64 *number);

typedef struct _TallRocksdbRoom TallRocksdbRoom;

TallRocksdbRoom *tall_rocksdb_room_new (const char *path);
guint64 tall_rocksdb_room_measure (TallRocksdbRoom *self);
guint64 tall_rocksdb_room_find (const char *path);
void tall_rocksdb_room_watch (TallRocksdbRoom *self, int directory);
void tall_rocksdb_room_free (TallRocksdbRoom *self);

gboolean tall_rocksdb_room_take (TallRocksdbRoom *self,
                                 gsize size,
                                 const char *operation,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
