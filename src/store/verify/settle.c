/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/verify/verify.h"
#include "tall-error.h"

#define MOST_LOOKS 4 /* at what is written all the time */

/* After so many a part ends: if whoever asked for it is killed, nobody learns that they were
 * mended. */
#define MOST_MENDED 4

/* Where the finding was, as far as it is known without it. */
static TallFinding
find_again (const TallSuspect *suspect, const TallVerifyLook *look, TallFindingKind kind)
{
  return (TallFinding){
    .kind = kind,
    .table = suspect->subject->table != NULL ? suspect->subject->table : look->table,
    .row = suspect->subject->table != NULL ? suspect->key : look->root_key,
    .n_rows = 1,
    .customer_number = look->customer_number,
    .order_number = look->order_number,
    .revision = look->root.exists ? look->root.state.revision : 0,
    .message = "it was found and is mended; the answer that said more of it was lost",
    .mended = TRUE,
  };
}

/* Reports as mended what was certain and is gone: a part that did not come to its end, or whose
 * answer was lost, has mended it. */
static void
report_gone (TallVerify *self, const TallSuspect *suspect, const TallVerifyLook *look, guint32 gone)
{
  for (guint i = 0; i < TALL_N_FINDING_KINDS; i++)
    {
      TallFinding finding = find_again (suspect, look, i);
      if ((gone & (1u << i)) != 0)
        tall_verify_report (self, &finding);
    }
}

static void
report_all (TallVerify *self, const TallVerifyLook *look, gboolean mended)
{
  for (guint i = 0; i < look->findings->len; i++)
    {
      TallFinding finding = g_array_index (look->findings, TallFinding, i);
      finding.mended = mended;
      tall_verify_report (self, &finding);
    }
}

/* What the table cannot read is left. The walk has reported it, or could still read it: then it is
 * not known any more whether something is wrong. @cause: (transfer full) */
static gboolean
pass_unreadable (TallVerify *self, GError *cause, GError **error)
{
  if (!tall_error_is_unreadable (cause))
    {
      g_propagate_error (error, cause);
      return FALSE;
    }
  self->part->is_broken = TRUE;
  g_error_free (cause);
  return TRUE;
}

/* What was written meanwhile waits once more. */
static void
wait_again (TallVerify *self, TallSuspect *suspect)
{
  suspect->stage = TALL_SUSPECT_NEW;
  if (++suspect->n_looks >= MOST_LOOKS)
    self->part->n_busy++;
  else
    tall_verify_suspect (self, suspect);
}

/* @look: at what looks the same as before
 *
 * Reports what is wrong, and mends before what needs no person, if that is asked for. What is to be
 * mended is sent to the caller first: whatever becomes of the part that mends it, the caller asks
 * again for the same, and learns what is gone. */
static gboolean
conclude (TallVerify *self, TallSuspect *suspect, const TallVerifyLook *look, GError **error)
{
  TallRepairOutcome outcome = TALL_REPAIR_LEFT;
  const TallVerifySubject *subject = suspect->subject;
  gboolean to_mend = self->request->repair && suspect->stage != TALL_SUSPECT_LEFT
                     && !tall_verify_look_needs_person (look);
  if (to_mend && suspect->stage == TALL_SUSPECT_READY)
    {
      suspect->kinds = tall_verify_look_kinds (look);
      suspect->stage = subject->is_searched ? TALL_SUSPECT_SEARCH : TALL_SUSPECT_MEND;
      g_byte_array_set_size (self->search, 0); /* no search is going on now */
      tall_verify_suspect (self, suspect);
      return TRUE;
    }
  if (to_mend && !subject->mend (look, subject, &outcome, error))
    return FALSE;
  if (outcome == TALL_REPAIR_OVERTAKEN)
    wait_again (self, suspect);
  else
    report_all (self, look, outcome == TALL_REPAIR_DONE);
  return TRUE;
}

/* Looks again at a suspect, whose turn it is. */
static gboolean
settle (TallVerify *self, TallSuspect *suspect, GError **error)
{
  GError *cause = NULL;
  g_auto (TallVerifyLook) look = { 0 };
  const TallVerifySubject *subject = suspect->subject;
  if (!subject->look (&look, self->context, subject, suspect->key, suspect->order, &cause))
    return pass_unreadable (self, cause, error);
  if (look.is_excused)
    return TRUE;
  guint32 kinds = tall_verify_look_kinds (&look);
  guint32 gone = suspect->stage > TALL_SUSPECT_READY ? suspect->kinds & ~kinds : 0;
  gboolean same =
      !look.changed && look.fingerprint == suspect->fingerprint && (kinds & ~suspect->kinds) == 0;
  if (kinds != 0 && same && !conclude (self, suspect, &look, error))
    return FALSE;
  if (kinds != 0 && !same)
    {
      suspect->kinds = kinds;
      suspect->fingerprint = look.fingerprint;
      wait_again (self, suspect);
    }
  report_gone (self, suspect, &look, gone);
  return TRUE;
}

static gboolean
is_late (const TallVerify *self)
{
  return self->findings->len >= TALL_VERIFY_ENOUGH || self->n_mended >= MOST_MENDED
         || g_get_monotonic_time () >= self->until;
}

/* Settles those whose turn it is. If one fails after others, it is left for the next part: so
 * nobody has to ask again for what is done. */
static gboolean
settle_all (TallVerify *self, GError **error)
{
  g_autoptr (GArray) before = g_steal_pointer (&self->suspects);
  gboolean over = FALSE;
  guint n_settled = 0;
  self->suspects = g_array_new (FALSE, FALSE, sizeof (TallSuspect));
  self->size = 0;
  for (guint i = 0; i < before->len; i++)
    {
      TallSuspect suspect = g_array_index (before, TallSuspect, i);
      g_autoptr (GError) cause = NULL;
      gboolean waits = suspect.stage == TALL_SUSPECT_NEW || suspect.stage == TALL_SUSPECT_SEARCH;
      gboolean done = !over && !waits && settle (self, &suspect, &cause);
      if (!done)
        tall_verify_suspect (self, &g_array_index (before, TallSuspect, i));
      if (cause != NULL && n_settled == 0)
        {
          g_propagate_error (error, g_steal_pointer (&cause));
          return FALSE;
        }
      n_settled += done;
      over = over || cause != NULL || is_late (self);
    }
  return TRUE;
}

/**
 * tall_verify_settle:
 *
 * Goes on with suspects that have waited: looks at them again, or has them mended, as long as there
 * is time. What contradicts those that are to be mended is searched for when nothing is to be
 * looked at again: so it is searched for all at once.
 *
 * Returns: FALSE if a table could not be read or written now. What it has mended was certain
 *   before, so whoever asks again for the same learns of it
 */
gboolean
tall_verify_settle (TallVerify *self, GError **error)
{
  gboolean stages[TALL_SUSPECT_N_STAGES] = { FALSE };
  for (guint i = 0; i < self->suspects->len; i++)
    stages[g_array_index (self->suspects, TallSuspect, i).stage] = TRUE;
  return stages[TALL_SUSPECT_SEARCH] && !stages[TALL_SUSPECT_READY]
             ? tall_verify_search (self, error)
             : settle_all (self, error);
}
