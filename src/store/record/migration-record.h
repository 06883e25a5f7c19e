/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/record/deployment.h"

G_BEGIN_DECLS

gboolean tall_migration_change (TallTable *table,
                                const char *id,
                                const TallMigration *is,
                                const TallMigration *to,
                                const char *const *next,
                                gint64 deadline,
                                gboolean *done,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
