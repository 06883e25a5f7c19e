/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/sql/query.h"
#include "load/store/loader.h"

G_BEGIN_DECLS

gboolean tall_sql_reading_run (const TallLoadFiles *files,
                               const TallLoadOptions *options,
                               TallRejects *rejects,
                               const TallReadingHooks *hooks,
                               gpointer data,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
