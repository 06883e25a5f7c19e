/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/migrate-plan.h"

#include "migrate/copy.h"
#include "migrate/migrator.h"
#include "model/canonical.h"
#include "store/bulk/loads.h"
#include "store/commit/root.h"
#include "store/read/index.h"
#include "store/record/generation.h"
#include "base/fail.h"

static void
draw_init (TallDraw *self)
{
  g_mutex_init (&self->mutex);
  self->numbers = g_ptr_array_new_with_free_func (g_free);
  self->n_seen = 0;
}

void
tall_draw_clear (TallDraw *self)
{
  g_mutex_clear (&self->mutex);
  g_clear_pointer (&self->numbers, g_ptr_array_unref);
}

/* Returns: (transfer full) (nullable): whose order a root row is; NULL: it is not an order, or a
 * deleted one, or says nothing */
static char *
find_customer (const TallStoreContext *source, const char *table, const TallRow *row)
{
  TallRoot root = { 0 }; /* no stranger's, so that it owns nothing */
  TallSlice summary;
  TallOrderSummary order;
  g_autoptr (TallArena) arena = tall_arena_new (0);
  if (!tall_root_parse_state (&root, row, &summary, NULL)
      || !tall_root_is_live_order (&root, source) || !tall_copy_is_order (source, table, row->key)
      || !tall_order_summary_parse (summary, arena, &order, NULL))
    return NULL;
  return g_strdup (order.customer_number);
}

/* The place of the next order among those that are drawn; TALL_DRAW_MOST or more: it is not. */
static guint64
choose_place (TallDraw *self)
{
  guint64 n = self->n_seen++;
  return n < TALL_DRAW_MOST ? n : (guint64)(g_random_double () * (gdouble)(n + 1));
}

/**
 * tall_draw_add:
 * @rows: root rows of @source
 *
 * Draws among these, too.
 */
void
tall_draw_add (TallDraw *self,
               const TallStoreContext *source,
               const char *table,
               const TallRows *rows)
{
  for (guint i = 0; i < rows->n_rows; i++)
    {
      g_autofree char *customer = find_customer (source, table, &rows->rows[i]);
      if (customer == NULL)
        continue;
      g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
      guint64 place = choose_place (self);
      if (place < self->numbers->len)
        {
          g_free (self->numbers->pdata[place]);
          self->numbers->pdata[place] = g_steal_pointer (&customer);
        }
      else if (place < TALL_DRAW_MOST)
        g_ptr_array_add (self->numbers, g_steal_pointer (&customer));
    }
}

/* Returns: (transfer full): the numbers of customers, one for each order that was drawn; nothing is
 *   left */
static GStrv
draw_finish (TallDraw *self)
{
  g_ptr_array_add (self->numbers, NULL);
  GPtrArray *numbers = g_steal_pointer (&self->numbers);
  return (GStrv)g_ptr_array_free (numbers, FALSE);
}

#define ANY_ID 1 /* all have the same size */

/* Bytes of all mutations that store it. */
static guint64
measure (TallOperation *operation, const TallCopyItem *item)
{
  tall_index_prepare (operation, item->order, NULL);
  g_autoptr (TallBatch) batch = tall_batch_new ();
  guint64 n_bytes = 0;
  TallMutation *root =
      tall_batch_add (batch, operation->root_table, tall_slice_array (operation->root_row));
  tall_mutation_put (batch, root, TALL_STATE_QUALIFIER, 1,
                     tall_state_encode (&item->wanted, batch->arena));
  tall_content_append (&item->content, operation, 1, batch, root);
  if (item->order != NULL && tall_operation_has_children (operation))
    operation->context->layout->append_children (&operation->key, item->order, 1, batch);
  tall_index_add_hints (operation, 1, batch);
  if (item->order != NULL)
    tall_index_add_dated (operation, &item->wanted, item->summary, batch);
  for (guint i = 0; i < batch->mutations->len; i++)
    n_bytes += tall_mutation_get_size (g_ptr_array_index (batch->mutations, i));
  return n_bytes;
}

/* Whether it is to be measured: live, and where its numbers lead to. */
static gboolean
is_measured (TallCopyItem *item)
{
  return item->outcome == TALL_COPY_OPEN && item->wanted.live
         && tall_operation_identify (&item->from, FALSE, NULL);
}

/**
 * tall_sample_add:
 * @rows: root rows of the source
 * @n: %TALL_SAMPLE_ROWS at most
 *
 * Measures them in both places, and how long it takes to read them together, as a copy does. What
 * is deleted, or cannot be read, is not counted.
 */
void
tall_sample_add (
    TallSample *self, const TallCopier *copier, const char *table, const TallRow *rows, guint n)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallCopyItem items[TALL_SAMPLE_ROWS];
  gint64 begun = g_get_monotonic_time ();
  g_return_if_fail (n <= TALL_SAMPLE_ROWS);
  for (guint i = 0; i < n; i++)
    {
      tall_copy_item_init (&items[i], copier, table, &rows[i], arena);
      if (!is_measured (&items[i]) && items[i].outcome == TALL_COPY_OPEN)
        items[i].outcome = TALL_COPY_NOTHING;
    }
  gboolean read = tall_copy_read (copier, items, n, NULL);
  self->duration += read ? g_get_monotonic_time () - begun : 0;
  self->n_read += read ? n : 0;
  for (guint i = 0; i < n; i++)
    {
      TallCopyItem *item = &items[i];
      if (read && item->outcome == TALL_COPY_OPEN)
        {
          tall_operation_set_id (&item->to, copier->target->ids != NULL ? ANY_ID : 0);
          self->n_from += measure (&item->from, item);
          self->n_to += measure (&item->to, item);
        }
      tall_copy_item_clear (item);
    }
}

#define ALONE_PAUSE (G_USEC_PER_SEC / 20) /* seal and close, where nobody else is */
#define USUAL_PAUSE (2 * G_USEC_PER_SEC)  /* the same through a gateway, with its waits */

/**
 * tall_migrator_estimate_pause:
 * @counts: of the pass before
 *
 * Returns: how long writes will wait, microseconds, if the last pass takes as long as that
 */
gint64
tall_migrator_estimate_pause (const TallMigrator *self, const TallPassCounts *counts)
{
  return counts->duration + (self->is_exclusive ? ALONE_PAUSE : USUAL_PAUSE);
}

/**
 * tall_migrator_get_limit:
 *
 * Returns: how long writes may wait, microseconds
 */
gint64
tall_migrator_get_limit (const TallMigrator *self)
{
  return self->options->pause != 0 ? self->options->pause : TALL_MIGRATE_USUAL_PAUSE;
}

/* Returns: what @n_bytes of @n_sampled are of @n_all */
static guint64
sample_scale (guint64 n_bytes, guint64 n_sampled, guint64 n_all)
{
  return n_sampled == 0 ? 0 : (guint64)((gdouble)n_bytes / (gdouble)n_sampled * (gdouble)n_all);
}

/* Whether the new tables are to be split, and the key strategy cannot do that without knowing the
 * numbers. Each process that makes tables draws its own sample. */
static gboolean
needs_sample (const TallMigrator *self, const TallDeployment *to)
{
  const TallKeyStrategy *strategy = tall_key_strategy_find (to->key_strategy, NULL);
  g_autoptr (GPtrArray) splits =
      g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  return self->move.sample == NULL && strategy != NULL && to->regions > 1
         && !strategy->append_splits (to->regions, NULL, splits, NULL);
}

/* A batch is read in the source and in the target, written, and read back: so much of what reading
 * it takes, by so many threads at once as there are processors, at most. */
#define COPY_PER_READ 2
#define MOST_THREADS 4

static gboolean
on_count (const TallPassCounts *counts, gpointer data)
{
  TallMigrator *self = data;
  self->progress.n_looked = counts->n_orders + counts->n_customers;
  return tall_migrator_show (self, TALL_MIGRATE_COUNTING);
}

/* Walks over everything without copying. @drawn: (nullable): a sample of it */
static gboolean
count (TallMigrator *self,
       const TallStoreContext *source,
       const TallStoreContext *target,
       TallDraw *drawn,
       TallPassCounts *counts,
       GError **error)
{
  const TallPassOptions options = { .copier = { .source = source, .target = target },
                                    .only_count = TRUE,
                                    .draw = drawn,
                                    .on_progress = on_count,
                                    .data = self };
  g_autoptr (TallPass) pass = tall_pass_new (&options);
  return tall_pass_run (pass, counts, error);
}

static guint
count_loads (const TallStoreContext *source)
{
  g_autoptr (GPtrArray) loads = tall_loads_list (source, NULL);
  return loads != NULL ? loads->len : 0;
}

/* A pass that copies, and one that finds out how long it takes to look. */
static gint64
estimate_copying (const TallMigrator *self, const TallPassCounts *counts)
{
  const TallSample *sample = &counts->sample;
  guint64 n = counts->n_orders + counts->n_customers;
  guint64 reading = sample_scale ((guint64)sample->duration, sample->n_read, n);
  gint64 copying =
      (gint64)(reading * COPY_PER_READ / CLAMP (g_get_num_processors (), 1, MOST_THREADS));
  if (self->options->rate != 0)
    copying = MAX (copying, (gint64)(n * G_USEC_PER_SEC / self->options->rate));
  return copying + 2 * counts->duration;
}

/* Returns: (transfer none): for ever */
static const char *
print_indexes (const TallDeployment *deployment)
{
  g_autofree char *text = tall_indexes_print (deployment->index, deployment->indexes, ", ");
  return g_intern_string (text);
}

static TallMigratePlan
make_plan (const TallMigrator *self,
           const TallDeployment *is,
           const TallDeployment *to,
           const TallPassCounts *counts)
{
  guint64 n = counts->n_orders + counts->n_customers;
  gboolean resumed = is->migration.phase != TALL_MIGRATION_NONE;
  return (TallMigratePlan){
    .resumed = resumed,
    .from_layout = is->layout,
    .from_key_strategy = is->key_strategy,
    .from_index = print_indexes (is),
    .to_layout = to->layout,
    .to_key_strategy = to->key_strategy,
    .to_index = print_indexes (to),
    .generation = is->migration.generation,
    .target = resumed ? is->migration.target : is->migration.last + 1,
    .n_orders = counts->n_orders,
    .n_customers = counts->n_customers,
    .n_lines = counts->n_lines,
    .n_bytes = sample_scale (counts->sample.n_from, counts->sample.n_read, n),
    .needed = sample_scale (counts->sample.n_to, counts->sample.n_read, n),
    .room = self->options->room != 0 ? self->options->room : G_MAXUINT64,
    .has_room = self->options->room != 0,
    .copy_time = estimate_copying (self, counts),
    .pause = tall_migrator_estimate_pause (self, counts),
    .pause_limit = tall_migrator_get_limit (self),
  };
}

static gboolean
check_room (const TallMigratePlan *plan, GError **error)
{
  if (plan->resumed || plan->needed <= plan->room)
    return TRUE;
  return tall_error_fail (
      error, TALL_ERROR_TOO_LARGE,
      "The new tables need about %.1f MB, and there is room for %.1f MB; nothing has begun",
      (gdouble)plan->needed / 1e6, (gdouble)plan->room / 1e6);
}

static gboolean
look (TallMigrator *self,
      const TallStoreContext *source,
      const TallStoreContext *target,
      const TallDeployment *to,
      gboolean *agreed,
      GError **error)
{
  g_auto (TallDraw) drawn = { 0 };
  gboolean draws = needs_sample (self, to);
  TallPassCounts counts = { 0 };
  draw_init (&drawn);
  if (self->options->on_plan == NULL && !draws)
    return TRUE;
  if (!count (self, source, target, draws ? &drawn : NULL, &counts, error))
    return FALSE;
  self->progress.n_all = counts.n_orders + counts.n_customers;
  *agreed = !counts.stopped;
  if (*agreed && self->options->on_plan != NULL)
    {
      TallMigratePlan plan = make_plan (self, self->record, to, &counts);
      plan.n_loads = count_loads (source);
      *agreed = self->options->on_plan (&plan, self->options->data);
      if (*agreed && !check_room (&plan, error))
        return FALSE;
    }
  if (draws && *agreed)
    self->move.sample = (const char *const *)(self->sample = draw_finish (&drawn));
  return TRUE;
}

/**
 * tall_migrate_plan:
 * @agreed: (out): whether it is to be done
 *
 * Looks at everything there is, as long as nobody waits for it: shows what is going to be done with
 * it, if anybody wants to know, and draws a sample of the orders, if the new tables cannot be split
 * without one.
 *
 * Returns: FALSE with %TALL_ERROR_TOO_LARGE if there is no room for it, or with what a table says
 */
gboolean
tall_migrate_plan (TallMigrator *self, gboolean *agreed, GError **error)
{
  TallStoreContext source = { 0 }, target = { 0 };
  *agreed = TRUE;
  const TallDeployment *is = self->record;
  const TallDeployment to =
      tall_move_apply (&self->options->move, is->next != NULL ? is->next : is);
  if (is->migration.phase > TALL_MIGRATION_COPYING
      || (is->next == NULL && tall_move_is_empty (&self->options->move))) /* an error is coming */
    return TRUE;
  g_autoptr (TallTable) table = tall_generation_table_new (self->table, is->migration.generation);
  gboolean done = tall_store_context_init (&source, table, is, self->options->hooks, error)
                  && tall_store_context_init (&target, table, &to, self->options->hooks, error)
                  && look (self, &source, &target, &to, agreed, error);
  tall_store_context_clear (&source);
  tall_store_context_clear (&target);
  return done;
}
