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
    .table = suspect->pair != NULL ? suspect->pair->table : look->table,
    .row = suspect->pair != NULL ? suspect->key : look->root_key,
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

/* @excused: (out): whether the order that the row is about is damaged: then the row may be right */
static gboolean
check_excuse (TallVerify *self, const TallSuspect *suspect, gboolean *excused, GError **error)
{
  GError *cause = NULL;
  g_auto (TallOrderKey) key = { 0 };
  g_auto (TallVerifyLook) look = { 0 };
  *excused = FALSE;
  if (suspect->pair == NULL || suspect->pair->find_order == NULL)
    return TRUE;
  gboolean is_known = suspect->pair->find_order (self->context, suspect->key, &key, &cause);
  if (!is_known && cause == NULL)
    return TRUE;
  *excused = TRUE;
  if (!is_known || !tall_verify_look_again (&look, self->context, key.customer, key.order, &cause))
    return pass_unreadable (self, cause, error);
  *excused = tall_verify_look_needs_person (&look);
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
  const TallVerifyPair *pair = suspect->pair;
  gboolean to_mend = self->request->repair && suspect->stage != TALL_SUSPECT_LEFT
                     && !tall_verify_look_needs_person (look);
  if (to_mend && suspect->stage == TALL_SUSPECT_READY)
    {
      suspect->kinds = suspect->certain = tall_verify_look_kinds (look);
      suspect->stage = pair != NULL && pair->is_searched ? TALL_SUSPECT_SEARCH : TALL_SUSPECT_MEND;
      g_byte_array_set_size (self->search, 0); /* no search is going on now */
      tall_verify_suspect (self, suspect);
      return TRUE;
    }
  if (to_mend
      && !(pair == NULL ? tall_repair_rows (look, &outcome, error)
                        : pair->mend (self->context, pair, suspect->key, &outcome, error)))
    return FALSE;
  if (outcome == TALL_REPAIR_OVERTAKEN)
    {
      suspect->certain = 0;
      wait_again (self, suspect);
    }
  else
    report_all (self, look, outcome == TALL_REPAIR_DONE);
  return TRUE;
}

/* Looks again at a suspect, whose turn it is. */
static gboolean
settle (TallVerify *self, TallSuspect *suspect, GError **error)
{
  GError *cause = NULL;
  gboolean excused = FALSE;
  g_auto (TallVerifyLook) look = { 0 };
  const TallStoreContext *context = self->context;
  if (!(suspect->pair != NULL
            ? tall_verify_look_at_pair (&look, context, suspect->pair, suspect->key, &cause)
            : tall_verify_look_again (&look, context, suspect->key, suspect->order, &cause)))
    return pass_unreadable (self, cause, error);
  guint32 kinds = tall_verify_look_kinds (&look);
  gboolean same =
      !look.changed && look.fingerprint == suspect->fingerprint && (kinds & ~suspect->kinds) == 0;
  guint32 gone = suspect->certain & ~kinds;
  suspect->certain &= kinds;
  if (kinds != 0 && same && !check_excuse (self, suspect, &excused, error))
    return FALSE;
  if (kinds != 0 && same && !excused && !conclude (self, suspect, &look, error))
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

/* Looks for rows that contradict those that are to be mended. */
static gboolean
search (TallVerify *self, GError **error)
{
  guint n = self->suspects->len;
  TallSuspect *suspects = (TallSuspect *)self->suspects->data;
  g_autofree TallRepairId *ids = g_new0 (TallRepairId, n);
  gboolean ended = FALSE;
  guint n_ids = 0;
  for (guint i = 0; i < n; i++)
    if (suspects[i].stage == TALL_SUSPECT_SEARCH)
      ids[n_ids++].row = suspects[i].key;
  if (!tall_repair_search_ids (self->context, ids, n_ids, self->search, self->until, &ended, error))
    return FALSE;
  for (guint i = 0, j = 0; i < n; i++)
    if (suspects[i].stage != TALL_SUSPECT_SEARCH)
      continue;
    else if (ids[j++].contradicted)
      suspects[i].stage = TALL_SUSPECT_LEFT;
    else if (ended)
      suspects[i].stage = TALL_SUSPECT_MEND;
  return TRUE;
}

static gboolean
is_late (const TallVerify *self)
{
  return self->findings->len >= TALL_VERIFY_ENOUGH || self->n_mended >= MOST_MENDED
         || g_get_monotonic_time () >= self->until;
}

/* Settles those of some stages. If one fails after others, it is left for the next part: so nobody
 * has to ask again for what is done. */
static gboolean
settle_all (TallVerify *self, gboolean ready, GError **error)
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
      gboolean turn =
          !over
          && (ready ? suspect.stage == TALL_SUSPECT_READY
                    : suspect.stage == TALL_SUSPECT_MEND || suspect.stage == TALL_SUSPECT_LEFT);
      gboolean done = turn && settle (self, &suspect, &cause);
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
 * Goes on with suspects that have waited: looks at them again, or else searches for what
 * contradicts them, or else mends them, as long as there is time.
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
  if (!stages[TALL_SUSPECT_READY] && stages[TALL_SUSPECT_SEARCH])
    return search (self, error);
  return settle_all (self, stages[TALL_SUSPECT_READY], error);
}
