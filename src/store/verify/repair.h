/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/commit/commit.h"
#include "store/verify/look.h"

G_BEGIN_DECLS

/**
 * TallRepairOutcome:
 * @TALL_REPAIR_LEFT: it cannot be mended without guessing, and nothing was done
 * @TALL_REPAIR_DONE: it is mended
 * @TALL_REPAIR_OVERTAKEN: somebody else has written since it was looked at, and nothing was done
 *
 * What became of something that was found.
 */
typedef enum
{
  TALL_REPAIR_LEFT,
  TALL_REPAIR_DONE,
  TALL_REPAIR_OVERTAKEN,
} TallRepairOutcome;

/**
 * TallRepairId:
 *
 * A row that leads from a customer's id to the number, or from the number to the id, while the way
 * back is missing.
 */
typedef struct
{
  TallSlice row;         /* key */
  gboolean contradicted; /* out: another row leads to the same number or id */
} TallRepairId;

gboolean tall_repair_rows (const TallVerifyLook *look,
                           TallRepairOutcome *outcome,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_repair_hint (const TallStoreContext *context,
                           TallSlice row,
                           TallRepairOutcome *outcome,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_repair_search_ids (const TallStoreContext *context,
                                 TallRepairId *ids,
                                 guint n,
                                 GByteArray *place,
                                 gint64 until,
                                 gboolean *ended,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_repair_id (const TallStoreContext *context,
                         TallSlice row,
                         TallRepairOutcome *outcome,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
