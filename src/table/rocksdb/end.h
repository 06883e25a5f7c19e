/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>
#include <rocksdb/c.h>

G_BEGIN_DECLS

gboolean tall_rocksdb_end_work (rocksdb_t *db) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
