/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/commit/root.h"

G_BEGIN_DECLS

/**
 * TallStep:
 * @TALL_STEP_DONE: it is done; the root says what is there
 * @TALL_STEP_AGAIN: it is certainly not done, as another writer was faster; the root says what is
 *   there now
 * @TALL_STEP_FAILED: there is an error; the root says what it said before
 *
 * How a conditional write of a state cell ended.
 */
typedef enum
{
  TALL_STEP_DONE,
  TALL_STEP_AGAIN,
  TALL_STEP_FAILED,
} TallStep;

/**
 * TallClaim:
 *
 * A claim of ours. It is given up when it goes out of scope, so that no path forgets it, except
 * from the moment when a commit is sent that may be done. All zero: there is none. Declare it with
 * g_auto. Nothing is owned.
 */
typedef struct
{
  TallOperation *operation; /* NULL: there is no claim */
  TallState state;          /* as the claim has written it */
  const TallOrder *order;   /* whose rows are written for it, or may be; NULL: none are */
} TallClaim;

TallStep tall_claim (TallOperation *operation,
                     TallRoot *root,
                     gint64 revision,
                     const TallOrder *order,
                     TallClaim *claim,
                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallStep tall_commit (TallOperation *operation,
                      TallRoot *root,
                      TallClaim *claim,
                      const TallBatch *batch,
                      const TallState *committed,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_claim_give_up (TallClaim *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallClaim, tall_claim_give_up)

gboolean tall_commit_token_matches (const TallState *stored, const TallState *wanted);
gboolean tall_commit_token_check (const TallState *stored,
                                  const TallState *wanted,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_state_set_lineage (TallState *self, const TallOperation *operation, const TallRoot *root);

G_END_DECLS
