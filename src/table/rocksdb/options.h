/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <rocksdb/c.h>

#include "table/table.h"

G_BEGIN_DECLS

rocksdb_options_t *
tall_rocksdb_options_new (rocksdb_cache_t *cache, guint64 room, gboolean statistics);
gboolean tall_rocksdb_options_check_spec (const TallTableSpec *spec,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
const char *tall_rocksdb_options_find_compression (const TallTableSpec *spec);
guint64 tall_rocksdb_options_get_log_size (guint64 room);
gsize tall_rocksdb_options_get_cache_size (gsize wanted);

G_END_DECLS
