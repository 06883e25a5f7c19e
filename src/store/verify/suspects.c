/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/verify/suspects.h"

#include "store/verify/repair.h"
#include "tall-error.h"

#define SUSPECT_FORMAT 4

/* By their number in the bytes. */
static const TallVerifyPair *const pairs[] = { NULL, &tall_verify_hints, &tall_verify_ids };

/**
 * tall_verify_mark:
 *
 * Returns: what stands in cursors and suspects for the deployment and its tables: of another
 * deployment of that name, or other tables, they are refused
 */
guint64
tall_verify_mark (const TallStoreContext *context)
{
  guint8 digest[TALL_MD5_SIZE];
  g_autofree char *text =
      g_strdup_printf ("%s %" G_GUINT64_FORMAT, context->id, context->generation);
  tall_md5 (tall_slice_str (text), digest);
  TallReader reader = tall_reader (tall_slice (digest, sizeof digest));
  return tall_reader_u64 (&reader);
}

static void
append_bytes (GByteArray *array, TallSlice bytes)
{
  tall_bytes_append_u16 (array, (guint16)bytes.len);
  tall_bytes_append (array, bytes);
}

static TallSlice
read_bytes (TallReader *reader)
{
  return tall_reader_take (reader, tall_reader_u16 (reader));
}

/* Returns: its bytes, in @arena */
static TallSlice
tall_suspect_write (const TallSuspect *self, const TallStoreContext *context, TallArena *arena)
{
  guint8 what = 0;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  while (pairs[what] != self->pair)
    what++;
  tall_bytes_append_u8 (bytes, SUSPECT_FORMAT);
  tall_bytes_append_u64 (bytes, tall_verify_mark (context));
  tall_bytes_append_u8 (bytes, what);
  tall_bytes_append_u8 (bytes, self->n_looks);
  tall_bytes_append_u8 (bytes, (guint8)self->search);
  tall_bytes_append_u32 (bytes, self->kinds);
  tall_bytes_append_u32 (bytes, self->certain);
  tall_bytes_append (bytes, tall_slice (self->fingerprint, TALL_MD5_SIZE));
  append_bytes (bytes, self->key);
  append_bytes (bytes, self->order);
  append_bytes (bytes, self->place);
  return tall_slice_dup (arena, tall_slice_array (bytes));
}

/* Whether all of these can be mended. */
static gboolean
can_be_certain (guint32 kinds)
{
  for (guint i = 0; i < TALL_N_FINDING_KINDS; i++)
    if ((kinds & (1u << i)) != 0 && tall_finding_kind_info (i)->needs_person)
      return FALSE;
  return kinds < 1u << TALL_N_FINDING_KINDS;
}

/* Whether its keys can be read by: they come from a client. */
static gboolean
is_possible (const TallSuspect *self, const TallStoreContext *context)
{
  const TallKeyStrategy *strategy = context->key_strategy;
  if (!can_be_certain (self->certain))
    return FALSE;
  if (self->search != TALL_SUSPECT_UNSEARCHED && self->pair != &tall_verify_ids)
    return FALSE;
  if (self->place.len > TALL_MAX_ROW_KEY + 1)
    return FALSE;
  if (self->pair == &tall_verify_hints && context->indexes->len == 0)
    return FALSE;
  if (self->pair == &tall_verify_ids && context->ids == NULL)
    return FALSE;
  if (self->pair != NULL)
    return self->key.len > 0 && self->key.len <= TALL_MAX_ROW_KEY && self->order.len == 0;
  return self->key.len > 0 && strategy->measure_customer (self->key) == (gssize)self->key.len
         && (self->order.len == 0
             || strategy->measure_order (self->order) == (gssize)self->order.len);
}

/* @state: its bytes, which must outlive it
 *
 * Returns: FALSE if these are not the bytes of a suspect */
static gboolean
tall_suspect_read (TallSuspect *self, const TallStoreContext *context, TallSlice state)
{
  TallReader reader = tall_reader (state);
  guint8 format = tall_reader_u8 (&reader);
  guint64 mark = tall_reader_u64 (&reader);
  guint8 what = tall_reader_u8 (&reader);
  *self = (TallSuspect){ .n_looks = tall_reader_u8 (&reader) };
  self->search = tall_reader_u8 (&reader);
  self->kinds = tall_reader_u32 (&reader);
  self->certain = tall_reader_u32 (&reader);
  TallSlice fingerprint = tall_reader_take (&reader, TALL_MD5_SIZE);
  self->key = read_bytes (&reader);
  self->order = read_bytes (&reader);
  self->place = read_bytes (&reader);
  if (!tall_reader_done (&reader) || format != SUSPECT_FORMAT || mark != tall_verify_mark (context)
      || what >= G_N_ELEMENTS (pairs) || self->search >= TALL_N_SUSPECT_SEARCHES)
    return FALSE;
  memcpy (self->fingerprint, fingerprint.data, TALL_MD5_SIZE);
  self->pair = pairs[what];
  return is_possible (self, context);
}

/* Where the finding was, as far as it is known without it. */
static TallFinding
find_again (const TallSuspect *self, const TallVerifyLook *look, TallFindingKind kind)
{
  TallFinding finding = {
    .kind = kind,
    .table = self->pair != NULL ? self->pair->table : look->table,
    .row = self->pair != NULL ? self->key : look->root_key,
    .n_rows = 1,
    .customer_number = look->customer_number,
    .order_number = look->order_number,
    .revision = look->root.exists ? look->root.state.revision : 0,
    .message = "it was found and is mended; the answer that said more of it was lost",
    .mended = TRUE,
  };
  return finding;
}

/* @look: what is there now
 *
 * Reports as mended what was certain and is gone: a part that did not come to its end, or whose
 * answer was lost, has mended it. */
static void
tall_suspect_report_gone (TallSuspect *self, TallVerify *verify, const TallVerifyLook *look)
{
  guint32 gone = self->certain & ~tall_verify_look_kinds (look);
  self->certain &= ~gone;
  for (guint i = 0; i < TALL_N_FINDING_KINDS; i++)
    {
      TallFinding finding = find_again (self, look, i);
      if ((gone & (1u << i)) != 0)
        tall_verify_report (verify, &finding);
    }
}

#define MOST_LOOKS 4 /* at what is written all the time */

/* After so many a part ends: if whoever asked for it is killed, nobody learns that they were
 * mended.
 */
#define MOST_MENDED 4

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
send_again (TallVerify *self, const TallSuspect *suspect, gboolean at_once)
{
  TallVerifySuspect sent = { tall_suspect_write (suspect, self->context, self->part->arena),
                             at_once };
  g_array_append_val (self->suspects, sent);
}

/**
 * tall_verify_suspect_rows:
 * @place: among the suspects of this part
 * @kinds: what looked wrong, a bit each
 *
 * An order or a customer is to be looked at again.
 */
void
tall_verify_suspect_rows (TallVerify *self,
                          guint place,
                          const TallOrderKey *key,
                          const guint8 fingerprint[TALL_MD5_SIZE],
                          guint32 kinds)
{
  TallSuspect suspect = { .key = key->customer, .order = key->order, .kinds = kinds, .n_looks = 1 };
  memcpy (suspect.fingerprint, fingerprint, TALL_MD5_SIZE);
  TallVerifySuspect sent = { tall_suspect_write (&suspect, self->context, self->part->arena),
                             FALSE };
  g_array_insert_val (self->suspects, place, sent);
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
  TallSuspect suspect = { .pair = pair, .key = key, .kinds = kinds, .n_looks = 1 };
  memcpy (suspect.fingerprint, fingerprint, TALL_MD5_SIZE);
  send_again (self, &suspect, FALSE);
}

static gboolean
look_again (TallVerify *self,
            const TallSuspect *suspect,
            TallVerifyLook *look,
            guint8 fingerprint[TALL_MD5_SIZE],
            GError **error)
{
  if (suspect->pair != NULL)
    return tall_verify_look_at_pair (look, self->context, suspect->pair, suspect->key, fingerprint,
                                     error);
  if (!tall_verify_look_again (look, self->context, suspect->key, suspect->order, error))
    return FALSE;
  tall_verify_make_fingerprint (&look->root, fingerprint);
  return TRUE;
}

/* What the table cannot read is left. The scan has reported it, or could still read it: then it is
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
  TallSlice customer, order;
  GError *cause = NULL;
  g_auto (TallVerifyLook) look = { 0 };
  *excused = FALSE;
  if (suspect->pair == NULL || suspect->pair->find_order == NULL
      || !suspect->pair->find_order (self->context, suspect->key, &customer, &order))
    return TRUE;
  *excused = TRUE;
  if (!tall_verify_look_again (&look, self->context, customer, order, &cause))
    return pass_unreadable (self, cause, error);
  *excused = tall_verify_look_needs_person (&look);
  return TRUE;
}

/* What needs no person is mended, if that is asked for. */
static gboolean
is_to_mend (const TallVerify *self, const TallVerifyLook *look)
{
  return self->request->repair && !tall_verify_look_needs_person (look);
}

/* Nothing may be wrong any more: it is left to whoever writes then. */
static gboolean
mend (TallVerify *self,
      const TallSuspect *suspect,
      const TallVerifyLook *look,
      TallRepairOutcome *outcome,
      GError **error)
{
  *outcome = TALL_REPAIR_LEFT;
  if (!is_to_mend (self, look))
    return TRUE;
  if (suspect->pair == NULL)
    return tall_repair_rows (look, outcome, error);
  return suspect->pair == &tall_verify_hints
             ? tall_repair_hint (self->context, suspect->key, outcome, error)
             : tall_repair_id (self->context, suspect->key, outcome, error);
}

static void
suspect_again (TallVerify *self, TallSuspect *suspect)
{
  suspect->search = TALL_SUSPECT_UNSEARCHED;
  suspect->place = (TallSlice)TALL_SLICE_INIT;
  if (suspect->n_looks++ >= MOST_LOOKS)
    self->part->n_busy++;
  else
    send_again (self, suspect, FALSE);
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

/* What is mended next is sent to the caller before: whatever becomes of the part that mends it, the
 * caller asks again for the same, and learns what is gone. Other ids are looked at first, too.
 * Returns: whether there was anything to be decided */
static gboolean
decide (TallVerify *self, TallSuspect *suspect, const TallVerifyLook *look)
{
  gboolean needs_search =
      suspect->pair == &tall_verify_ids && suspect->search == TALL_SUSPECT_UNSEARCHED;
  guint32 kinds = tall_verify_look_kinds (look);
  if (!is_to_mend (self, look) || (suspect->certain == kinds && !needs_search))
    return FALSE;
  suspect->certain = kinds;
  if (needs_search)
    suspect->search = TALL_SUSPECT_SEARCHING;
  send_again (self, suspect, TRUE);
  return TRUE;
}

/* Mends and reports what is certain. */
static gboolean
conclude (TallVerify *self, TallSuspect *suspect, const TallVerifyLook *look, GError **error)
{
  TallRepairOutcome outcome;
  if (decide (self, suspect, look))
    return TRUE;
  gboolean done = mend (self, suspect, look, &outcome, error);
  if (done && outcome == TALL_REPAIR_OVERTAKEN)
    {
      suspect->certain = 0;
      suspect_again (self, suspect);
    }
  else
    report_all (self, look, done && outcome == TALL_REPAIR_DONE);
  return done;
}

/* @same: (inout): FALSE: the order was written while its rows were read, page by page */
static gboolean
check_root (TallVerify *self,
            const TallVerifyLook *look,
            const guint8 fingerprint[TALL_MD5_SIZE],
            gboolean *same,
            GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  g_auto (TallRoot) root = { 0 };
  TallSlice summary = TALL_SLICE_INIT;
  guint8 now[TALL_MD5_SIZE];
  if (look->table == NULL || !*same || look->findings->len == 0)
    return TRUE;
  tall_root_narrow (tall_read_plan_add_get (plan, look->table, look->root_key));
  g_autoptr (TallReadResult) result =
      tall_table_read (self->context->table, plan, tall_verify_deadline (), error);
  if (result == NULL)
    return FALSE;
  const TallRows *rows = &result->results[0];
  (void)!tall_root_parse_state (&root, rows->n_rows > 0 ? rows->rows : NULL, &summary, NULL);
  tall_verify_make_fingerprint (&root, now);
  *same = memcmp (now, fingerprint, TALL_MD5_SIZE) == 0;
  return TRUE;
}

/* @contradicted: a half id that cannot be mended */
static gboolean
settle (TallVerify *self, TallSuspect *suspect, gboolean contradicted, GError **error)
{
  guint8 fingerprint[TALL_MD5_SIZE];
  GError *cause = NULL;
  gboolean excused = FALSE;
  g_auto (TallVerifyLook) look = { 0 };
  if (!look_again (self, suspect, &look, fingerprint, &cause))
    return pass_unreadable (self, cause, error);
  guint32 kinds = tall_verify_look_kinds (&look);
  gboolean same = memcmp (fingerprint, suspect->fingerprint, TALL_MD5_SIZE) == 0
                  && (kinds & ~suspect->kinds) == 0;
  if (!check_root (self, &look, fingerprint, &same, &cause))
    return pass_unreadable (self, cause, error);
  tall_suspect_report_gone (suspect, self, &look);
  if (kinds != 0 && same && !check_excuse (self, suspect, &excused, error))
    return FALSE;
  if (kinds == 0 || excused)
    return TRUE;
  if (same && contradicted)
    report_all (self, &look, FALSE);
  if (same)
    return contradicted || conclude (self, suspect, &look, error);
  suspect->kinds = kinds;
  memcpy (suspect->fingerprint, fingerprint, TALL_MD5_SIZE);
  suspect_again (self, suspect);
  return TRUE;
}

/* Looks for rows that contradict half ids, which all are searched for up to the same place. */
static gboolean
search (TallVerify *self, TallSuspect *const *suspects, guint n, GError **error)
{
  g_autoptr (GByteArray) place = g_byte_array_new ();
  g_autofree TallRepairId *ids = g_new0 (TallRepairId, n);
  gboolean ended = FALSE;
  tall_bytes_set (place, suspects[0]->place);
  for (guint i = 0; i < n; i++)
    ids[i].row = suspects[i]->key;
  if (!tall_repair_search_ids (self->context, ids, n, place, self->until, &ended, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      suspects[i]->place = tall_slice_array (place);
      suspects[i]->search = ended ? TALL_SUSPECT_SEARCHED : TALL_SUSPECT_SEARCHING;
      if (!ids[i].contradicted)
        send_again (self, suspects[i], TRUE);
      else if (!settle (self, suspects[i], TRUE, error))
        return FALSE;
    }
  return TRUE;
}

/* Those that are searched for up to the same place as the first one go on together; the others wait
 * for their turn. Each can become a finding, for which there is room if there is no other. */
static gboolean
search_some (TallVerify *self, const GPtrArray *searching, GError **error)
{
  g_autoptr (GPtrArray) together = g_ptr_array_new ();
  for (guint i = 0; i < searching->len; i++)
    {
      TallSuspect *suspect = g_ptr_array_index (searching, i);
      const TallSuspect *first = g_ptr_array_index (searching, 0);
      if (self->findings->len == 0 && tall_slice_equal (suspect->place, first->place))
        g_ptr_array_add (together, suspect);
      else
        send_again (self, suspect, TRUE);
    }
  return together->len == 0
         || search (self, (TallSuspect *const *)together->pdata, together->len, error);
}

static gboolean
is_late (const TallVerify *self)
{
  return self->findings->len >= TALL_VERIFY_MOST_FINDINGS || self->n_mended >= MOST_MENDED
         || g_get_monotonic_time () >= self->until;
}

static gboolean
read_suspects (const TallVerify *self, TallSuspect *suspects, GError **error)
{
  for (guint i = 0; i < self->request->n_suspects; i++)
    if (!tall_suspect_read (&suspects[i], self->context, self->request->suspects[i]))
      {
        tall_error_set_invalid (error, "suspects",
                                "suspect %u is not of a verification of this deployment, or the "
                                "deployment has moved to "
                                "other tables meanwhile; verify again",
                                i);
        return FALSE;
      }
  return TRUE;
}

/* As settle(); but if it fails after others have become findings, which may be mended, it is left
 * for the next part, so that nobody has to ask again for what is done. */
static gboolean
settle_or_leave (TallVerify *self, TallSuspect *suspect, gboolean *left, GError **error)
{
  guint n_before = self->findings->len;
  const TallSuspect before = *suspect;
  g_autoptr (GError) cause = NULL;
  *left = !settle (self, suspect, FALSE, &cause);
  if (!*left)
    return TRUE;
  if (n_before == 0)
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  g_array_set_size (self->findings, n_before);
  send_again (self, &before, TRUE);
  return TRUE;
}

/**
 * tall_verify_look_at_suspects:
 *
 * Looks again at the suspects of the request, and reports what still is wrong. Those that there is
 * no time for are to be sent again.
 *
 * Returns: FALSE if a table could not be read or written now. What it has mended was certain
 * before, so whoever asks again for the same learns of it
 */
gboolean
tall_verify_look_at_suspects (TallVerify *self, GError **error)
{
  guint n = self->request->n_suspects;
  g_autofree TallSuspect *suspects = g_new0 (TallSuspect, n);
  g_autoptr (GPtrArray) searching = g_ptr_array_new ();
  gboolean over = FALSE;
  if (!read_suspects (self, suspects, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      if (suspects[i].search == TALL_SUSPECT_SEARCHING)
        g_ptr_array_add (searching, &suspects[i]);
      else if (over)
        send_again (self, &suspects[i], TRUE);
      else if (!settle_or_leave (self, &suspects[i], &over, error))
        return FALSE;
      over = over || is_late (self);
    }
  return search_some (self, searching, error);
}
