/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/verify/verify.h"

#include "base/fail.h"

#define PART_TIME G_USEC_PER_SEC

/* So many suspects, or so many bytes of them, are looked at again before the walk goes on. */
#define MOST_SUSPECTS 4096
#define MOST_BYTES (512 * 1024)

/* The walk is in one subject after the other, then at the notes. */
enum
{
  PHASE_NOTES = TALL_VERIFY_N_SUBJECTS,
  PHASE_END,
};

/* A cursor, behind its seal:
 *
 *     u8 phase, place in it, place of the search in ids, suspects up to the end; a place is
 *     u32 length, bytes
 *
 * A suspect:
 *
 *     u8 which subject; u8 n_looks; u8 stage; u32 kinds; u64 fingerprint; u16 length, key;
 *     u16 length, order
 */
#define CURSOR "verify 5"
#define SUSPECT_SIZE 19

/* What only a store of this deployment, with these tables, writes in front of that content. */
static guint64
make_seal (const TallStoreContext *context, const char *of, const char *customer, TallSlice content)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree char *text = g_strdup_printf ("%s %s %" G_GUINT64_FORMAT " %s", of, context->id,
                                           context->generation, customer != NULL ? customer : "");
  tall_bytes_append (bytes, tall_slice (text, strlen (text) + 1));
  tall_bytes_append (bytes, content);
  return tall_verify_hash (tall_slice_array (bytes));
}

/**
 * tall_cursor_seal:
 * @of: what it is a cursor of, and in which format
 * @customer: (nullable): the number that was asked for
 *
 * Returns: a cursor with that content
 */
TallSlice
tall_cursor_seal (const TallStoreContext *context,
                  const char *of,
                  const char *customer,
                  TallSlice content,
                  TallArena *arena)
{
  g_autoptr (GByteArray) cursor = g_byte_array_new ();
  tall_bytes_append_u64 (cursor, make_seal (context, of, customer, content));
  tall_bytes_append (cursor, content);
  return tall_slice_dup (arena, tall_slice_array (cursor));
}

/**
 * tall_cursor_open:
 * @cursor: (inout): from a caller; then its content
 *
 * Returns: FALSE if it is not one that a store of this deployment and these tables has given for
 *   the same
 */
gboolean
tall_cursor_open (const TallStoreContext *context,
                  const char *of,
                  const char *customer,
                  TallReader *cursor)
{
  guint64 seal = tall_reader_u64 (cursor);
  return !cursor->failed && seal == make_seal (context, of, customer, cursor->rest);
}

static void
read_suspect (TallVerify *self, TallReader *reader)
{
  TallSuspect suspect = { 0 };
  suspect.subject = tall_verify_subjects[tall_reader_u8 (reader)];
  suspect.n_looks = tall_reader_u8 (reader);
  suspect.stage = tall_reader_u8 (reader);
  suspect.kinds = tall_reader_u32 (reader);
  suspect.fingerprint = tall_reader_u64 (reader);
  suspect.key = tall_reader_take (reader, tall_reader_u16 (reader));
  suspect.order = tall_reader_take (reader, tall_reader_u16 (reader));
  tall_verify_suspect (self, &suspect);
}

static gboolean
read_cursor (TallVerify *self, GError **error)
{
  TallReader reader = tall_reader (self->request->cursor);
  if (reader.rest.len == 0)
    return TRUE;
  if (!tall_cursor_open (self->context, CURSOR, self->request->customer_number, &reader))
    return tall_error_fail_invalid (error, "cursor",
                                    "this cursor is not of this verification, or the deployment "
                                    "has moved to other tables meanwhile; verify again");
  self->phase = tall_reader_u8 (&reader);
  tall_bytes_set (self->place, tall_reader_take (&reader, tall_reader_u32 (&reader)));
  tall_bytes_set (self->search, tall_reader_take (&reader, tall_reader_u32 (&reader)));
  while (reader.rest.len > 0)
    read_suspect (self, &reader);
  return TRUE;
}

static void
append_suspect (GByteArray *bytes, const TallSuspect *suspect)
{
  guint8 which = 0;
  while (tall_verify_subjects[which] != suspect->subject)
    which++;
  tall_bytes_append_u8 (bytes, which);
  tall_bytes_append_u8 (bytes, suspect->n_looks);
  tall_bytes_append_u8 (bytes, (guint8)suspect->stage);
  tall_bytes_append_u32 (bytes, suspect->kinds);
  tall_bytes_append_u64 (bytes, suspect->fingerprint);
  tall_bytes_append_u16 (bytes, (guint16)suspect->key.len);
  tall_bytes_append (bytes, suspect->key);
  tall_bytes_append_u16 (bytes, (guint16)suspect->order.len);
  tall_bytes_append (bytes, suspect->order);
}

static void
write_cursor (TallVerify *self)
{
  const GByteArray *places[] = { self->place, self->search };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  tall_bytes_append_u8 (bytes, (guint8)self->phase);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      tall_bytes_append_u32 (bytes, places[i]->len);
      tall_bytes_append (bytes, tall_slice_array (places[i]));
    }
  for (guint i = 0; i < self->suspects->len; i++)
    append_suspect (bytes, &g_array_index (self->suspects, TallSuspect, i));
  self->part->cursor = tall_cursor_seal (self->context, CURSOR, self->request->customer_number,
                                         tall_slice_array (bytes), self->part->arena);
}

/**
 * tall_verify_suspect:
 * @suspect: copied
 *
 * Something is to be looked at again.
 */
void
tall_verify_suspect (TallVerify *self, const TallSuspect *suspect)
{
  TallSuspect copy = *suspect;
  copy.key = tall_slice_dup (self->part->arena, suspect->key);
  copy.order = tall_slice_dup (self->part->arena, suspect->order);
  self->size += SUSPECT_SIZE + copy.key.len + copy.order.len;
  g_array_append_val (self->suspects, copy);
}

static gboolean
is_full (const TallVerify *self)
{
  return self->suspects->len >= MOST_SUSPECTS || self->size >= MOST_BYTES;
}

/**
 * tall_verify_is_over:
 *
 * Returns: whether the walk of this part has done enough
 */
gboolean
tall_verify_is_over (const TallVerify *self)
{
  return (self->request->most > 0 && self->n_looked >= self->request->most)
         || self->findings->len >= TALL_VERIFY_ENOUGH || is_full (self)
         || g_get_monotonic_time () >= self->until;
}

/**
 * tall_verify_keep:
 *
 * Says that the walk can go on at the present place, with what was found so far.
 */
void
tall_verify_keep (TallVerify *self)
{
  self->has_come_further = TRUE;
  self->safe_part = *self->part;
  self->n_safe_findings = self->findings->len;
  self->n_safe_suspects = self->suspects->len;
}

static gboolean
walk_phase (TallVerify *self, gboolean *ended, GError **error)
{
  gboolean all = self->customer.len == 0;
  *ended = TRUE;
  if (self->phase == PHASE_NOTES)
    return !all || tall_verify_add_notes (self, error);
  const TallVerifySubject *subject = tall_verify_subjects[self->phase];
  return (subject->is_there != NULL && !subject->is_there (self->context))
         || (!all && !subject->of_customers) || subject->walk (self, subject, ended, error);
}

/* After an error what was found up to a place is good, if that is further than where it began. */
static gboolean
walk (TallVerify *self, GError **error)
{
  GError *cause = NULL;
  gboolean ended = TRUE;
  tall_verify_keep (self);
  self->has_come_further = FALSE;
  while (ended && cause == NULL && self->phase < PHASE_END)
    if (walk_phase (self, &ended, &cause) && ended)
      {
        self->phase++;
        g_byte_array_set_size (self->place, 0);
        tall_verify_keep (self);
        ended = !tall_verify_is_over (self);
      }
  if (cause == NULL)
    return TRUE;
  *self->part = self->safe_part;
  g_array_set_size (self->findings, self->n_safe_findings);
  g_array_set_size (self->suspects, self->n_safe_suspects);
  if (self->has_come_further)
    g_error_free (cause);
  else
    g_propagate_error (error, cause);
  return self->has_come_further;
}

static gboolean
are_all_new (const TallVerify *self)
{
  for (guint i = 0; i < self->suspects->len; i++)
    if (g_array_index (self->suspects, TallSuspect, i).stage != TALL_SUSPECT_NEW)
      return FALSE;
  return TRUE;
}

/* When the walk does not go on for now, suspects wait, and are looked at again after that. */
static void
end_part (TallVerify *self)
{
  TallVerifyPart *part = self->part;
  guint n = self->suspects->len;
  if (n > 0 && are_all_new (self) && (self->phase == PHASE_END || is_full (self)))
    {
      for (guint i = 0; i < n; i++)
        g_array_index (self->suspects, TallSuspect, i).stage = TALL_SUSPECT_READY;
      part->wait = (guint)(MAX (TALL_VERIFY_PATIENCE, self->context->hooks.patience) / 1000);
    }
  if (n > 0 || self->phase < PHASE_END)
    write_cursor (self);
}

static gboolean
run (TallVerify *self, TallOperation *operation, GError **error)
{
  const TallVerifyRequest *request = self->request;
  if (request->customer_number != NULL)
    {
      tall_operation_init (operation, self->context, request->customer_number, NULL, 0);
      if (!tall_operation_identify (operation, FALSE, error))
        return FALSE;
      self->customer = operation->key.customer;
    }
  self->until = g_get_monotonic_time () + PART_TIME; /* from here on: every part comes further */
  if (request->notes)
    return tall_verify_add_notes (self, error);
  if (!read_cursor (self, error)
      || !(are_all_new (self) ? walk (self, error) : tall_verify_settle (self, error)))
    return FALSE;
  end_part (self);
  return TRUE;
}

/**
 * tall_verify_part:
 * @request: checked by tall_front_verify_some()
 *
 * Does one part of a verification. It holds a page of each table and the rows of one order in
 * memory, beside what it returns.
 *
 * Returns: (transfer full): what it has found; NULL with %TALL_ERROR_INVALID (the cursor),
 *   %TALL_ERROR_NOT_FOUND (the customer has no id), or with what the table says: then nothing was
 *   found, and the same can be asked for again
 */
TallVerifyPart *
tall_verify_part (const TallStoreContext *context, const TallVerifyRequest *request, GError **error)
{
  g_autoptr (TallVerifyPart) part = g_new0 (TallVerifyPart, 1);
  g_auto (TallOperation) operation = { 0 };
  TallVerify self = {
    .context = context,
    .request = request,
    .part = part,
    .findings = g_array_new (FALSE, FALSE, sizeof (TallFinding)),
    .suspects = g_array_new (FALSE, FALSE, sizeof (TallSuspect)),
    .place = g_byte_array_new (),
    .search = g_byte_array_new (),
  };
  part->arena = tall_arena_new (0);
  gboolean done = run (&self, &operation, error);
  part->n_findings = self.findings->len;
  part->findings = tall_arena_memdup (part->arena, self.findings->data,
                                      self.findings->len * sizeof (TallFinding));
  g_array_unref (self.findings);
  g_array_unref (self.suspects);
  g_byte_array_unref (self.place);
  g_byte_array_unref (self.search);
  return done ? g_steal_pointer (&part) : NULL;
}
