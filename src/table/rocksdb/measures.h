/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <rocksdb/c.h>

#include "table/table.h"

G_BEGIN_DECLS

GArray *tall_rocksdb_measures_list (rocksdb_t *db, GPtrArray *handles, const char *path);

G_END_DECLS
