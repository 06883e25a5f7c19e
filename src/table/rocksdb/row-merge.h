/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cell/mutation.h"
#include "table/rocksdb/row-codec.h"

G_BEGIN_DECLS

/* The most that one stored row may have. */
#define TALL_ROW_MAX_SIZE (256 * 1024 * 1024)

/**
 * TallRetention:
 *
 * What a table keeps of a row.
 */
typedef struct
{
  guint max_versions; /* of a qualifier; 0 = all */
  gint64 oldest;      /* cells with a lower timestamp have expired */
  guint64 mark;       /* what new markers are marked with */
} TallRetention;

gboolean tall_row_merge (TallArena *arena,
                         const TallStoredRow *old,
                         const TallMutation *mutation,
                         TallRetention retention,
                         TallStoredRow *merged,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
