/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/pass-private.h"

#include "tall-error.h"
#include "store/follow.h"
#include "base/workers.h"

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
  self->n_in_turn = info.is_exclusive ? 2 : 8;
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
  gboolean in_turn = tall_pass_begin_turn (self);
  gint64 begun = g_get_monotonic_time ();
  TallReadResult *result = read_page (self, range, start, error);
  if (in_turn)
    tall_pass_end_turn (self, g_get_monotonic_time () - begun);
  return result;
}

/* Walks over a range, page by page. */
static gboolean
walk (TallPass *self, TallRange *range, GError **error)
{
  g_autoptr (GByteArray) next = g_byte_array_new ();
  tall_bytes_set (next, tall_slice_bytes (range->start));
  g_ptr_array_set_size (range->cuts, 0);
  while (!tall_pass_is_stopping (self))
    {
      g_autoptr (TallReadResult) result = read_page_in_turn (self, range, next, error);
      if (result == NULL)
        return FALSE;
      const TallRows *rows = &result->results[0];
      tall_pass_page (self, range->table, rows);
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
  while (!tall_pass_is_stopping (self))
    {
      GError *error = NULL;
      guint next = (guint)g_atomic_int_add (&self->next, 1);
      if (next >= self->ranges->len)
        return;
      if (!walk (self, g_ptr_array_index (self->ranges, next), &error))
        tall_pass_fail (self, error);
    }
}

/* The next pass walks over ranges that are alike. */
static void
divide (TallPass *self)
{
  GPtrArray *divided = tall_ranges_divide (self->ranges);
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
