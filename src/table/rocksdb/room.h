/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _TallRocksdbRoom TallRocksdbRoom;

TallRocksdbRoom *tall_rocksdb_room_new (const char *path);
guint64 tall_rocksdb_room_measure (TallRocksdbRoom *self);
guint64 tall_rocksdb_room_find (const char *path);
void tall_rocksdb_room_free (TallRocksdbRoom *self);

gboolean tall_rocksdb_room_take (TallRocksdbRoom *self,
                                 gsize size,
                                 const char *operation,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
