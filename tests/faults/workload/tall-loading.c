/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-loading.h"

#include "tall-answer.h"
#include "tall-error.h"
#include "tall-mark.h"

#define MAX_BATCHES 8 /* of a load */
#define PAUSE (G_USEC_PER_SEC / 100)

struct _TallLoading
{
  const TallMixOptions *mix;
  TallFront *front;
  TallBulkExisting existing;
  guint number; /* in the history */
  GRand *rand;
  guint n_puts;
  GThread *thread;
};

static const char *const existing_names[] = {
  [TALL_BULK_REPORT] = "report", [TALL_BULK_SKIP] = "skip", [TALL_BULK_REPLACE] = "replace"
};

/* Returns: FALSE if there is no such way to meet what exists */
gboolean
tall_loading_find (const char *name, TallBulkExisting *existing)
{
  for (guint i = 0; i < G_N_ELEMENTS (existing_names); i++)
    if (g_str_equal (existing_names[i], name))
      {
        *existing = (TallBulkExisting)i;
        return TRUE;
      }
  return FALSE;
}

static gboolean
is_over (const TallLoading *self)
{
  return g_atomic_int_get (&self->mix->stop) || tall_history_now () >= self->mix->end;
}

/* Orders of the generation that are put by one call, in any order. */
typedef struct
{
  GPtrArray *orders; /* of TallOrder */
  guint calls[TALL_MIX_MAX_ORDERS];
  TallBulkResult results[TALL_MIX_MAX_ORDERS];
} Batch;

static void
add_order (TallLoading *self, Batch *batch, const char *customer, guint number)
{
  g_autofree char *content =
      g_strdup_printf ("%s-%u-%u", tall_history_get_process (self->mix->history), self->number,
                       self->n_puts++);
  batch->calls[batch->orders->len] = tall_history_invoke (
      self->mix->history, self->number,
      "\"do\":\"load\",\"customer\":\"%s\",\"order\":%u,\"content\":\"%s\",\"if\":\"%s\"", customer,
      number, content, self->existing == TALL_BULK_REPLACE ? "any" : "new");
  g_ptr_array_add (batch->orders, tall_mark_order (customer, number, content, self->rand));
}

static void
choose_orders (TallLoading *self, Batch *batch)
{
  guint n = self->mix->n_orders;
  guint first = (guint)g_rand_int_range (self->rand, 0, (gint32)n);
  g_autofree char *customer = g_strdup_printf ("generation-%u", tall_mix_generation (self->mix));
  for (guint i = 0; i < n; i++)
    if (i == 0 || g_rand_boolean (self->rand))
      add_order (self, batch, customer, (first + i) % n);
}

/* What the caller of a load may conclude. One that was overtaken may have been there for a moment,
 * and one that meets something is left. */
static GString *
describe (const TallBulkResult *result)
{
  g_autoptr (GError) met = NULL;
  switch (result->outcome)
    {
    case TALL_BULK_OVERTAKEN:
      return g_string_new ("\"outcome\":\"unknown\"");
    case TALL_BULK_SKIPPED:
      tall_error_set_conflict (&met, result->revision, "skipped");
      return tall_answer_begin (met);
    case TALL_BULK_REFUSED:
      return tall_answer_begin (result->error);
    default:
      break;
    }
  GString *line = tall_answer_begin (NULL);
  g_string_append_printf (line, ",\"revision\":%" G_GINT64_FORMAT, result->revision);
  return line;
}

static void
put_batch (TallLoading *self, TallBulk *bulk)
{
  g_autoptr (GError) error = NULL;
  Batch batch = { .orders = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_order_free) };
  choose_orders (self, &batch);
  gboolean done = tall_bulk_put_orders (bulk, (TallOrder *const *)batch.orders->pdata,
                                        batch.orders->len, batch.results, &error);
  gint64 time = tall_history_now ();
  for (guint i = 0; i < batch.orders->len; i++)
    {
      GString *line = done ? describe (&batch.results[i]) : tall_answer_begin (error);
      tall_history_return (self->mix->history, batch.calls[i], time, line->str);
      g_string_free (line, TRUE);
      tall_bulk_result_clear (&batch.results[i]);
    }
  g_ptr_array_unref (batch.orders);
  if (!done)
    g_usleep (PAUSE);
}

static void
load (TallLoading *self)
{
  const TallBulkOptions options = { .on_existing = self->existing, .name = "history" };
  g_autoptr (TallBulk) bulk = tall_bulk_begin (self->front, &options, NULL);
  if (bulk == NULL)
    {
      g_usleep (PAUSE);
      return;
    }
  for (gint n = g_rand_int_range (self->rand, 1, MAX_BATCHES + 1); n > 0 && !is_over (self); n--)
    put_batch (self, bulk);
  g_autoptr (GError) ignored = NULL;
  if (g_rand_int_range (self->rand, 0, 4) > 0 && !tall_bulk_end (bulk, &ignored))
    g_usleep (PAUSE);
}

static gpointer
run (gpointer data)
{
  TallLoading *self = data;
  while (!is_over (self))
    load (self);
  return NULL;
}

/**
 * tall_loading_start:
 * @thread: its number in the history
 *
 * Loads until the options of the mix say that it is enough.
 */
TallLoading *
tall_loading_start (const TallMixOptions *mix,
                    TallFront *front,
                    TallBulkExisting existing,
                    guint thread,
                    guint32 seed)
{
  TallLoading *self = g_new0 (TallLoading, 1);
  self->mix = mix;
  self->front = g_object_ref (front);
  self->existing = existing;
  self->number = thread;
  self->rand = g_rand_new_with_seed (seed);
  self->thread = g_thread_new ("loading", run, self);
  return self;
}

/* Waits until it has ended. */
void
tall_loading_free (TallLoading *self)
{
  g_thread_join (self->thread);
  g_object_unref (self->front);
  g_rand_free (self->rand);
  g_free (self);
}
