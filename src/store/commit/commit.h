/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/commit/root.h"

/**
 * TallStep:
 * @TALL_STEP_DONE: it is done; the root says what is there
 * @TALL_STEP_AGAIN: it is certainly not done, as something else is there; the root says what
 * @TALL_STEP_LOST: it may be done, or may still be; the state cell tells. Nobody but commit.c sees
 *   that
 * @TALL_STEP_UNKNOWN: there is an error: it may be done, or may still be, and nothing tells
 * @TALL_STEP_FAILED: there is an error: it is not done, and never will be
 *
 * How a step of a write ended. After an error the root says what it said before.
 */
typedef enum
{
  TALL_STEP_DONE,
  TALL_STEP_AGAIN,
  TALL_STEP_LOST,
  TALL_STEP_UNKNOWN,
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
void tall_claim_give_up (TallClaim *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallClaim, tall_claim_give_up)

TallStep tall_commit (TallOperation *operation,
                      TallRoot *root,
                      TallClaim *claim,
                      const TallBatch *batch,
                      const TallState *committed,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallStep tall_commit_new (TallOperation *const *operations,
                          const TallState *committed,
                          guint n,
                          const TallBatch *batch,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallNewRows:
 *
 * What a new order or customer is written by: mutations of a batch, that of the root row first. A
 * plain value.
 */
typedef struct
{
  guint first;
  guint n;
  gboolean done; /* out */
} TallNewRows;

gboolean tall_commit_absent (const TallOperation *operation,
                             const TallBatch *batch,
                             TallNewRows *rows,
                             guint n,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallStep tall_commit_find (const TallOperation *operation,
                           const TallState *stored,
                           const TallState *wanted,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
gint64 tall_state_get_replaced (const TallState *self, const TallOperation *operation);
void tall_state_set_lineage (TallState *self, const TallOperation *operation, const TallRoot *root);

/**
 * TallSent:
 *
 * Commits of one operation that were sent before the tables were shut, and that may have been done,
 * or may still be. All of them have the operation's token. A plain value.
 */
struct _TallSent
{
  gint64 revision;    /* the least of theirs */
  guint64 generation; /* of the tables that the last one was sent to */
  TallRoot expected;  /* by the last one; those before it expected what is replaced by now */
};

void tall_sent_note (TallOperation *operation,
                     const TallRoot *expected,
                     const TallState *committed,
                     gboolean lost);
TallStep tall_sent_settle (TallOperation *operation,
                           const TallRoot *root,
                           const TallState *wanted,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_sent_fail_unknown (GError **error, const char *reason, const GError *cause);
