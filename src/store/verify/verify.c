/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/verify/verify.h"

#include "tall-error.h"

#define PART_TIME G_USEC_PER_SEC

/* So many suspects, or so many bytes of them, are looked at again before the walk goes on. */
#define MOST_SUSPECTS 4096
#define MOST_BYTES (512 * 1024)

/* The walk is in the tables of the layout, then in one pair after the other, then at the notes. */
enum
{
  PHASE_LAYOUT,
  PHASE_PAIRS,
  PHASE_NOTES = PHASE_PAIRS + TALL_VERIFY_N_PAIRS,
  PHASE_END,
};

/* A cursor:
 *
 *     u8 CURSOR_FORMAT, u64 mark of the tables, u8 phase, place in it, place of the search in ids,
 *     suspects up to the end; a place is u32 length, bytes
 *
 * A suspect:
 *
 *     u8 which pair + 1, or 0; u8 n_looks; u8 stage; u32 kinds; u32 certain; u64 fingerprint;
 *     u16 length, key; u16 length, order
 */
#define CURSOR_FORMAT 4
#define SUSPECT_SIZE 23

/**
 * tall_verify_mark:
 *
 * Returns: what stands in cursors for the deployment and its tables: of another deployment of that
 *   name, or other tables, they are refused
 */
guint64
tall_verify_mark (const TallStoreContext *context)
{
  g_autofree char *text =
      g_strdup_printf ("%s %" G_GUINT64_FORMAT, context->id, context->generation);
  return tall_verify_hash (tall_slice_str (text));
}

/* Always FALSE. */
gboolean
tall_verify_refuse_cursor (gboolean moved, GError **error)
{
  tall_error_set_invalid (error, "cursor",
                          moved ? "the deployment has moved to other tables meanwhile; verify again"
                                : "this cursor is not of a verification of this deployment; begin "
                                  "again");
  return FALSE;
}

/* Whether its keys can be read by, and it can have come to its stage: cursors come from clients. */
static gboolean
is_possible (const TallSuspect *self, const TallStoreContext *context)
{
  const TallKeyStrategy *strategy = context->key_strategy;
  guint32 mendable = 0;
  for (guint i = 0; i < TALL_N_FINDING_KINDS; i++)
    mendable |= (guint32)!tall_finding_kind_info (i)->needs_person << i;
  if ((self->certain & ~mendable) != 0 || self->stage >= TALL_SUSPECT_N_STAGES
      || self->key.len == 0)
    return FALSE;
  if (self->pair != NULL)
    return self->key.len <= TALL_MAX_ROW_KEY && self->order.len == 0
           && self->pair->is_there (context)
           && (self->pair->is_searched || self->stage != TALL_SUSPECT_SEARCH);
  return self->stage != TALL_SUSPECT_SEARCH
         && strategy->measure_customer (self->key) == (gssize)self->key.len
         && (self->order.len == 0
             || strategy->measure_order (self->order) == (gssize)self->order.len);
}

/* Returns: FALSE if these are not the bytes of a suspect */
static gboolean
read_suspect (TallVerify *self, TallReader *reader)
{
  TallSuspect suspect = { 0 };
  guint8 pair = tall_reader_u8 (reader);
  suspect.n_looks = tall_reader_u8 (reader);
  suspect.stage = tall_reader_u8 (reader);
  suspect.kinds = tall_reader_u32 (reader);
  suspect.certain = tall_reader_u32 (reader);
  suspect.fingerprint = tall_reader_u64 (reader);
  suspect.key = tall_reader_take (reader, tall_reader_u16 (reader));
  suspect.order = tall_reader_take (reader, tall_reader_u16 (reader));
  if (reader->failed || pair > TALL_VERIFY_N_PAIRS)
    return FALSE;
  suspect.pair = pair > 0 ? tall_verify_pairs[pair - 1] : NULL;
  if (!is_possible (&suspect, self->context))
    return FALSE;
  tall_verify_suspect (self, &suspect);
  return TRUE;
}

static gboolean
read_cursor (TallVerify *self, GError **error)
{
  TallReader reader = tall_reader (self->request->cursor);
  if (reader.rest.len == 0)
    return TRUE;
  guint8 format = tall_reader_u8 (&reader);
  guint64 mark = tall_reader_u64 (&reader);
  self->phase = tall_reader_u8 (&reader);
  if (!reader.failed && format == CURSOR_FORMAT && mark != tall_verify_mark (self->context))
    return tall_verify_refuse_cursor (TRUE, error);
  tall_bytes_set (self->place, tall_reader_take (&reader, tall_reader_u32 (&reader)));
  tall_bytes_set (self->search, tall_reader_take (&reader, tall_reader_u32 (&reader)));
  gboolean good = !reader.failed && format == CURSOR_FORMAT && self->phase <= PHASE_END
                  && self->search->len <= TALL_MAX_ROW_KEY + 1
                  && (self->phase == PHASE_LAYOUT || self->place->len <= TALL_MAX_ROW_KEY + 1);
  while (good && reader.rest.len > 0)
    good = read_suspect (self, &reader);
  return good || tall_verify_refuse_cursor (FALSE, error);
}

static void
append_suspect (GByteArray *bytes, const TallSuspect *suspect)
{
  guint8 pair = 0;
  while (suspect->pair != NULL && tall_verify_pairs[pair++] != suspect->pair)
    ;
  tall_bytes_append_u8 (bytes, pair);
  tall_bytes_append_u8 (bytes, suspect->n_looks);
  tall_bytes_append_u8 (bytes, (guint8)suspect->stage);
  tall_bytes_append_u32 (bytes, suspect->kinds);
  tall_bytes_append_u32 (bytes, suspect->certain);
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
  tall_bytes_append_u8 (bytes, CURSOR_FORMAT);
  tall_bytes_append_u64 (bytes, tall_verify_mark (self->context));
  tall_bytes_append_u8 (bytes, (guint8)self->phase);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      tall_bytes_append_u32 (bytes, places[i]->len);
      tall_bytes_append (bytes, tall_slice_array (places[i]));
    }
  for (guint i = 0; i < self->suspects->len; i++)
    append_suspect (bytes, &g_array_index (self->suspects, TallSuspect, i));
  self->part->cursor = tall_slice_dup (self->part->arena, tall_slice_array (bytes));
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
  self->safe_part = *self->part;
  self->n_safe_findings = self->findings->len;
  self->n_safe_suspects = self->suspects->len;
}

static gboolean
walk_phase (TallVerify *self, gboolean *ended, GError **error)
{
  gboolean all = self->customer.len == 0;
  *ended = TRUE;
  if (self->phase == PHASE_LAYOUT)
    return tall_verify_walk_layout (self, ended, error);
  if (self->phase == PHASE_NOTES)
    return !all || tall_verify_add_notes (self, error);
  const TallVerifyPair *pair = tall_verify_pairs[self->phase - PHASE_PAIRS];
  return !pair->is_there (self->context) || (!all && !pair->of_customers)
         || tall_verify_walk_pairs (self, pair, ended, error);
}

static int
compare_orders (gconstpointer a, gconstpointer b)
{
  const TallSuspect *one = a, *other = b;
  int order = tall_slice_compare (one->key, other->key);
  return order != 0 ? order : tall_slice_compare (one->order, other->order);
}

/* Orders of a part come in the order of the walk, in which some were found later: so what is found
 * has an order. One that lacks rows in several pairs comes once. */
static void
sort_orders (TallVerify *self, guint first)
{
  TallSuspect *all = (TallSuspect *)self->suspects->data;
  guint end = first;
  while (end < self->suspects->len && all[end].pair == NULL)
    end++;
  if (end > first)
    qsort (&all[first], end - first, sizeof *all, compare_orders);
  for (guint i = end; i-- > first + 1;)
    if (compare_orders (&all[i - 1], &all[i]) == 0)
      {
        all[i - 1].kinds |= all[i].kinds;
        g_array_remove_index (self->suspects, i);
      }
}

/* After an error what was found up to a place is good, if that is further than where it began. */
static gboolean
walk (TallVerify *self, GError **error)
{
  guint first_phase = self->phase;
  guint n_suspects = self->suspects->len;
  g_autoptr (GByteArray) begun = g_byte_array_new ();
  g_autoptr (GError) cause = NULL;
  gboolean ended = TRUE;
  tall_bytes_set (begun, tall_slice_array (self->place));
  tall_verify_keep (self);
  while (ended && cause == NULL && self->phase < PHASE_END)
    if (walk_phase (self, &ended, &cause) && ended)
      {
        self->phase++;
        g_byte_array_set_size (self->place, 0);
        tall_verify_keep (self);
        ended = !tall_verify_is_over (self);
      }
  if (cause != NULL)
    {
      *self->part = self->safe_part;
      g_array_set_size (self->findings, self->n_safe_findings);
      g_array_set_size (self->suspects, self->n_safe_suspects);
      if (self->phase == first_phase
          && tall_slice_equal (tall_slice_array (self->place), tall_slice_array (begun)))
        {
          g_propagate_error (error, g_steal_pointer (&cause));
          return FALSE;
        }
    }
  sort_orders (self, n_suspects);
  return TRUE;
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
