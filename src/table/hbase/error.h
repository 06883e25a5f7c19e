/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-error.h"
#include "table/hbase/reply.h"

G_BEGIN_DECLS

char *tall_hbase_error_get_text (const TallHbaseTIOError *io);
gboolean tall_hbase_error_is_clear (const TallHbaseTIOError *io);
gboolean tall_hbase_error_is_garbled (const GError *reason);
void tall_hbase_error_set (GError **error,
                           GError *reason,
                           const TallHbaseTIOError *io,
                           const char *gateway);
void tall_hbase_error_set_no_table (GError **error, const char *table, const char *deployment);
void tall_hbase_error_set_disabled (GError **error, const char *table, const char *deployment);

G_END_DECLS
