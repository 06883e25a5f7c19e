/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-root.h"

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

TallStep tall_claim (const TallOperation *operation,
                     TallRoot *root,
                     gint64 revision,
                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallStep tall_commit (const TallOperation *operation,
                      TallRoot *root,
                      const TallMutation *mutation,
                      const TallState *committed,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_release (TallOperation *operation, const TallRoot *claim, const TallOrder *order);

gboolean tall_wait_for_claim (const TallOperation *operation,
                              TallRoot *root,
                              gboolean *stale,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_is_ours (const TallState *stored, const TallState *wanted);
gboolean tall_check_token (const TallState *stored,
                           const TallState *wanted,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_state_set_lineage (TallState *self, const TallOperation *operation, const TallRoot *root);

G_END_DECLS
