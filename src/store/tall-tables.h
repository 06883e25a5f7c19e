/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-store.h"

G_BEGIN_DECLS

#define TALL_META_TABLE "meta"

gboolean tall_tables_create (TallTable *table,
                             GPtrArray *specs,
                             gboolean fixed_regions,
                             gint64 deadline,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
