/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/pass.h"

#include "base/workers.h"
#include "migrate/copy.h"
#include "store/follow.h"
#include "tall-error.h"

#define FIRST_RANGES 4
#define MOST_RANGES 128 /* of a table */

static void
range_free (TallRange *self)
{
  g_bytes_unref (self->start);
  g_bytes_unref (self->stop);
  g_ptr_array_unref (self->cuts);
  g_free (self);
}

static GPtrArray *
ranges_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify)range_free);
}

static void
add_range (GPtrArray *ranges, const char *table, GBytes *start, GBytes *stop)
{
  TallRange *range = g_new0 (TallRange, 1);
  range->table = table;
  range->start = g_bytes_ref (start);
  range->stop = g_bytes_ref (stop);
  range->cuts = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  g_ptr_array_add (ranges, range);
}

/* @splits: (element-type GByteArray) (nullable) */
static void
add_table (GPtrArray *ranges, const char *table, const GPtrArray *splits)
{
  g_autoptr (GBytes) start = g_bytes_new_static (NULL, 0);
  g_autoptr (GBytes) end = g_bytes_new_static (NULL, 0);
  for (guint i = 0; splits != NULL && i < splits->len; i++)
    {
      const GByteArray *split = g_ptr_array_index (splits, i);
      GBytes *next = g_bytes_new (split->data, split->len);
      add_range (ranges, table, start, next);
      g_bytes_unref (start);
      start = next;
    }
  add_range (ranges, table, start, end);
}

/* Returns: (transfer full) (element-type TallRange): all root rows of a deployment of which nothing
 *   is known: divided as its tables would be, where the key strategy can tell without a sample */
static GPtrArray *
tall_ranges_new (const TallStoreContext *context)
{
  const char *orders = tall_layout_get_order_table (context->layout);
  const char *customers = tall_layout_get_customer_table (context->layout);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) splits =
      tall_key_strategy_make_splits (context->key_strategy, FIRST_RANGES, NULL, &error);
  GPtrArray *ranges = ranges_new ();
  add_table (ranges, orders, splits);
  if (!g_str_equal (orders, customers))
    add_table (ranges, customers, splits);
  return ranges;
}

static guint
count_pages (const GPtrArray *ranges, const char *table)
{
  guint n = 0;
  for (guint i = 0; i < ranges->len; i++)
    {
      const TallRange *range = g_ptr_array_index (ranges, i);
      if (g_str_equal (range->table, table))
        n += 1 + range->cuts->len;
    }
  return n;
}

/* @ranges: that were walked
 *
 * Returns: (transfer full): the same rows, in ranges that have about as many pages each */
static GPtrArray *
ranges_divide (const GPtrArray *ranges)
{
  GPtrArray *divided = ranges_new ();
  for (guint i = 0; i < ranges->len; i++)
    {
      const TallRange *range = g_ptr_array_index (ranges, i);
      guint every = count_pages (ranges, range->table) / MOST_RANGES + 1;
      GBytes *start = range->start;
      for (guint j = every - 1; j < range->cuts->len; j += every)
        {
          GBytes *cut = g_ptr_array_index (range->cuts, j);
          add_range (divided, range->table, start, cut);
          start = cut;
        }
      add_range (divided, range->table, start, range->stop);
    }
  return divided;
}

#define SHOW_EVERY (G_USEC_PER_SEC / 10)
#define LONGEST_REST (G_USEC_PER_SEC / 20) /* after a few items, or a page */
#define LEAST_IN_TURN 2                    /* items */
#define MOST_IN_TURN 8
#define TURN_BYTES (64 * 1024)
#define RESTS 5              /* so many times as long as it has worked */
#define ALERT G_USEC_PER_SEC /* so long after an operation the next may come */

static gboolean
pass_is_stopping (const TallPass *self)
{
  return g_atomic_int_get (&self->stopping) != 0;
}

/* @error: (transfer full): why the pass cannot go on; the first one counts */
static void
pass_fail (TallPass *self, GError *error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  if (self->error == NULL)
    self->error = error;
  else
    g_error_free (error);
  g_atomic_int_set (&self->stopping, 1);
}

/* With the mutex held. */
static void
show_progress (TallPass *self)
{
  gint64 now = g_get_monotonic_time ();
  if (self->options.on_progress == NULL || now - self->shown < SHOW_EVERY)
    return;
  self->shown = now;
  self->counts.duration = now - self->begun;
  if (self->options.on_progress (&self->counts, self->options.data))
    return;
  self->counts.stopped = TRUE;
  g_atomic_int_set (&self->stopping, 1);
}

/* @more: is added to what was met so far */
static void
pass_count (TallPass *self, const TallPassCounts *more)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  self->counts.n_orders += more->n_orders;
  self->counts.n_customers += more->n_customers;
  self->counts.n_lines += more->n_lines;
  self->counts.n_copied += more->n_copied;
  self->counts.n_moved += more->n_moved;
  self->counts.n_unfit += more->n_unfit;
  self->counts.sample.n_from += more->sample.n_from;
  self->counts.sample.n_to += more->sample.n_to;
  self->counts.sample.n_read += more->sample.n_read;
  self->counts.sample.duration += more->sample.duration;
  show_progress (self);
}

/* Waits until more may be copied. */
static void
pass_keep_rate (TallPass *self)
{
  guint rate = self->options.rate;
  while (rate != 0 && !pass_is_stopping (self))
    {
      g_mutex_lock (&self->mutex);
      gint64 due = self->begun + (gint64)(self->counts.n_copied * G_USEC_PER_SEC / rate);
      show_progress (self);
      g_mutex_unlock (&self->mutex);
      gint64 wait = due - g_get_monotonic_time ();
      if (wait <= 0)
        return;
      g_usleep ((gulong)MIN (wait, SHOW_EVERY));
    }
}

/* Whether operations have begun lately: calls that come one by one leave turns without any between
 * them. With the turn. */
static gboolean
is_shared (TallPass *self)
{
  guint n_begun = tall_follow_count ();
  gint64 now = g_get_monotonic_time ();
  if (n_begun != self->n_begun)
    self->shared_until = now + ALERT;
  self->n_begun = n_begun;
  return now < self->shared_until;
}

/* If others work beside, in this process, one thread reads a page or copies a little at a time, and
 * rests: else their calls would wait for processors, and behind large writes. Another process takes
 * a rate.
 *
 * Returns: whether it is so; if so, pass_end_turn() has to follow */
static gboolean
pass_begin_turn (TallPass *self)
{
  if (self->hurried)
    return FALSE;
  g_mutex_lock (&self->turn);
  if (is_shared (self))
    return TRUE;
  g_mutex_unlock (&self->turn);
  return FALSE;
}

/* @took: what the turn has taken, microseconds
 * @worked: what of that it has worked */
static void
pass_end_turn (TallPass *self, gint64 took, gint64 worked)
{
  const TallStoreHooks *hooks = &self->options.copier.source->hooks;
  gint64 begun = g_get_monotonic_time ();
  if (!pass_is_stopping (self))
    hooks->sleep (MIN (worked * RESTS, LONGEST_REST), hooks->data);
  gint64 rested = g_get_monotonic_time () - begun;
  g_mutex_unlock (&self->turn);
  g_mutex_lock (&self->mutex);
  self->spared += rested + took - took / self->n_parallel;
  g_mutex_unlock (&self->mutex);
}

/* In an embedded store it is this thread that works, and while it waits for a processor or for
 * writers before it, others do; elsewhere it waits for servers that work for it. Microseconds. */
static gint64
get_work (const TallPass *self)
{
  struct timespec now;
  if (!self->is_embedded || clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now) != 0)
    return g_get_monotonic_time ();
  return now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

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
  pass_count (self, &counts);
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
  pass_count (self, &counts);
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
      pass_keep_rate (page->pass);
      if (try_batch (page, candidates, n, &cause))
        return TRUE;
      if (i == MOST_TRIES || !tall_error_is_passing (cause)
          || g_error_matches (cause, TALL_ERROR, TALL_ERROR_SHUT) || pass_is_stopping (page->pass))
        {
          g_propagate_error (error, cause);
          return FALSE;
        }
      g_error_free (cause);
      hooks->sleep (wait, hooks->data);
    }
}

/* So many that they are not too large together, if they are like those before. In an embedded store
 * writers wait behind what is copied in one turn. */
static guint
choose_size (const TallPass *self, gboolean in_turn)
{
  gint item_size = g_atomic_int_get (&self->item_size);
  gint n = item_size == 0 ? FIRST : CLAMP (BATCH_BYTES / item_size, 1, BATCH);
  gint in_embedded = CLAMP (TURN_BYTES / MAX (item_size, 1), LEAST_IN_TURN, MOST_IN_TURN);
  if (!in_turn)
    return (guint)n;
  return (guint)MIN (n, !self->is_embedded ? MOST_IN_TURN
                        : item_size == 0   ? LEAST_IN_TURN
                                           : in_embedded);
}

/* Copies one batch after the other, until all are taken. */
static void
copy_batches (gpointer data, guint i G_GNUC_UNUSED)
{
  Page *page = data;
  TallPass *pass = page->pass;
  guint n_candidates = page->candidates->len, next = 0;
  while (next < n_candidates && !pass_is_stopping (pass))
    {
      GError *error = NULL;
      gboolean in_turn = pass_begin_turn (pass);
      gint64 begun = g_get_monotonic_time (), work = get_work (pass);
      guint n = choose_size (pass, in_turn);
      next = (guint)g_atomic_int_add (&page->next, (gint)n);
      if (next < n_candidates
          && !copy_batch (page, &g_array_index (page->candidates, Candidate, next),
                          MIN (n, n_candidates - next), &error))
        pass_fail (pass, error);
      if (in_turn)
        pass_end_turn (pass, g_get_monotonic_time () - begun, get_work (pass) - work);
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
  pass_count (self, &counts);
}

/* @rows: root rows of the source, as they were read
 *
 * Copies what of these rows the target does not have. */
static void
pass_page (TallPass *self, const char *table, const TallRows *rows)
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

#define PAGE_ROWS 1024
#define PAGE_BYTES (1 << 20)
#define PAGE_TIME (60 * G_USEC_PER_SEC)

/* In an embedded store threads share the processors with it, and writers wait behind what is copied
 * in one piece. */
static void
choose_parts (TallPass *self)
{
  TallTableInfo info;
  tall_table_get_info (self->options.copier.source->table, &info);
  self->n_parallel =
      info.is_exclusive ? CLAMP (g_get_num_processors (), 1, TALL_PASS_THREADS) : TALL_PASS_THREADS;
  self->is_embedded = info.is_exclusive;
  self->copies_in_order = info.is_exclusive && !self->options.only_count;
}

/**
 * tall_pass_new:
 * @options: copied; the contexts of its copier must outlive the passes
 */
TallPass *
tall_pass_new (const TallPassOptions *options)
{
  TallPass *self = g_new0 (TallPass, 1);
  self->options = *options;
  self->copied =
      tall_copied_new (options->remembered != 0 ? options->remembered : TALL_COPIED_MOST);
  self->options.copier.places = self->places = tall_copied_new (2 * TALL_COPIED_MOST);
  self->ranges = tall_ranges_new (options->copier.source);
  choose_parts (self);
  self->n_begun = tall_follow_count ();
  g_mutex_init (&self->mutex);
  g_mutex_init (&self->turn);
  return self;
}

void
tall_pass_free (TallPass *self)
{
  if (self == NULL)
    return;
  tall_copied_free (self->copied);
  tall_copied_free (self->places);
  g_ptr_array_unref (self->ranges);
  g_mutex_clear (&self->mutex);
  g_mutex_clear (&self->turn);
  g_clear_error (&self->error);
  g_free (self);
}

static TallReadResult *
read_page (const TallPass *self, const TallRange *range, const GByteArray *start, GError **error)
{
  const TallStoreContext *source = self->options.copier.source;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallRead *read = tall_read_plan_add_scan (plan, range->table, tall_slice_array (start),
                                            tall_slice_bytes (range->stop));
  read->limit = PAGE_ROWS;
  read->max_bytes = PAGE_BYTES;
  tall_root_narrow (read);
  tall_read_plan_set_uncached (plan);
  TallReadResult *result =
      tall_table_read (source->table, plan, g_get_monotonic_time () + PAGE_TIME, error);
  if (result == NULL)
    g_prefix_error (error, "Reading table %s: ", range->table);
  return result;
}

static TallReadResult *
read_page_in_turn (TallPass *self, const TallRange *range, const GByteArray *start, GError **error)
{
  gboolean in_turn = pass_begin_turn (self);
  gint64 begun = g_get_monotonic_time (), work = get_work (self);
  TallReadResult *result = read_page (self, range, start, error);
  if (in_turn)
    pass_end_turn (self, g_get_monotonic_time () - begun, get_work (self) - work);
  return result;
}

/* Walks over a range, page by page. */
static gboolean
walk (TallPass *self, TallRange *range, GError **error)
{
  g_autoptr (GByteArray) next = g_byte_array_new ();
  tall_bytes_set (next, tall_slice_bytes (range->start));
  g_ptr_array_set_size (range->cuts, 0);
  while (!pass_is_stopping (self))
    {
      g_autoptr (TallReadResult) result = read_page_in_turn (self, range, next, error);
      if (result == NULL)
        return FALSE;
      const TallRows *rows = &result->results[0];
      pass_page (self, range->table, rows);
      if (rows->n_rows < PAGE_ROWS && !rows->cut)
        return TRUE;
      tall_bytes_set_after (next, rows->rows[rows->n_rows - 1].key);
      g_ptr_array_add (range->cuts, g_bytes_new (next->data, next->len));
    }
  return TRUE;
}

/* Walks over one range after the other, until all are taken. */
static void
walk_ranges (gpointer data, guint i G_GNUC_UNUSED)
{
  TallPass *self = data;
  while (!pass_is_stopping (self))
    {
      GError *error = NULL;
      guint next = (guint)g_atomic_int_add (&self->next, 1);
      if (next >= self->ranges->len)
        return;
      if (!walk (self, g_ptr_array_index (self->ranges, next), &error))
        pass_fail (self, error);
    }
}

/* The next pass walks over ranges that are alike. */
static void
divide (TallPass *self)
{
  GPtrArray *divided = ranges_divide (self->ranges);
  g_ptr_array_unref (self->ranges);
  self->ranges = divided;
}

/**
 * tall_pass_lift_rate:
 *
 * From the next pass on it copies as fast as it can: rate and rests spare those who work meanwhile,
 * and now they wait for it.
 */
void
tall_pass_lift_rate (TallPass *self)
{
  self->options.rate = 0;
  self->hurried = TRUE;
}

/**
 * tall_pass_run:
 * @counts: (out)
 *
 * Looks at the state of everything in the source, and copies what the target does not have. What
 * earlier passes have found equal, and is unchanged since, costs no read of the target.
 *
 * Returns: FALSE with what a table says. It is harmless to run it again
 */
gboolean
tall_pass_run (TallPass *self, TallPassCounts *counts, GError **error)
{
  self->counts = (TallPassCounts){ 0 };
  self->begun = self->shown = g_get_monotonic_time ();
  self->next = self->stopping = self->n_sampled = 0;
  self->spared = 0;
  guint n_walking = self->copies_in_order ? 1 : MIN (self->ranges->len, TALL_PASS_THREADS);
  self->n_copying = n_walking < TALL_PASS_THREADS ? TALL_PASS_THREADS : 1;
  tall_workers_run_apart (walk_ranges, self, n_walking);
  self->counts.duration = MAX (g_get_monotonic_time () - self->begun - self->spared, 0);
  *counts = self->counts;
  if (self->error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&self->error));
      return FALSE;
    }
  if (counts->stopped)
    return TRUE;
  self->copies_in_order = FALSE;
  divide (self);
  return TRUE;
}
