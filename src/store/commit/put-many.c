/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/commit/commit.h"
#include "store/commit/put.h"

#include "base/fail.h"
#include "base/workers.h"
#include "store/follow.h"
#include "tall-limits.h"

/* Everything that is to be stored; each worker takes one chain. */
typedef struct
{
  const TallStoreContext *context;
  TallOrder *const *orders;
  const TallWriteOptions *options; /* NULL: none */
  TallOutcome *outcomes;

  TallOperation *operations; /* owned: of each order; they all began together */
  TallContent *contents;     /* owned: of each order; those of wrong ones have no arena */
  guint *next;               /* owned: the next one of the same order; 0 = there is none */
  GArray *chains;            /* owned: of guint: the first one of each order */
  guint n;
} Work;

static void
work_clear (Work *self)
{
  for (guint i = 0; i < self->n; i++)
    {
      tall_operation_clear (&self->operations[i]);
      tall_content_clear (&self->contents[i]);
    }
  g_free (self->operations);
  g_free (self->contents);
  g_free (self->next);
  g_array_unref (self->chains);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Work, work_clear)

static void
prefix_outcome (const Work *self, guint i)
{
  g_prefix_error (&self->outcomes[i].error,
                  "Storing order %s of %s: ", self->orders[i]->order_number,
                  self->orders[i]->customer_number);
}

static const TallWriteOptions *
get_options (const Work *self, guint i)
{
  static const TallWriteOptions no_options = { 0 };
  return self->options != NULL ? &self->options[i] : &no_options;
}

/* The time of all begins to run now, however late one's turn comes: so that the call has an end. */
static void
begin (Work *self)
{
  for (guint i = 0; i < self->n; i++)
    tall_operation_init (&self->operations[i], self->context, self->orders[i]->customer_number,
                         self->orders[i]->order_number, get_options (self, i)->timeout);
}

/* A wrong order is its own outcome's error. FALSE: all together are too large. */
static gboolean
make_contents (Work *self, GError **error)
{
  gsize n_bytes = 0;
  for (guint i = 0; i < self->n; i++)
    {
      GError **own = &self->outcomes[i].error;
      if (!tall_order_normalize (self->orders[i], own))
        continue;
      if (!tall_content_init (&self->contents[i], tall_record_of_order (self->orders[i]), own))
        {
          prefix_outcome (self, i);
          tall_content_clear (&self->contents[i]);
          continue;
        }
      n_bytes += self->contents[i].canonical.len;
      if (n_bytes <= TALL_MAX_MANY_BYTES)
        continue;
      return tall_error_fail (error, TALL_ERROR_TOO_LARGE,
                              "the first %u have more than the %d MiB that are taken at once; "
                              "nothing was stored, make several calls",
                              i + 1, TALL_MAX_MANY_BYTES / 1024 / 1024);
    }
  return TRUE;
}

/* Two of one order follow each other in a chain, so that they are stored one after the other. */
static void
make_chains (Work *self)
{
  g_autoptr (GHashTable) last = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < self->n; i++)
    {
      if (self->contents[i].arena == NULL)
        continue;
      /* No number has a line feed in it. */
      char *name =
          g_strconcat (self->orders[i]->customer_number, "\n", self->orders[i]->order_number, NULL);
      gpointer before;
      if (g_hash_table_lookup_extended (last, name, NULL, &before))
        self->next[GPOINTER_TO_UINT (before)] = i;
      else
        g_array_append_val (self->chains, i);
      g_hash_table_replace (last, name, GUINT_TO_POINTER (i));
    }
}

/* ---- New orders in one step ---- */

#define SLICE 64                 /* orders that a worker takes at once */
#define STEP_BYTES (1024 * 1024) /* of a step, besides its last order */

/* The first orders of their chains, some of them. */
typedef struct
{
  const Work *work;
  guint next; /* of the chains that are left */
  guint end;
} Slice;

/* Of the orders of a slice those that are put in one step. */
typedef struct
{
  TallBatch *batch;  /* owned: the root rows, and at the end also what comes with them */
  TallBatch *others; /* owned: what comes with them */
  guint orders[SLICE];
  TallState committed[SLICE]; /* the state of each */
  guint n;
  gsize size; /* of all rows */
} Step;

static void
step_clear (Step *self)
{
  tall_batch_free (self->batch);
  tall_batch_free (self->others);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Step, step_clear)

static gsize
count_bytes (const TallBatch *batch, guint first)
{
  gsize n = 0;
  for (guint i = first; i < batch->mutations->len; i++)
    n += tall_mutation_get_size (g_ptr_array_index (batch->mutations, i));
  return n;
}

/* FALSE: it does not fit, or it is put by itself. */
static gboolean
step_add (Step *self, const Work *work, const TallStoreContext *context, guint i)
{
  TallOperation *operation = &work->operations[i];
  guint n_roots = self->batch->mutations->len;
  guint n_others = self->others->mutations->len;
  if (operation->context != context)
    tall_operation_move (operation, context);
  if (self->size >= STEP_BYTES || work->outcomes[i].revision != 0
      || !tall_put_append_new (operation, &work->contents[i], get_options (work, i), self->batch,
                               self->others, &self->committed[self->n]))
    return FALSE;
  self->orders[self->n++] = i;
  self->size += count_bytes (self->batch, n_roots) + count_bytes (self->others, n_others);
  return TRUE;
}

static gboolean
step_commit (Step *self, const Work *work, GError **error)
{
  TallOperation *operations[SLICE];
  for (guint i = 0; i < self->n; i++)
    operations[i] = &work->operations[self->orders[i]];
  g_ptr_array_extend (self->batch->mutations, self->others->mutations, NULL, NULL);
  TallStep step = tall_commit_new (operations, self->committed, self->n, self->batch, error);
  for (guint i = 0; i < self->n; i++)
    if (step == TALL_STEP_DONE)
      work->outcomes[self->orders[i]].revision = self->committed[i].revision;
    else
      tall_operation_move (operations[i], operations[i]->context);
  return step == TALL_STEP_DONE || step == TALL_STEP_AGAIN;
}

/* FALSE with @error set: the tables are shut, or something is wrong that each finds out by itself.
 */
static gboolean
put_slice (Slice self, const TallStoreContext *context, GError **error)
{
  while (self.next < self.end)
    {
      g_auto (Step) step = { .batch = tall_batch_new (), .others = tall_batch_new () };
      while (self.next < self.end
             && step_add (&step, self.work, context,
                          g_array_index (self.work->chains, guint, self.next)))
        self.next++;
      if (step.n == 0)
        self.next++;
      else if (!step_commit (&step, self.work, error))
        return FALSE;
    }
  return TRUE;
}

/* Puts what is taken for new where a table changes the rows of several orders in one step, which
 * syncs once for all of them. What is not stored then, for whatever reason, is put by itself. */
static void
put_new (gpointer data, guint number)
{
  const Work *work = data;
  guint first = number * SLICE;
  const Slice slice = { work, first, MIN (first + SLICE, work->chains->len) };
  g_auto (TallOperation) all = { 0 };
  GError *error = NULL;
  tall_operation_init (&all, work->context, NULL, NULL, 0);
  all.writes = TRUE;
  for (guint i = slice.next; i < slice.end; i++)
    {
      const TallOperation *each = &work->operations[g_array_index (work->chains, guint, i)];
      all.deadline = MIN (all.deadline, each->deadline);
      all.end = MIN (all.end, each->end);
    }
  while (tall_follow (&all, &error))
    (void)put_slice (slice, all.context, &error);
  g_clear_error (&error);
}

/* ---- One by one ---- */

static void
put_one (const Work *self, guint i)
{
  TallOperation *operation = &self->operations[i];
  TallOutcome *outcome = &self->outcomes[i];

  if (outcome->revision != 0) /* it is stored */
    return;
  if (operation->sent == NULL && tall_operation_is_over (operation))
    g_set_error (&outcome->error, TALL_ERROR, TALL_ERROR_TIMED_OUT,
                 "its time was over before it was its turn; nothing was done, try again with fewer "
                 "orders in one call, or more time");
  else if (tall_put (operation, &self->contents[i], get_options (self, i), &outcome->revision,
                     &outcome->error))
    return;
  prefix_outcome (self, i);
}

static void
put_chain (gpointer data, guint chain)
{
  const Work *self = data;
  guint i = g_array_index (self->chains, guint, chain);
  do
    {
      put_one (self, i);
      i = self->next[i];
    }
  while (i != 0);
}

/**
 * tall_put_many:
 *
 * Stores @n orders, each for itself, several at once; new ones in one step where the table changes
 * several rows in one. The time of each runs from the beginning of
 * the call, not from its turn: the whole call takes no longer than the longest of them. One whose
 * turn does not come in time is %TALL_ERROR_TIMED_OUT, and nothing was tried.
 *
 * Returns: FALSE if nothing was stored and nothing tried; else each outcome tells
 */
gboolean
tall_put_many (const TallStoreContext *context,
               TallOrder *const *orders,
               const TallWriteOptions *options,
               guint n,
               TallOutcome *outcomes,
               GError **error)
{
  g_auto (Work) work = {
    .context = context,
    .orders = orders,
    .options = options,
    .outcomes = outcomes,
    .operations = g_new0 (TallOperation, n),
    .contents = g_new0 (TallContent, n),
    .next = g_new0 (guint, n),
    .chains = g_array_new (FALSE, FALSE, sizeof (guint)),
    .n = n,
  };

  for (guint i = 0; i < n; i++)
    outcomes[i].revision = 0; /* those of an earlier call may be used again */
  begin (&work);
  if (!make_contents (&work, error))
    return FALSE;
  make_chains (&work);
  if (context->together > 1 && work.chains->len > 1)
    tall_workers_run (put_new, &work, (work.chains->len + SLICE - 1) / SLICE);
  tall_workers_run (put_chain, &work, work.chains->len);
  return TRUE;
}
