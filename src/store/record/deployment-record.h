/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/record/deployment.h"

G_BEGIN_DECLS

/* How the record is kept, for the files that read and write it. */

#define TALL_RECORD_ROW tall_slice_str ("deployment")

#define TALL_COLUMN_FORMAT "format"
#define TALL_COLUMN_ID "id"
#define TALL_COLUMN_LAYOUT "layout"
#define TALL_COLUMN_KEY_STRATEGY "key_strategy"
#define TALL_COLUMN_TTL "ttl"
#define TALL_COLUMN_MODE "mode"
#define TALL_COLUMN_BULK_REVISION "bulk_revision"
#define TALL_COLUMN_REGIONS "regions"
#define TALL_COLUMN_COMPRESSION "compression"
#define TALL_COLUMN_BLOOM_FILTER "bloom_filter"
#define TALL_COLUMN_BLOCK_ENCODING "block_encoding"
#define TALL_COLUMN_INDEX "index"

#define TALL_MODE_NORMAL "normal"
#define TALL_MODE_READ_ONLY "read-only"
#define TALL_COLUMN_MIGRATION "migration"

/* The columns that a migration changes, in one order for all who write them. */
#define TALL_N_MOVING 7
extern const char *const tall_record_moving[TALL_N_MOVING];

/* Before the name of a column: what it will be after the switch of a migration. */
#define TALL_NEXT "next_"

/* In a column: not said. Needed where there may be an older value. */
#define TALL_NOT_SAID "-"

/* In the column `format`: the deployment was dropped, and the next one of that name begins with the
 * generation in the column `migration`. */
#define TALL_FORMAT_DROPPED "dropped"

gboolean tall_record_is_dropped (const TallRow *row);
gboolean tall_record_is_of (const TallRow *row, const char *id);
gint64 tall_record_find_timestamp (const TallRow *row, GError **error);

TallReadResult *tall_deployment_read_row (TallTable *table, gint64 deadline, GError **error);
TallDeployment *tall_deployment_parse (const TallRow *row,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
