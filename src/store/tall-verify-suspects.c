/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-md5.h"
#include "tall-repair.h"
#include "tall-verify-private.h"

/* An operation takes 10 s, and half a second more to give up a claim. */
#define PATIENCE (11 * G_USEC_PER_SEC)
#define MOST_SUSPECTS 4096
#define MOST_LOOKS 4 /* at what is written all the time */

/* What looked wrong. It is wrong if it looks the same after the patience. */
typedef struct
{
  const TallVerifyPair *pair; /* NULL: an order or a customer */
  GBytes *key;                /* of the row of a pair, or the customer part */
  GBytes *order;              /* the order part; NULL: a pair */
  guint32 kinds;              /* that were found, a bit each */
  guint8 fingerprint[TALL_MD5_SIZE];
  gint64 seen_at;
  guint n_looks;
} Suspect;

static void
suspect_free (Suspect *self)
{
  g_bytes_unref (self->key);
  g_clear_pointer (&self->order, g_bytes_unref);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Suspect, suspect_free)

static gint64
now (const TallVerify *self)
{
  const TallStoreHooks *hooks = &self->context->hooks;
  return hooks->monotonic (hooks->data);
}

/**
 * tall_verify_make_fingerprint:
 *
 * Sets that of a state cell as it was read: a write of the order or customer changes it.
 */
void
tall_verify_make_fingerprint (const TallRoot *root, guint8 fingerprint[TALL_MD5_SIZE])
{
  tall_md5 (tall_slice (root->bytes, root->exists ? TALL_STATE_SIZE : 0), fingerprint);
}

static void
push (TallVerify *self, Suspect *suspect)
{
  suspect->seen_at = now (self);
  suspect->n_looks++;
  g_queue_push_tail (&self->suspects, suspect);
}

/**
 * tall_verify_suspect_rows:
 * @kinds: what looked wrong, a bit each
 *
 * An order or a customer is to be looked at again.
 */
void
tall_verify_suspect_rows (TallVerify *self,
                          const TallOrderKey *key,
                          const guint8 fingerprint[TALL_MD5_SIZE],
                          guint32 kinds)
{
  Suspect *suspect = g_new0 (Suspect, 1);
  suspect->key = g_bytes_new (key->customer.data, key->customer.len);
  suspect->order = g_bytes_new (key->order.data, key->order.len);
  suspect->kinds = kinds;
  memcpy (suspect->fingerprint, fingerprint, TALL_MD5_SIZE);
  push (self, suspect);
}

/**
 * tall_verify_suspect_pair:
 *
 * A row of a pair is to be looked at again.
 */
void
tall_verify_suspect_pair (TallVerify *self,
                          const TallVerifyPair *pair,
                          TallSlice key,
                          const guint8 fingerprint[TALL_MD5_SIZE],
                          guint32 kinds)
{
  Suspect *suspect = g_new0 (Suspect, 1);
  suspect->pair = pair;
  suspect->key = g_bytes_new (key.data, key.len);
  suspect->kinds = kinds;
  memcpy (suspect->fingerprint, fingerprint, TALL_MD5_SIZE);
  push (self, suspect);
}

/* Waits until @suspect has been one for long enough. */
static void
wait_for (TallVerify *self, const Suspect *suspect)
{
  const TallStoreHooks *hooks = &self->context->hooks;
  gint64 until = suspect->seen_at + MAX (PATIENCE, hooks->patience);
  while (!self->options->alone && now (self) < until && tall_verify_progress (self))
    hooks->sleep (MIN (until - now (self), G_USEC_PER_SEC / 10), hooks->data);
}

static gboolean
look_again (TallVerify *self,
            const Suspect *suspect,
            TallVerifyLook *look,
            guint8 fingerprint[TALL_MD5_SIZE],
            GError **error)
{
  if (suspect->pair != NULL)
    return tall_verify_look_at_pair (look, self->context, suspect->pair,
                                     tall_slice_bytes (suspect->key), fingerprint, error);
  if (!tall_verify_look_again (look, self->context, tall_slice_bytes (suspect->key),
                               tall_slice_bytes (suspect->order), error))
    return FALSE;
  tall_verify_make_fingerprint (&look->root, fingerprint);
  return TRUE;
}

/* Whether the order that the row is about is damaged: then the row may be right. */
static gboolean
is_excused (TallVerify *self, const Suspect *suspect)
{
  TallSlice customer, order;
  g_auto (TallVerifyLook) look = { 0 };
  if (suspect->pair == NULL || suspect->pair->find_order == NULL
      || !suspect->pair->find_order (self->context, tall_slice_bytes (suspect->key), &customer,
                                     &order))
    return FALSE;
  return !tall_verify_look_again (&look, self->context, customer, order, NULL)
         || tall_verify_look_needs_person (&look);
}

/* Mends what needs no person, if that is asked for. Nothing may be wrong any more: it is left to
 * whoever writes then. */
static gboolean
mend (TallVerify *self,
      const Suspect *suspect,
      const TallVerifyLook *look,
      TallRepairOutcome *outcome,
      GError **error)
{
  *outcome = TALL_REPAIR_LEFT;
  if (!self->options->repair || tall_verify_look_needs_person (look))
    return TRUE;
  if (suspect->pair == NULL)
    return tall_repair_rows (look, outcome, error);
  TallSlice row = tall_slice_bytes (suspect->key);
  return suspect->pair == &tall_verify_hints ? tall_repair_hint (self->context, row, outcome, error)
                                             : tall_repair_id (self->context, row, outcome, error);
}

static gboolean
suspect_again (TallVerify *self, Suspect *suspect)
{
  if (suspect->n_looks >= MOST_LOOKS)
    {
      self->summary.n_busy++;
      suspect_free (suspect);
      return TRUE;
    }
  push (self, suspect);
  return TRUE;
}

/* Mends and reports what is certain. Takes over @suspect. */
static gboolean
conclude (TallVerify *self, Suspect *taken, const TallVerifyLook *look, GError **error)
{
  TallRepairOutcome outcome;
  g_autoptr (Suspect) suspect = taken;
  gboolean done = mend (self, suspect, look, &outcome, error);
  if (done && outcome == TALL_REPAIR_OVERTAKEN)
    return suspect_again (self, g_steal_pointer (&suspect));
  for (guint i = 0; i < look->findings->len; i++)
    {
      TallFinding finding = g_array_index (look->findings, TallFinding, i);
      finding.mended = done && outcome == TALL_REPAIR_DONE;
      tall_verify_report (self, &finding);
    }
  return done;
}

/* Takes over @suspect. */
static gboolean
settle_one (TallVerify *self, Suspect *taken, GError **error)
{
  guint8 fingerprint[TALL_MD5_SIZE];
  g_autoptr (Suspect) suspect = taken;
  g_autoptr (GError) cause = NULL;
  g_auto (TallVerifyLook) look = { 0 };
  wait_for (self, suspect);
  if (self->stopped)
    return TRUE;
  if (!look_again (self, suspect, &look, fingerprint, &cause))
    {
      if (tall_error_is_unreadable (cause))
        return TRUE; /* the scan reports what the table itself cannot read */
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  guint32 kinds = tall_verify_look_kinds (&look);
  gboolean same = memcmp (fingerprint, suspect->fingerprint, TALL_MD5_SIZE) == 0;
  if (kinds == 0 || (same && (kinds & ~suspect->kinds) == 0 && is_excused (self, suspect)))
    return TRUE;
  if (same && (kinds & ~suspect->kinds) == 0)
    return conclude (self, g_steal_pointer (&suspect), &look, error);
  suspect->kinds = kinds;
  memcpy (suspect->fingerprint, fingerprint, TALL_MD5_SIZE);
  return suspect_again (self, g_steal_pointer (&suspect));
}

/**
 * tall_verify_settle:
 * @most_left: how many suspects may stay ones; %G_MAXUINT: a usual number
 *
 * Looks again at what looked wrong, and reports what still does.
 */
gboolean
tall_verify_settle (TallVerify *self, guint most_left, GError **error)
{
  guint most = MIN (most_left, MOST_SUSPECTS);
  while (self->suspects.length > most && !self->stopped)
    if (!settle_one (self, g_queue_pop_head (&self->suspects), error))
      return FALSE;
  if (most == 0 || self->stopped)
    g_queue_clear_full (&self->suspects, (GDestroyNotify)suspect_free);
  return TRUE;
}
