/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/verify/part.h"

#include "tall-error.h"
#include "store/operation.h"
#include "store/verify/suspect.h"
#include "store/verify/verify.h"

#define PART_TIME G_USEC_PER_SEC

/* A cursor:
 *
 *     u8 CURSOR_FORMAT, u64 mark of the tables, u8 Phase, then the place in the tables of that
 * phase
 */
#define CURSOR_FORMAT 3

typedef enum
{
  PHASE_LAYOUT,
  PHASE_HINTS,
  PHASE_IDS,
  PHASE_NOTES,
  PHASE_END,
} Phase;

static gboolean
has_phase (const TallVerify *self, Phase phase)
{
  const TallStoreContext *context = self->context;
  if (phase == PHASE_HINTS)
    return context->has_index;
  if (phase == PHASE_NOTES)
    return self->customer.len == 0;
  return phase != PHASE_IDS || (context->ids != NULL && self->customer.len == 0);
}

static gboolean
walk (TallVerify *self, Phase phase, TallReader *place, GByteArray *next, GError **error)
{
  if (phase == PHASE_LAYOUT)
    return tall_verify_walk_layout (self, place, next, error);
  if (phase == PHASE_NOTES)
    return tall_verify_add_notes (self, error);
  return tall_verify_walk_pairs (self, phase == PHASE_HINTS ? &tall_verify_hints : &tall_verify_ids,
                                 place, next, error);
}

static Phase
read_phase (const TallVerify *self, TallReader *cursor, gboolean *moved)
{
  *moved = FALSE;
  if (cursor->rest.len == 0)
    return PHASE_LAYOUT;
  guint8 format = tall_reader_u8 (cursor);
  guint64 mark = tall_reader_u64 (cursor);
  guint8 phase = tall_reader_u8 (cursor);
  gboolean is_ours = mark == tall_verify_mark (self->context);
  *moved = !cursor->failed && format == CURSOR_FORMAT && !is_ours;
  if (format != CURSOR_FORMAT || !is_ours || phase >= PHASE_END)
    cursor->failed = TRUE;
  return phase;
}

static gboolean
fail_cursor (gboolean moved, GError **error)
{
  tall_error_set_invalid (error, "cursor",
                          moved ? "the deployment has moved to other tables meanwhile; verify again"
                                : "this cursor is not of a verification of this deployment; begin "
                                  "again");
  return FALSE;
}

/* A phase that is at its end gives no place to go on at: then the next one begins. */
static gboolean
go_on (TallVerify *self, GError **error)
{
  TallReader place = tall_reader (self->request->cursor);
  g_autoptr (GByteArray) next = g_byte_array_new ();
  gboolean moved;
  Phase phase = read_phase (self, &place, &moved);
  while (!place.failed && phase < PHASE_END)
    {
      g_byte_array_set_size (next, 0);
      if (has_phase (self, phase) && !walk (self, phase, &place, next, error))
        return FALSE;
      if (place.failed || next->len > 0)
        break;
      phase++;
      place = tall_reader ((TallSlice)TALL_SLICE_INIT);
    }
  if (place.failed)
    return fail_cursor (moved, error);
  if (phase == PHASE_END)
    return TRUE;
  g_autoptr (GByteArray) cursor = g_byte_array_new ();
  tall_bytes_append_u8 (cursor, CURSOR_FORMAT);
  tall_bytes_append_u64 (cursor, tall_verify_mark (self->context));
  tall_bytes_append_u8 (cursor, (guint8)phase);
  tall_bytes_append (cursor, tall_slice_array (next));
  self->part->cursor = tall_slice_dup (self->part->arena, tall_slice_array (cursor));
  return TRUE;
}

static gboolean
identify_and_run (TallVerify *self, GError **error)
{
  const TallVerifyRequest *request = self->request;
  g_auto (TallOperation) operation = { 0 };
  if (request->customer_number != NULL)
    {
      tall_operation_init (&operation, self->context, request->customer_number, NULL, 0);
      if (!tall_operation_identify (&operation, FALSE, error))
        return FALSE;
      self->customer = operation.key.customer;
    }
  /* From here on, so that every part comes further. */
  self->until = g_get_monotonic_time () + PART_TIME;
  if (request->notes)
    return tall_verify_add_notes (self, error);
  return request->n_suspects > 0 ? tall_verify_look_at_suspects (self, error) : go_on (self, error);
}

/**
 * tall_verify_part:
 * @request: checked by tall_front_verify_some()
 *
 * Does one part of a verification. It holds a page of each table and the rows of one order in
 * memory, beside what it returns.
 *
 * Returns: (transfer full): what it has found; NULL with %TALL_ERROR_INVALID (the cursor, a
 *   suspect), %TALL_ERROR_NOT_FOUND (the customer has no id), or with what the table says. After an
 *   error that comes when something was found already, that is returned with the error in it
 */
TallVerifyPart *
tall_verify_part (const TallStoreContext *context, const TallVerifyRequest *request, GError **error)
{
  g_autoptr (TallVerifyPart) part = g_new0 (TallVerifyPart, 1);
  g_autoptr (GArray) findings = g_array_new (FALSE, FALSE, sizeof (TallFinding));
  g_autoptr (GArray) suspects = g_array_new (FALSE, FALSE, sizeof (TallVerifySuspect));
  part->arena = tall_arena_new (0);
  TallVerify self = {
    .context = context,
    .request = request,
    .part = part,
    .findings = findings,
    .suspects = suspects,
  };
  if (!identify_and_run (&self, &part->error) && findings->len == 0)
    {
      g_propagate_error (error, g_steal_pointer (&part->error));
      return NULL;
    }
  part->n_findings = findings->len;
  part->findings =
      tall_arena_memdup (part->arena, findings->data, findings->len * sizeof (TallFinding));
  part->n_suspects = suspects->len;
  part->suspects =
      tall_arena_memdup (part->arena, suspects->data, suspects->len * sizeof (TallVerifySuspect));
  return g_steal_pointer (&part);
}
