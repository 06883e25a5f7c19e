/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>
#include <rocksdb/c.h>

G_BEGIN_DECLS

gboolean
tall_rocksdb_flush (rocksdb_t *db, GPtrArray *handles, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_rocksdb_flush_last (rocksdb_t *db,
                                  GPtrArray *handles,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
