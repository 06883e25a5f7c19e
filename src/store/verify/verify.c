/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/verify/verify.h"

#include "store/context.h"
#include "store/operation.h"
#include "store/verify/suspects.h"
#include "tall-error.h"

#define PART_TIME G_USEC_PER_SEC

/* A cursor:
 *
 *     u8 CURSOR_FORMAT, u64 mark of the tables, u8 Phase, place in the tables of that phase
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
    return context->indexes->len > 0;
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

#define MOST_WAITING 4096   /* suspects */
#define PARTS_A_SECOND 10   /* if it is to go slowly */
#define MOST_SENT (1 << 20) /* bytes of suspects in a request, and one suspect more */

/* What does not answer is asked again after pauses that double: for a minute in all, in which a
 * server, or the store below it, starts again. */
#define FIRST_PAUSE (G_USEC_PER_SEC / 4)
#define LAST_PAUSE (32 * G_USEC_PER_SEC)

/* A suspect that is not sent again yet. */
typedef struct
{
  GBytes *state;
  gint64 since; /* monotonic */
} Waiting;

/* A verification on its way, part by part. */
typedef struct
{
  TallFront *front;
  TallStoreHooks hooks;
  const TallVerifyOptions *options;
  TallVerifySummary *summary;
  GQueue ready;       /* of GBytes: suspects that can be sent again */
  GQueue waiting;     /* of Waiting, by their time */
  GByteArray *cursor; /* of the last part that went on */
  guint64 n_looked;   /* at orders and rows */
  gint64 begun;       /* monotonic; later by the time in which nothing answered */
  gboolean stopped;
} Run;

static void
waiting_free (Waiting *self)
{
  g_bytes_unref (self->state);
  g_free (self);
}

static gint64
now (const Run *self)
{
  return self->hooks.monotonic (self->hooks.data);
}

/* Returns: FALSE if it is to stop */
static gboolean
progress (Run *self)
{
  if (!self->stopped && self->options->on_progress != NULL)
    self->stopped = !self->options->on_progress (self->summary, self->options->data);
  return !self->stopped;
}

/* Returns: FALSE if it is to stop before */
static gboolean
wait_until (Run *self, gint64 due)
{
  while (progress (self) && now (self) < due)
    self->hooks.sleep (MIN (due - now (self), G_USEC_PER_SEC / PARTS_A_SECOND), self->hooks.data);
  return !self->stopped;
}

static void
report (Run *self, const TallFinding *finding)
{
  gboolean is_note = tall_finding_kind_is_note (finding->kind);
  self->summary->n_notes += is_note;
  self->summary->n_findings += !is_note;
  self->summary->n_for_person += tall_finding_kind_info (finding->kind)->needs_person;
  self->summary->n_mended += finding->mended;
  if (self->options->on_finding != NULL)
    self->options->on_finding (finding, self->options->data);
}

/* Those that need not wait go before the others that need not, in their order. */
static void
keep_suspects (Run *self, const TallVerifyPart *part)
{
  for (guint i = part->n_suspects; i > 0; i--)
    {
      const TallVerifySuspect *suspect = &part->suspects[i - 1];
      if (suspect->at_once)
        g_queue_push_head (&self->ready, g_bytes_new (suspect->state.data, suspect->state.len));
    }
  for (guint i = 0; i < part->n_suspects; i++)
    {
      const TallVerifySuspect *suspect = &part->suspects[i];
      if (suspect->at_once)
        continue;
      Waiting *waiting = g_new (Waiting, 1);
      waiting->state = g_bytes_new (suspect->state.data, suspect->state.len);
      waiting->since = now (self);
      g_queue_push_tail (&self->waiting, waiting);
    }
}

static void
take_part (Run *self, const TallVerifyPart *part)
{
  self->summary->n_customers += part->n_customers;
  self->summary->n_orders += part->n_orders;
  self->summary->n_hints += part->n_hints;
  self->summary->n_ids += part->n_ids;
  self->summary->n_busy += part->n_busy;
  self->n_looked += part->n_customers + part->n_orders + part->n_hints + part->n_ids;
  if (part->is_broken || part->n_busy > 0)
    self->summary->is_whole = FALSE;
  for (guint i = 0; i < part->n_findings; i++)
    report (self, &part->findings[i]);
  keep_suspects (self, part);
}

/* Returns: a part; one with nothing but an error if there is none */
static TallVerifyPart *
ask_once (Run *self, const TallVerifyRequest *request)
{
  GError *error = NULL;
  TallVerifyPart *part = tall_front_verify_some (self->front, request, &error);
  if (part != NULL)
    return part;
  part = g_new0 (TallVerifyPart, 1);
  part->arena = tall_arena_new (0);
  part->error = error;
  return part;
}

/* Of two answers the one without a failure, or the one that has found more. Frees the other. */
static TallVerifyPart *
choose_part (TallVerifyPart *before, TallVerifyPart *again)
{
  gboolean better = again->error == NULL || again->n_findings >= before->n_findings;
  tall_verify_part_free (better ? before : again);
  return better ? again : before;
}

/* Waits while nothing answers. The rate that is asked for does not make up for it. */
static gboolean
pause_for (Run *self, gint64 pause, const GError *trouble)
{
  gint64 begun = now (self);
  self->summary->trouble = trouble->message;
  gboolean go_on = wait_until (self, begun + pause);
  self->summary->trouble = NULL;
  self->begun += now (self) - begun;
  return go_on;
}

/* Asks until there is an answer. If there never is one, what was found before the failure counts.
 */
static TallVerifyPart *
ask (Run *self, const TallVerifyRequest *request)
{
  TallVerifyPart *part = ask_once (self, request);
  for (gint64 pause = FIRST_PAUSE; pause <= LAST_PAUSE; pause *= 2)
    {
      if (part->error == NULL || !tall_error_is_passing (part->error)
          || !pause_for (self, pause, part->error))
        break;
      part = choose_part (part, ask_once (self, request));
    }
  return part;
}

/* @suspects: (nullable): of TallSlice; NULL: goes on */
static gboolean
run_part (Run *self, const GArray *suspects, GError **error)
{
  guint rate = self->options->rate;
  TallVerifyRequest request = {
    .customer_number = self->options->customer_number,
    .sample = self->options->sample,
    .repair = self->options->repair,
    .most = rate == 0 ? 0 : MAX (rate / PARTS_A_SECOND, 1),
    .cursor = tall_slice_array (self->cursor),
  };
  if (suspects != NULL)
    {
      request.suspects = (const TallSlice *)suspects->data;
      request.n_suspects = suspects->len;
    }
  g_autoptr (TallVerifyPart) part = ask (self, &request);
  take_part (self, part);
  if (part->error == NULL && suspects == NULL)
    tall_bytes_set (self->cursor, part->cursor);
  if (part->error == NULL || self->stopped)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&part->error));
  return FALSE;
}

/* Those that have waited long enough are ready. */
static void
move_ready (Run *self)
{
  gint64 patience = MAX (TALL_VERIFY_PATIENCE, self->hooks.patience);
  for (Waiting *first; (first = g_queue_peek_head (&self->waiting)) != NULL;)
    {
      if (!self->options->alone && now (self) < first->since + patience)
        return;
      g_queue_push_tail (&self->ready, g_bytes_ref (first->state));
      waiting_free (g_queue_pop_head (&self->waiting));
    }
}

/* Waits until a suspect is ready. */
static void
await_ready (Run *self)
{
  for (move_ready (self); self->ready.length == 0 && progress (self); move_ready (self))
    self->hooks.sleep (G_USEC_PER_SEC / 10, self->hooks.data);
}

static gboolean
look_again (Run *self, GError **error)
{
  g_autoptr (GPtrArray) states = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  g_autoptr (GArray) suspects = g_array_new (FALSE, FALSE, sizeof (TallSlice));
  gsize n_bytes = 0;
  while (self->ready.length > 0 && states->len < TALL_VERIFY_SUSPECTS && n_bytes < MOST_SENT)
    {
      GBytes *state = g_queue_pop_head (&self->ready);
      TallSlice slice = tall_slice_bytes (state);
      n_bytes += slice.len;
      g_ptr_array_add (states, state);
      g_array_append_val (suspects, slice);
    }
  return run_part (self, suspects, error);
}

/* Looks again at what looked wrong, until at most so many suspects are left. */
static gboolean
settle (Run *self, guint most_left, GError **error)
{
  while (self->ready.length + self->waiting.length > most_left)
    {
      await_ready (self);
      if (self->stopped)
        return TRUE;
      if (!look_again (self, error) || !progress (self))
        return self->stopped;
    }
  return TRUE;
}

/* Slows down to the rate that was asked for. */
static void
keep_rate (Run *self)
{
  guint rate = self->options->rate;
  if (rate == 0)
    return;
  (void)wait_until (self, self->begun + (gint64)(self->n_looked * G_USEC_PER_SEC / rate));
}

static gboolean
run (Run *self, GError **error)
{
  gboolean ended = FALSE;
  while (!ended && progress (self))
    {
      if (!run_part (self, NULL, error) || !settle (self, MOST_WAITING, error))
        return FALSE;
      ended = self->cursor->len == 0;
      keep_rate (self);
    }
  return settle (self, 0, error);
}

/**
 * tall_verify_run:
 * @front: which is asked for one part after the other
 * @hooks: (nullable): time, for tests
 * @options: what is verified
 * @summary: (out): how far it came, also after an error
 *
 * Reads everything and reports what is wrong. What looks wrong is a suspect first, because somebody
 * may be writing it: it is looked at again after a time in which every operation comes to its end.
 * A bounded number of suspects is held in memory. Nothing is changed unless it is to repair. If the
 * front fails in a way that passes, it is asked again, for a minute.
 *
 * Returns: FALSE if a table could not be read for so long, the customer has no id, or the front
 * says so
 */
gboolean
tall_verify_run (TallFront *front,
                 const TallStoreHooks *hooks,
                 const TallVerifyOptions *options,
                 TallVerifySummary *summary,
                 GError **error)
{
  Run self = { .front = front, .options = options, .summary = summary };
  tall_store_hooks_complete (&self.hooks, hooks);
  *summary = (TallVerifySummary){ .is_whole = TRUE };
  self.cursor = g_byte_array_new ();
  self.begun = now (&self);
  gboolean done = run (&self, error);
  if (!done || self.stopped)
    summary->is_whole = FALSE;
  g_byte_array_unref (self.cursor);
  g_queue_clear_full (&self.ready, (GDestroyNotify)g_bytes_unref);
  g_queue_clear_full (&self.waiting, (GDestroyNotify)waiting_free);
  return done;
}

/**
 * tall_front_verify:
 * @options: (nullable): what is verified; NULL: everything
 * @summary: (out): how far it came, also after an error
 *
 * Reads everything that is stored, in bounded memory, and reports what is wrong. Nothing is
 * reported that a writer is merely doing: what looks wrong is looked at again after some seconds.
 * If the store or the server goes away, it waits a minute for it to come back, and goes on.
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED if this front cannot verify, %TALL_ERROR_NOT_FOUND if
 *   nothing was ever stored of the customer, or with what the store says
 */
gboolean
tall_front_verify (TallFront *self,
                   const TallVerifyOptions *options,
                   TallVerifySummary *summary,
                   GError **error)
{
  static const TallVerifyOptions everything = { 0 };
  g_return_val_if_fail (TALL_IS_FRONT (self), FALSE);
  g_return_val_if_fail (summary != NULL, FALSE);

  *summary = (TallVerifySummary){ 0 };
  if (options == NULL)
    options = &everything;
  if (TALL_FRONT_GET_CLASS (self)->verify != NULL)
    return TALL_FRONT_GET_CLASS (self)->verify (self, options, summary, error);
  return tall_verify_run (self, NULL, options, summary, error);
}
