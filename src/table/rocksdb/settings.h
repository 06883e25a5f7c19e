/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <rocksdb/c.h>

#include "table/rocksdb/engine.h"
#include "table/rocksdb/families.h"
#include "table/table.h"

/* Bytes with which rows begin that are in the filters, too: a scan of rows that share them passes
 * over files and buffers without such rows. The rows of an order with hashed or numeric keys share
 * more than that, and hardly any other row has the same. */
#define TALL_ROCKSDB_PREFIX 24

rocksdb_options_t *
tall_rocksdb_options_new (rocksdb_cache_t *cache, guint64 room, gboolean statistics);
gboolean tall_rocksdb_options_check_spec (const TallTableSpec *spec,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
guint64 tall_rocksdb_options_get_log_size (guint64 room);
gsize tall_rocksdb_options_get_cache_size (gsize wanted);

/* The settings of tables, as an open database has them. */

char *tall_rocksdb_settings_get_key (const char *full_name);
gboolean tall_rocksdb_settings_apply (const TallRocksdbEngine *engine,
                                      const TallRocksdbFamily *family,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The first byte of every stored spec: 1, or 2 if the table is not open. */
#define TALL_SPEC_FORMAT 2

void tall_spec_encode (const TallTableSpec *spec, GByteArray *stored);
TallTableSpec *
tall_spec_decode (const char *name, TallSlice stored, GError **error) G_GNUC_WARN_UNUSED_RESULT;
