/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/rocksdb/database.h"

G_BEGIN_DECLS

gboolean tall_rocksdb_copy_make (TallRocksdbDatabase *database,
                                 const char *directory,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
