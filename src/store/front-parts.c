/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/context.h"
#include "store/verify/verify.h"
#include "tall-error.h"
#include "tall-front.h"
#include "tall-limits.h"

/* What does not answer is asked again after pauses that double: for a minute in all, in which a
 * server, or the store below it, starts again. */
#define FIRST_PAUSE (G_USEC_PER_SEC / 4)
#define LAST_PAUSE (32 * G_USEC_PER_SEC)
#define LOOK (G_USEC_PER_SEC / 10) /* between two calls of go_on */

/* Somebody who asks a front for one part after the other. */
typedef struct
{
  TallFront *front;
  TallStoreHooks hooks;
  gconstpointer request;
  gpointer (*ask) (TallFront *front, gconstpointer request, GError **error);
  /* Whether to go on. @trouble: (nullable): why there is no answer */
  gboolean (*go_on) (const GError *trouble, gpointer data);
  gpointer data;
} Asker;

/* Returns: FALSE if it is to end before */
static gboolean
wait (const Asker *self, gint64 microseconds, const GError *trouble)
{
  gint64 end = self->hooks.monotonic (self->hooks.data) + microseconds;
  while (self->go_on (trouble, self->data))
    {
      gint64 left = end - self->hooks.monotonic (self->hooks.data);
      if (left <= 0)
        return TRUE;
      self->hooks.sleep (MIN (left, LOOK), self->hooks.data);
    }
  return FALSE;
}

static gboolean
passes (const GError *error)
{
  return tall_error_is_passing (error)
         || g_error_matches (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
}

/* Asks until there is an answer. A part may be done twice: it does no harm. */
static gpointer
ask (const Asker *self, GError **error)
{
  for (gint64 pause = FIRST_PAUSE;; pause *= 2)
    {
      g_autoptr (GError) cause = NULL;
      gpointer part = self->ask (self->front, self->request, &cause);
      if (part != NULL)
        return part;
      if (pause <= LAST_PAUSE && passes (cause) && wait (self, pause, cause))
        continue;
      g_propagate_error (error, g_steal_pointer (&cause));
      return NULL;
    }
}

/* ---- Erasing ---- */

void
tall_erase_part_free (TallErasePart *self)
{
  if (self == NULL)
    return;
  tall_arena_free (self->arena);
  g_free (self);
}

static const char *const stage_names[] = {
  [TALL_ERASE_DELETING] = "deleting", [TALL_ERASE_WAITING] = "waiting",
  [TALL_ERASE_REMOVING] = "removing", [TALL_ERASE_COMPACTING] = "compacting",
  [TALL_ERASE_DONE] = "done",
};

/**
 * tall_erase_stage_get_name:
 *
 * Returns: (transfer none): as the service calls it
 */
const char *
tall_erase_stage_get_name (TallEraseStage stage)
{
  g_return_val_if_fail ((guint)stage < G_N_ELEMENTS (stage_names), "");
  return stage_names[stage];
}

/**
 * tall_erase_stage_parse:
 * @name: (nullable):
 *
 * Returns: FALSE if it is the name of none
 */
gboolean
tall_erase_stage_parse (const char *name, TallEraseStage *stage)
{
  for (guint i = 0; name != NULL && i < G_N_ELEMENTS (stage_names); i++)
    if (g_str_equal (stage_names[i], name))
      {
        *stage = (TallEraseStage)i;
        return TRUE;
      }
  return FALSE;
}

/**
 * tall_front_erase_some:
 *
 * Does one part of an erase, about a second of work. tall_front_erase_customer() does all of them.
 *
 * Returns: (transfer full): what it has done; NULL with %TALL_ERROR_INVALID for a request that
 *   makes no sense, or with what the store says
 */
TallErasePart *
tall_front_erase_some (TallFront *self, const TallEraseRequest *request, GError **error)
{
  g_return_val_if_fail (TALL_IS_FRONT (self), NULL);

  if (!tall_validate_number (request->customer_number, "customer_number", error))
    return NULL;
  if (TALL_FRONT_GET_CLASS (self)->erase_some != NULL)
    return TALL_FRONT_GET_CLASS (self)->erase_some (self, request, error);
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED, "Customers cannot be erased here");
  return NULL;
}

/* An erase on its way. */
typedef struct
{
  const TallEraseOptions *options;
  TallErasePart *last; /* with the counts of all */
} EraseRun;

static gboolean
erase_goes_on (const GError *trouble G_GNUC_UNUSED, gpointer data)
{
  const EraseRun *self = data;
  return self->options->on_progress == NULL
         || self->options->on_progress (self->last->stage, &self->last->counts,
                                        self->options->data);
}

static gpointer
ask_erase (TallFront *front, gconstpointer request, GError **error)
{
  return tall_front_erase_some (front, request, error);
}

static void
add_counts (TallEraseCounts *sum, const TallEraseCounts *counts)
{
  sum->n_orders += counts->n_orders;
  sum->n_customers += counts->n_customers;
  sum->n_marks += counts->n_marks;
  sum->n_rows += counts->n_rows;
}

/**
 * tall_front_erase_customer:
 * @number: of the customer
 * @options: (nullable):
 *
 * Removes everything of a customer: orders, the numbers in the marks of those that were deleted
 * earlier, the customer, hints and the way from the number to its id. Where others use the store it
 * takes a minute, as calls that are under way may still write beside it. If it ends early, also
 * because the process is killed, it is to be begun again. An order that is stored meanwhile goes,
 * too, or the erase fails; one that is stored afterwards stays. A write that was given more time
 * than a minute may come afterwards.
 *
 * Returns: (transfer full): the last part, with the counts of all, and what is left where; its
 *   stage is not %TALL_ERASE_DONE if it was ended by @options. NULL with %TALL_ERROR_NOT_FOUND if
 *   nothing is there under the number, not even a mark, %TALL_ERROR_CONFLICT if a migration is
 *   under way or orders are still being stored, %TALL_ERROR_DAMAGED if something cannot be read and
 *   stays …
 */
TallErasePart *
tall_front_erase_customer (TallFront *self,
                           const char *number,
                           const TallEraseOptions *options,
                           GError **error)
{
  static const TallEraseOptions none = { 0 };
  g_return_val_if_fail (TALL_IS_FRONT (self), NULL);

  TallEraseRequest request = { .customer_number = number };
  EraseRun run = { options != NULL ? options : &none, g_new0 (TallErasePart, 1) };
  Asker asker = {
    .front = self, .request = &request, .ask = ask_erase, .go_on = erase_goes_on, .data = &run
  };
  tall_store_hooks_complete (&asker.hooks, NULL);
  request.compact = run.options->compact;
  request.alone = run.options->alone;
  run.last->arena = tall_arena_new (0);
  do
    {
      if (!wait (&asker, (gint64)run.last->wait * 1000, NULL))
        break;
      request.cursor = run.last->cursor;
      TallErasePart *part = ask (&asker, error);
      if (part != NULL)
        add_counts (&part->counts, &run.last->counts);
      tall_erase_part_free (run.last);
      run.last = part;
    }
  while (run.last != NULL && run.last->cursor.len > 0);
  return run.last;
}

/* ---- Verifying ---- */

#define PARTS_A_SECOND 10 /* if it is to go slowly */

/* A verification on its way. */
typedef struct
{
  Asker asker;
  const TallVerifyOptions *options;
  TallVerifySummary *summary;
  GByteArray *cursor; /* of the last part */
  guint64 n_looked;   /* at orders and rows */
  gint64 begun;       /* monotonic; later by the time in which nothing came */
  gboolean stopped;
} VerifyRun;

static gint64
now (const VerifyRun *self)
{
  return self->asker.hooks.monotonic (self->asker.hooks.data);
}

static gboolean
verify_goes_on (const GError *trouble, gpointer data)
{
  VerifyRun *self = data;
  self->summary->trouble = trouble != NULL ? trouble->message : NULL;
  if (!self->stopped && self->options->on_progress != NULL)
    self->stopped = !self->options->on_progress (self->summary, self->options->data);
  self->summary->trouble = NULL;
  return !self->stopped;
}

static gpointer
ask_verify (TallFront *front, gconstpointer request, GError **error)
{
  return tall_front_verify_some (front, request, error);
}

static void
report (VerifyRun *self, const TallFinding *finding)
{
  gboolean is_note = tall_finding_kind_is_note (finding->kind);
  self->summary->n_notes += is_note;
  self->summary->n_findings += !is_note;
  self->summary->n_for_person += tall_finding_kind_info (finding->kind)->needs_person;
  self->summary->n_mended += finding->mended;
  if (self->options->on_finding != NULL)
    self->options->on_finding (finding, self->options->data);
}

static void
take_part (VerifyRun *self, const TallVerifyPart *part)
{
  self->summary->n_customers += part->n_customers;
  self->summary->n_orders += part->n_orders;
  self->summary->n_marks += part->n_marks;
  self->summary->n_hints += part->n_hints;
  self->summary->n_ids += part->n_ids;
  self->summary->n_busy += part->n_busy;
  self->n_looked += part->n_customers + part->n_orders + part->n_hints + part->n_ids;
  if (part->is_broken || part->n_busy > 0)
    self->summary->is_whole = FALSE;
  for (guint i = 0; i < part->n_findings; i++)
    report (self, &part->findings[i]);
  tall_bytes_set (self->cursor, part->cursor);
}

/* Slows down to the rate that was asked for. Time in which nothing came is not made up for. */
static void
keep_rate (VerifyRun *self, guint rate)
{
  gint64 due = self->begun + (gint64)(self->n_looked * G_USEC_PER_SEC / rate);
  gint64 late = now (self) - due;
  if (late > LOOK)
    self->begun += late - LOOK;
  else
    (void)wait (&self->asker, -late, NULL);
}

/* Asks for one part, and waits as long as it says. */
static gboolean
run_part (VerifyRun *self, GError **error)
{
  guint rate = self->options->rate;
  const TallVerifyRequest request = {
    .customer_number = self->options->customer_number,
    .sample = self->options->sample,
    .repair = self->options->repair,
    .most = rate == 0 ? 0 : MAX (rate / PARTS_A_SECOND, 1),
    .cursor = tall_slice_array (self->cursor),
  };
  self->asker.request = &request;
  g_autoptr (TallVerifyPart) part = ask (&self->asker, error);
  if (part == NULL)
    return FALSE;
  take_part (self, part);
  if (part->wait > 0 && !self->options->alone)
    (void)wait (&self->asker, (gint64)part->wait * 1000, NULL);
  if (rate > 0)
    keep_rate (self, rate);
  return TRUE;
}

/**
 * tall_verify_run:
 * @front: which is asked for one part after the other
 * @hooks: (nullable): time, for tests
 * @options: what is verified
 * @summary: (out): how far it came, also after an error
 *
 * Reads everything and reports what is wrong. What looks wrong is looked at again after a time in
 * which every operation comes to its end, because somebody may be writing it. Nothing is changed
 * unless it is to repair. If the front fails in a way that passes, it is asked again, for a minute.
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
  gboolean done = TRUE;
  VerifyRun self = { .options = options, .summary = summary, .cursor = g_byte_array_new () };
  self.asker = (Asker){ .front = front, .ask = ask_verify, .go_on = verify_goes_on, .data = &self };
  tall_store_hooks_complete (&self.asker.hooks, hooks);
  *summary = (TallVerifySummary){ .is_whole = TRUE };
  self.begun = now (&self);
  do
    {
      g_autoptr (GError) cause = NULL;
      if (!verify_goes_on (NULL, &self) || run_part (&self, &cause) || self.stopped)
        continue;
      done = FALSE;
      g_propagate_error (error, g_steal_pointer (&cause));
    }
  while (done && !self.stopped && self.cursor->len > 0);
  if (!done || self.stopped)
    summary->is_whole = FALSE;
  g_byte_array_unref (self.cursor);
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
