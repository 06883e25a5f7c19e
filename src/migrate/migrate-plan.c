/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "store/record/generation.h"
#include "store/bulk/loads.h"
#include "migrate/migrator.h"

/* A batch is read in the source and in the target, written, and read back: so much of what reading
 * it takes, by so many threads at once as there are processors, at most. */
#define COPY_PER_READ 2
#define MOST_THREADS 4

/* What the target would be: @is, but for what was wished. Nothing is owned. */
static TallDeployment
make_target (const TallDeployment *is, const TallMove *move)
{
  TallDeployment target = is->next != NULL ? *is->next : *is;
  if (move->layout != NULL)
    target.layout = (char *)move->layout->name;
  if (move->key_strategy != NULL)
    target.key_strategy = (char *)move->key_strategy->name;
  if (move->has_index)
    target.index = move->index;
  return target;
}

/* Whether there is no plan to be shown: to begin with it is an error. */
static gboolean
is_nothing (const TallDeployment *is, const TallDeployment *to, const TallMove *move)
{
  return is->next == NULL && g_str_equal (is->layout, to->layout)
         && g_str_equal (is->key_strategy, to->key_strategy) && is->index == to->index
         && move->regions == 0 && move->compression == NULL && move->bloom_filter == NULL
         && move->block_encoding == NULL;
}

static gboolean
on_count (const TallPassCounts *counts, gpointer data)
{
  TallMigrator *self = data;
  self->progress.n_looked = counts->n_orders + counts->n_customers;
  return tall_migrator_show (self, TALL_MIGRATE_COUNTING);
}

/* Walks over everything without copying. */
static gboolean
count (TallMigrator *self,
       const TallStoreContext *source,
       const TallStoreContext *target,
       TallPassCounts *counts,
       GError **error)
{
  const TallPassOptions options = { .copier = { .source = source, .target = target },
                                    .only_count = TRUE,
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
  guint64 reading = tall_sample_scale ((guint64)sample->duration, sample->n_read, n);
  gint64 copying =
      (gint64)(reading * COPY_PER_READ / CLAMP (g_get_num_processors (), 1, MOST_THREADS));
  if (self->options->rate != 0)
    copying = MAX (copying, (gint64)(n * G_USEC_PER_SEC / self->options->rate));
  return copying + 2 * counts->duration;
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
    .from_index = tall_index_kind_get_name (is->index),
    .to_layout = to->layout,
    .to_key_strategy = to->key_strategy,
    .to_index = tall_index_kind_get_name (to->index),
    .generation = is->migration.generation,
    .target = resumed ? is->migration.target : is->migration.last + 1,
    .n_orders = counts->n_orders,
    .n_customers = counts->n_customers,
    .n_lines = counts->n_lines,
    .n_bytes = tall_sample_scale (counts->sample.n_from, counts->sample.n_read, n),
    .needed = tall_sample_scale (counts->sample.n_to, counts->sample.n_read, n),
    .room = self->options->room != 0 ? self->options->room : G_MAXUINT64,
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
  g_set_error (
      error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
      "The new tables need about %.1f MB, and there is room for %.1f MB; nothing has begun",
      (gdouble)plan->needed / 1e6, (gdouble)plan->room / 1e6);
  return FALSE;
}

static gboolean
show (TallMigrator *self,
      const TallDeployment *is,
      const TallStoreContext *source,
      const TallStoreContext *target,
      const TallDeployment *to,
      gboolean *agreed,
      GError **error)
{
  TallPassCounts counts = { 0 };
  if (!count (self, source, target, &counts, error))
    return FALSE;
  self->progress.n_all = counts.n_orders + counts.n_customers;
  TallMigratePlan plan = make_plan (self, is, to, &counts);
  plan.n_loads = count_loads (source);
  *agreed = !counts.stopped && self->options->on_plan (&plan, self->options->data);
  return !*agreed || check_room (&plan, error);
}

/**
 * tall_migrate_show_plan:
 * @agreed: (out): whether it is to be done
 *
 * Looks at everything there is, and shows what is going to be done with it, if anybody wants to
 * know and nobody waits for it.
 *
 * Returns: FALSE with %TALL_ERROR_TOO_LARGE if there is no room for it, or with what a table says
 */
gboolean
tall_migrate_show_plan (TallMigrator *self, gboolean *agreed, GError **error)
{
  TallStoreContext source = { 0 }, target = { 0 };
  *agreed = TRUE;
  if (self->options->on_plan == NULL)
    return TRUE;
  const TallDeployment *is = self->record;
  const TallDeployment to = make_target (is, &self->options->move);
  if (is->migration.phase > TALL_MIGRATION_COPYING || is_nothing (is, &to, &self->options->move))
    return TRUE;
  g_autoptr (TallTable) table = tall_generation_table_new (self->table, is->migration.generation);
  gboolean done = tall_store_context_init (&source, table, is, self->options->hooks, error)
                  && tall_store_context_init (&target, table, &to, self->options->hooks, error)
                  && show (self, is, &source, &target, &to, agreed, error);
  tall_store_context_clear (&source);
  tall_store_context_clear (&target);
  return done;
}
