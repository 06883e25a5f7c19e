/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/copy.h"
#include "tall-error.h"
#include "migrate/pass-private.h"
#include "base/workers.h"

#define BATCH 64 /* items that are copied together, at most */
#define BATCH_BYTES (4 * 1024 * 1024)
#define FIRST 8      /* the same while nobody knows how large they are */
#define MOST_TRIES 6 /* of a batch, after errors that pass */
#define MOST_SAMPLED_PAGES 32
#define FIRST_WAIT (G_USEC_PER_SEC / 20)

/* A row that is to be compared, and copied if it differs. */
typedef struct
{
  const TallRow *row;
  guint64 mark; /* 0: its state cannot be read */
} Candidate;

/* Root rows that were read together. */
typedef struct
{
  TallPass *pass;
  const char *table;
  const TallRow *rows;
  GArray *candidates; /* of Candidate */
  gint next;          /* atomic: the first candidate that nobody has taken */
} Page;

/* What a state says, of everything that was ever committed. */
static void
count_state (const TallRoot *root, gboolean of_order, TallPassCounts *counts)
{
  if (of_order)
    counts->n_orders++;
  else
    counts->n_customers++;
  counts->n_lines += root->state.n_lines;
}

/* Looks at each row. @marks gets one for each, 0 for those of which there is nothing to know. */
static void
look (TallPass *self, const char *table, const TallRows *rows, guint64 *marks)
{
  const TallStoreContext *source = self->options.copier.source;
  TallPassCounts counts = { 0 };
  for (guint i = 0; i < rows->n_rows; i++)
    {
      TallRoot root = { 0 }; /* no stranger's, so that it owns nothing */
      TallSlice summary;
      const TallRow *row = &rows->rows[i];
      if (!tall_root_parse_state (&root, row, &summary, NULL) || !root.exists
          || root.state.revision == 0)
        continue;
      gboolean of_order = tall_copy_is_order (source, table, row->key);
      gboolean claimed = of_order && !source->layout->single_row;
      marks[i] = tall_copied_make_mark (self->copied, row->key, &root, summary, !claimed);
      count_state (&root, of_order, &counts);
    }
  tall_pass_count (self, &counts);
}

static void
note (TallPass *self, const TallCopyItem *items, const Candidate *candidates, guint n)
{
  TallPassCounts counts = { 0 };
  guint64 marks[BATCH];
  guint n_marks = 0;
  gsize n_bytes = 0;
  for (guint i = 0; i < n; i++)
    {
      const TallCopyItem *item = &items[i];
      gboolean known = item->outcome == TALL_COPY_SAME || item->outcome == TALL_COPY_COPIED
                       || item->outcome == TALL_COPY_NOTHING;
      if (known && candidates[i].mark != 0)
        marks[n_marks++] = candidates[i].mark;
      counts.n_copied += item->outcome == TALL_COPY_COPIED;
      counts.n_moved += item->outcome == TALL_COPY_MOVED;
      counts.n_unfit += item->outcome == TALL_COPY_UNFIT;
      n_bytes += item->content.canonical.len;
    }
  tall_copied_add (self->copied, marks, n_marks);
  g_atomic_int_set (&self->item_size, (gint)MAX (n_bytes / n, 1));
  tall_pass_count (self, &counts);
}

static void
report_unfit (TallPass *self, const TallCopyItem *items, guint n)
{
  if (self->options.on_unfit == NULL)
    return;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  for (guint i = 0; i < n; i++)
    if (items[i].outcome == TALL_COPY_UNFIT)
      self->options.on_unfit (&items[i], self->options.data);
}

static gboolean
try_batch (const Page *page, const Candidate *candidates, guint n, GError **error)
{
  TallPass *self = page->pass;
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallCopyItem items[BATCH];
  for (guint i = 0; i < n; i++)
    {
      tall_copy_item_init (&items[i], &self->options.copier, page->table, candidates[i].row, arena);
      items[i].place = (guint)(candidates[i].row - page->rows);
    }
  gboolean done = tall_copy_run (&self->options.copier, items, n, error);
  if (done)
    {
      report_unfit (self, items, n);
      note (self, items, candidates, n);
    }
  for (guint i = 0; i < n; i++)
    tall_copy_item_clear (&items[i]);
  return done;
}

/* What passes is tried again; a table that was shut stays so. */
static gboolean
copy_batch (const Page *page, const Candidate *candidates, guint n, GError **error)
{
  const TallStoreHooks *hooks = &page->pass->options.copier.source->hooks;
  gint64 wait = FIRST_WAIT;
  for (guint i = 1;; i++, wait *= 2)
    {
      GError *cause = NULL;
      tall_pass_keep_rate (page->pass);
      if (try_batch (page, candidates, n, &cause))
        return TRUE;
      if (i == MOST_TRIES || !tall_error_is_passing (cause)
          || g_error_matches (cause, TALL_ERROR, TALL_ERROR_SHUT)
          || tall_pass_is_stopping (page->pass))
        {
          g_propagate_error (error, cause);
          return FALSE;
        }
      g_error_free (cause);
      hooks->sleep (wait, hooks->data);
    }
}

/* So many that they are not too large together, if they are like those before. */
static guint
choose_size (const TallPass *self)
{
  gint item_size = g_atomic_int_get (&self->item_size);
  return item_size == 0 ? FIRST : CLAMP (BATCH_BYTES / item_size, 1, BATCH);
}

/* The next batch is of @n at most. Returns: whether there was one */
static gboolean
copy_next (Page *page, guint n)
{
  GError *error = NULL;
  guint n_candidates = page->candidates->len;
  guint next = (guint)g_atomic_int_add (&page->next, (gint)n);
  if (next >= n_candidates)
    return FALSE;
  if (!copy_batch (page, &g_array_index (page->candidates, Candidate, next),
                   MIN (n, n_candidates - next), &error))
    tall_pass_fail (page->pass, error);
  return TRUE;
}

/* Copies one batch after the other, until all are taken. */
static void
copy_batches (gpointer data, guint i G_GNUC_UNUSED)
{
  Page *page = data;
  TallPass *pass = page->pass;
  gboolean left = TRUE;
  while (left && !tall_pass_is_stopping (pass))
    {
      gboolean in_turn = tall_pass_begin_turn (pass);
      gint64 begun = g_get_monotonic_time ();
      guint size = choose_size (pass);
      left = copy_next (page, in_turn ? MIN (size, pass->n_in_turn) : size);
      if (in_turn)
        tall_pass_end_turn (pass, g_get_monotonic_time () - begun);
    }
}

/* The first rows of a page, of not too many pages. */
static void
take_sample (TallPass *self, const char *table, const TallRows *rows)
{
  TallSample sample = { 0 };
  if (g_atomic_int_add (&self->n_sampled, 1) >= MOST_SAMPLED_PAGES)
    return;
  tall_sample_add (&sample, &self->options.copier, table, rows->rows,
                   MIN (rows->n_rows, TALL_SAMPLE_ROWS));
  const TallPassCounts counts = { .sample = sample };
  tall_pass_count (self, &counts);
}

/**
 * tall_pass_page:
 * @rows: root rows of the source, as they were read
 *
 * Copies what of these rows the target does not have.
 */
void
tall_pass_page (TallPass *self, const char *table, const TallRows *rows)
{
  g_autofree guint64 *marks = g_new0 (guint64, rows->n_rows + 1);
  g_autofree gboolean *found = g_new0 (gboolean, rows->n_rows + 1);
  g_autoptr (GArray) candidates = g_array_new (FALSE, FALSE, sizeof (Candidate));
  look (self, table, rows, marks);
  if (self->options.only_count)
    {
      take_sample (self, table, rows);
      if (self->options.draw != NULL)
        tall_draw_add (self->options.draw, self->options.copier.source, table, rows);
      return;
    }
  tall_copied_find (self->copied, marks, rows->n_rows, found);
  for (guint i = 0; i < rows->n_rows; i++)
    {
      const Candidate candidate = { &rows->rows[i], marks[i] };
      if (!found[i])
        g_array_append_val (candidates, candidate);
    }
  Page page = { .pass = self, .table = table, .rows = rows->rows, .candidates = candidates };
  if (candidates->len > 0)
    tall_workers_run_apart (copy_batches, &page, self->n_copying);
}
