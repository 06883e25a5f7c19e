/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/commit/commit.h"

G_BEGIN_DECLS

#define TALL_MAX_ATTEMPTS 2 /* of one conditional write: the same bytes, sent again once */
#define TALL_ORIGIN_SIZE 8  /* of the mark with which a lineage begins */

/**
 * TallAnswer:
 * @TALL_ANSWER_YES: it matched, and is done
 * @TALL_ANSWER_NO: it did not match, says the table
 * @TALL_ANSWER_LOST: an error, and it may have happened or may still happen
 * @TALL_ANSWER_REFUSED: an error, and it did not happen
 * @TALL_ANSWER_SHUT: the table is shut; that is as certain as @TALL_ANSWER_NO
 *
 * What came back for a conditional write.
 */
typedef enum
{
  TALL_ANSWER_YES,
  TALL_ANSWER_NO,
  TALL_ANSWER_LOST,
  TALL_ANSWER_REFUSED,
  TALL_ANSWER_SHUT,
} TallAnswer;

TallAnswer tall_send_if (const TallOperation *operation,
                         const TallBatch *batch,
                         const TallRoot *expected,
                         TallDurability durability,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_fail_undone (GError **error, GError *cause);

G_END_DECLS
