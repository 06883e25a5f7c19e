/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/compare.h"

#include "bench/phase.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define TRIM_THRESHOLD (1 << 30)
#define MMAP_THRESHOLD (16 << 20)

/* What is under way. */
typedef struct
{
  const TallBenchCompare *compare;
  const TallBenchOrders *orders;
  TallBenchPlan plan;
  TallStoreSettings settings; /* of the deployment that is open */
  TallBenchStore store;       /* the same */
  const char **numbers;       /* owned: of its customer, for each order */
  char *what;                 /* owned */
  guint n_done;               /* phases */
  guint n_phases;
} Run;

static void
run_clear (Run *self)
{
  g_clear_pointer (&self->numbers, g_free);
  g_clear_pointer (&self->what, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_clear)

static TallStoreSettings
make_settings (const TallBenchCompare *self, guint place)
{
  return (TallStoreSettings){
    .layout = self->layouts[place / self->n_key_strategies],
    .key_strategy = self->key_strategies[place % self->n_key_strategies],
    .regions = self->conditions.regions,
    .compression = self->conditions.compression,
    .block_encoding = self->conditions.block_encoding,
    .indexes = self->indexes,
  };
}

/* Whether it is wanted and can be measured. */
static gboolean
measures_stored (const TallBenchCompare *self)
{
  return !self->leaves_stored
         && (self->place.address->kind->is_embedded || self->conditions.admin != NULL);
}

static guint
count_deployments (const TallBenchCompare *self)
{
  return self->n_layouts * self->n_key_strategies;
}

/**
 * tall_bench_compare_describe_kept:
 *
 * Returns: (transfer full): a line for each deployment, which says where it is
 */
char *
tall_bench_compare_describe_kept (const TallBenchCompare *self)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < count_deployments (self); i++)
    {
      TallStoreSettings settings = make_settings (self, i);
      tall_bench_place_describe_kept (&self->place, &settings, text);
    }
  return g_string_free (text, FALSE);
}

static void
report_progress (double done, gpointer data)
{
  const Run *self = data;
  self->compare->progress (self->what, (self->n_done + done) / self->n_phases,
                           self->compare->progress_data);
}

static gboolean
run_phase (Run *self, const TallBenchPhase *phase, TallBenchRecord *record, GError **error)
{
  TallCountingTable *table = TALL_COUNTING_TABLE (self->store.table);
  const TallStoreSettings *settings = &self->settings;
  const TallBenchMeter meter = { self->store.inner, &self->compare->conditions.pids };
  TallBenchPlan plan = self->plan;
  plan.meter = &meter;
  g_free (self->what);
  self->what = g_strdup_printf ("%s, %s: %s", settings->layout->name, settings->key_strategy->name,
                                phase->name);
  *record = (TallBenchRecord){ .layout = settings->layout, .key_strategy = settings->key_strategy };
  tall_counting_table_reset (table);
  if (!tall_bench_run_phase (phase, &plan, self->store.front, self->orders, record, error))
    {
      if (!g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        g_prefix_error (error, "Measuring layout %s, key %s, phase %s: ", settings->layout->name,
                        settings->key_strategy->name, phase->name);
      return FALSE;
    }
  tall_counting_table_get_cost (table, &record->cost);
  self->n_done++;
  return TRUE;
}

/* Replaces each order as often as asked for. */
static gboolean
run_age (Run *self, GError **error)
{
  TallBenchRecord record;
  for (guint i = 0; i < self->compare->conditions.age; i++)
    if (!run_phase (self, tall_bench_phase_age (), &record, error))
      return FALSE;
  return TRUE;
}

static gboolean
settle (Run *self, TallBenchRest rest, guint64 *bytes, GError **error)
{
  if (rest == TALL_BENCH_AS_IT_IS
      || tall_bench_settle (self->store.inner, self->compare->conditions.admin, rest, bytes, error))
    return TRUE;
  g_prefix_error (error, "Layout %s, key %s: ", self->settings.layout->name,
                  self->settings.key_strategy->name);
  return FALSE;
}

/* Brings what was stored into the state in which it is measured. */
static gboolean
prepare (Run *self, GError **error)
{
  const TallBenchConditions *conditions = &self->compare->conditions;
  guint64 bytes = 0;
  if (!run_age (self, error) || !settle (self, conditions->rest, &bytes, error))
    return FALSE;
  return conditions->cache == 0
         || tall_bench_place_open_cold (&self->compare->place, &self->settings,
                                        (gsize)(conditions->cache * (double)bytes), &self->store,
                                        error);
}

/* What is kept is looked at: it has no copies of orders. Finding takes an index. */
static gboolean
runs (const TallBenchCompare *self, const TallBenchPhase *phase)
{
  return tall_bench_phase_runs (phase, self->plan.mix) && !(self->place.keep && phase->loads)
         && !(self->indexes == NULL && g_str_equal (phase->name, TALL_BENCH_FIND));
}

/* @records: (nullable): NULL: this run only warms up */
static gboolean
run_phases (Run *self, GArray *records, GError **error)
{
  guint n_phases;
  const TallBenchPhase *phases = tall_bench_phases (&n_phases);
  for (guint i = 0; i < n_phases; i++)
    {
      TallBenchRecord record;
      if (!runs (self->compare, &phases[i]))
        continue;
      if (!run_phase (self, &phases[i], &record, error) || (i == 0 && !prepare (self, error)))
        return FALSE;
      if (phases[i].summary != NULL && records != NULL)
        g_array_append_val (records, record);
    }
  return TRUE;
}

/* Stores all orders, and measures what they take on the disk. */
static gboolean
measure_stored (Run *self, GArray *stored, GError **error)
{
  guint n_phases;
  TallBenchRecord record;
  TallBenchStored found = { .layout = self->settings.layout,
                            .key_strategy = self->settings.key_strategy };
  if (!run_phase (self, tall_bench_phases (&n_phases), &record, error) || !run_age (self, error)
      || !settle (self, TALL_BENCH_FLUSHED, &found.flushed, error)
      || !settle (self, TALL_BENCH_COMPACTED, &found.compacted, error))
    return FALSE;
  g_array_append_val (stored, found);
  return TRUE;
}

/* What is done in each deployment. */
typedef gboolean (*Work) (Run *self, GArray *figures, GError **error);

/* One of layouts × key strategies. @keep: whether it may stay */
static gboolean
run_deployment (Run *self, guint place, Work work, GArray *figures, gboolean keep, GError **error)
{
  self->settings = make_settings (self->compare, place);
  self->settings.sample = self->numbers; /* regions are made for these orders */
  gboolean ok = tall_bench_place_open (&self->compare->place, &self->settings, &self->store, error);
  if (!ok)
    g_prefix_error (error, "Making a deployment to measure layout %s, key %s: ",
                    self->settings.layout->name, self->settings.key_strategy->name);
  self->store.keep = self->store.keep && keep;
  ok = ok && work (self, figures, error);
  tall_bench_store_close (&self->store);
  self->store = (TallBenchStore){ 0 };
  return ok;
}

/* In every second turn the other way round, so that what changes from one deployment to the next
 * does not always favour the same. */
static gboolean
run_turn (Run *self, guint turn, GArray *records, GError **error)
{
  guint n = count_deployments (self->compare);
  for (guint i = 0; i < n; i++)
    if (!run_deployment (self, turn % 2 == 0 ? i : n - 1 - i, run_phases, records,
                         turn + 1 == self->compare->n_turns, error))
      return FALSE;
  return TRUE;
}

static gboolean
run_all (Run *self, TallBenchFigures *figures, GError **error)
{
  const TallBenchCompare *compare = self->compare;
  if (!tall_bench_place_check (&compare->place, &compare->conditions, error))
    return FALSE;
  if (!compare->place.address->kind->is_embedded
      && !run_deployment (self, 0, run_phases, NULL, FALSE, error))
    return FALSE;
  for (guint i = 0; measures_stored (compare) && i < count_deployments (compare); i++)
    if (!run_deployment (self, i, measure_stored, figures->stored, FALSE, error))
      return FALSE;
  for (guint turn = 0; turn < compare->n_turns; turn++)
    if (!run_turn (self, turn, figures->records, error))
      return FALSE;
  return TRUE;
}

static guint
count_phases (const TallBenchCompare *self)
{
  guint n;
  guint n_run = 0;
  const TallBenchPhase *phases = tall_bench_phases (&n);
  for (guint i = 0; i < n; i++)
    n_run += runs (self, &phases[i]);
  return n_run;
}

static Run
run_new (const TallBenchCompare *compare, const TallBenchOrders *orders)
{
  guint age = compare->conditions.age;
  guint n_phases = count_phases (compare) + age;
  guint n_deployments = count_deployments (compare);
  guint n_warm_up = compare->place.address->kind->is_embedded ? 0 : 1;
  return (Run){
    .compare = compare,
    .orders = orders,
    .numbers = tall_bench_list_customers (orders->orders),
    .plan = compare->plan,
    .n_phases = n_phases * (n_deployments * compare->n_turns + n_warm_up)
                + (measures_stored (compare) ? n_deployments * (1 + age) : 0),
  };
}

/* Clients free all results after each round and need as much memory in the next. malloc would give
 * it back to the kernel, and getting it again, page by page, would be timed. */
static void
let_malloc_keep_memory (void)
{
#ifdef __GLIBC__
  mallopt (M_TRIM_THRESHOLD, TRIM_THRESHOLD);
  mallopt (M_MMAP_THRESHOLD, MMAP_THRESHOLD);
#endif
}

/**
 * tall_bench_compare_run:
 * @orders: are changed by replacing them
 * @figures: gets the figures; also of what was done before an error
 *
 * Makes a deployment for each layout and key strategy, one after the other, stores the orders in it
 * and measures what they take; and then, in each turn again, one in which it measures every phase.
 * A gateway compiles often-used code while it works, so the first deployment on HBase would pay for
 * the others. Therefore it is measured once beforehand, and that run does not count.
 *
 * Returns: FALSE with what went wrong, and in which deployment: %TALL_ERROR_CONFLICT if one of that
 *   name exists, %TALL_ERROR_DAMAGED if an order did not come back as it was stored,
 *   %TALL_ERROR_UNSUPPORTED if the store cannot have these conditions, %G_IO_ERROR_CANCELLED if it
 *   was asked to stop
 */
gboolean
tall_bench_compare_run (const TallBenchCompare *self,
                        const TallBenchOrders *orders,
                        TallBenchFigures *figures,
                        GError **error)
{
  g_auto (Run) run = run_new (self, orders);
  gboolean made = FALSE;
  let_malloc_keep_memory ();
  if (self->progress != NULL)
    {
      run.plan.progress = report_progress;
      run.plan.progress_data = &run;
    }
  if (!tall_bench_place_make (&self->place, &made, error))
    return FALSE;
  gboolean ok = run_all (&run, figures, error);
  if (made && !self->place.keep)
    g_rmdir (self->place.address->place);
  return ok;
}
