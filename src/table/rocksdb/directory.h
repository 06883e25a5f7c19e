/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* In the file %TALL_DIRECTORY_MARKER of the directory; raised when an older version could not use
 * the store any more. */
#define TALL_DIRECTORY_FORMAT 1
#define TALL_DIRECTORY_MARKER "TALLORDER"

/* A directory with this file is a backup: opened as a store, it would not be one any more. */
#define TALL_DIRECTORY_BACKUP "BACKUP"

gboolean tall_rocksdb_directory_prepare (const char *directory,
                                         gboolean must_exist,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_rocksdb_directory_mark (const char *directory,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_rocksdb_directory_lock (const char *directory, int *lock) G_GNUC_WARN_UNUSED_RESULT;
char *tall_rocksdb_directory_find_last_log (const char *directory, guint64 *number);

G_END_DECLS
