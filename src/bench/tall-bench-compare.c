/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-bench-compare.h"

#include "tall-bench-store.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "tall-error.h"

#define TRIM_THRESHOLD (1 << 30)
#define MMAP_THRESHOLD (16 << 20)

/* What is under way. */
typedef struct
{
  const TallBenchCompare *compare;
  const TallBenchOrders *orders;
  TallBenchPlan plan;
  char *what;          /* owned */
  guint n_deployments; /* of a turn */
  guint turn;
  guint n_done; /* phases */
  guint n_phases;
} Run;

static void
run_clear (Run *self)
{
  g_clear_pointer (&self->what, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_clear)

/* Where one of the deployments is made. */
static TallTableAddress *
make_address (const TallBenchCompare *self,
              const TallLayout *layout,
              const TallKeyStrategy *key_strategy)
{
  TallTableAddress *address = tall_table_address_copy (self->address);
  const char *begin = address->name != NULL ? address->name : "tallorder";
  g_autofree char *name =
      g_strdup_printf ("%s-bench-%s-%s", begin, layout->name, key_strategy->name);
  if (address->kind->is_embedded)
    {
      g_autofree char *directory = g_build_filename (address->place, name, NULL);
      tall_table_address_set_place (address, directory);
      tall_table_address_set_name (address, NULL);
    }
  else
    tall_table_address_set_name (address, name);
  return address;
}

static void
append_kept (GString *text, const TallTableAddress *address)
{
  if (address->kind->is_embedded)
    g_string_append_printf (text, "Kept: %s%s\n", address->kind->scheme, address->place);
  else
    g_string_append_printf (text, "Kept: the deployment name=%s\n", address->name);
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
  for (guint i = 0; i < self->n_layouts; i++)
    for (guint k = 0; k < self->n_key_strategies; k++)
      {
        g_autoptr (TallTableAddress) address =
            make_address (self, self->layouts[i], self->key_strategies[k]);
        append_kept (text, address);
      }
  return g_string_free (text, FALSE);
}

static gboolean
open_store (const TallBenchCompare *self,
            const TallStoreSettings *settings,
            TallBenchStore *store,
            GError **error)
{
  g_autoptr (TallTableAddress) address =
      make_address (self, settings->layout, settings->key_strategy);
  store->count = TRUE;
  store->keep = self->keep;
  if (address->kind->is_embedded)
    return tall_bench_store_open_directory (store, address, settings, error);
  g_autoptr (TallTable) table = tall_table_address_open (address, FALSE, error);
  return table != NULL && tall_bench_store_open_in (store, table, settings, error);
}

static void
report_progress (double done, gpointer data)
{
  const Run *self = data;
  self->compare->progress (self->what, (self->n_done + done) / self->n_phases,
                           self->compare->progress_data);
}

static gboolean
run_phase (Run *self,
           const TallBenchPhase *phase,
           const TallBenchStore *store,
           TallBenchRecord *record,
           GError **error)
{
  TallCountingTable *table = TALL_COUNTING_TABLE (store->table);
  g_free (self->what);
  self->what =
      g_strdup_printf ("%s, %s: %s", record->layout->name, record->key_strategy->name, phase->name);
  tall_counting_table_reset (table);
  if (!tall_bench_run_phase (phase, &self->plan, store->front, self->orders, record, error))
    {
      if (!g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        g_prefix_error (error, "Measuring layout %s, key %s, phase %s: ", record->layout->name,
                        record->key_strategy->name, phase->name);
      return FALSE;
    }
  tall_counting_table_get_cost (table, &record->cost);
  self->n_done++;
  return TRUE;
}

/* One of layouts × key strategies. @records: (nullable): NULL: this run only warms up */
static gboolean
run_deployment (Run *self, guint place, GArray *records, GError **error)
{
  const TallBenchCompare *compare = self->compare;
  const TallLayout *layout = compare->layouts[place / compare->n_key_strategies];
  const TallKeyStrategy *key_strategy = compare->key_strategies[place % compare->n_key_strategies];
  g_auto (TallBenchStore) store = { 0 };
  TallStoreSettings settings = { .layout = layout, .key_strategy = key_strategy };
  guint n_phases;
  const TallBenchPhase *phases = tall_bench_phases (&n_phases);

  if (!open_store (compare, &settings, &store, error))
    {
      g_prefix_error (error, "Making a deployment to measure layout %s, key %s: ", layout->name,
                      key_strategy->name);
      return FALSE;
    }
  store.keep = store.keep && records != NULL && self->turn + 1 == compare->n_turns;
  for (guint i = 0; i < n_phases; i++)
    {
      if (!tall_bench_phase_runs (&phases[i], self->plan.mix))
        continue;
      TallBenchRecord record = { .layout = layout, .key_strategy = key_strategy };
      if (!run_phase (self, &phases[i], &store, &record, error))
        return FALSE;
      if (phases[i].summary != NULL && records != NULL)
        g_array_append_val (records, record);
    }
  return TRUE;
}

/* In every second turn the other way round, so that what changes from one deployment to the next
 * does not always favour the same. */
static gboolean
run_turn (Run *self, GArray *records, GError **error)
{
  for (guint i = 0; i < self->n_deployments; i++)
    if (!run_deployment (self, self->turn % 2 == 0 ? i : self->n_deployments - 1 - i, records,
                         error))
      return FALSE;
  return TRUE;
}

static gboolean
run_all (Run *self, GArray *records, GError **error)
{
  for (self->turn = 0; self->turn < self->compare->n_turns; self->turn++)
    if (!run_turn (self, records, error))
      return FALSE;
  return TRUE;
}

static gboolean
make_directory (const char *directory, gboolean *made, GError **error)
{
  *made = g_mkdir (directory, 0777) == 0;
  if (*made || errno == EEXIST)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
               "Making the directory %s to measure in: %s", directory, g_strerror (errno));
  return FALSE;
}

static guint
count_phases (const TallBenchMix *mix)
{
  guint n;
  guint n_run = 0;
  const TallBenchPhase *phases = tall_bench_phases (&n);
  for (guint i = 0; i < n; i++)
    n_run += tall_bench_phase_runs (&phases[i], mix);
  return n_run;
}

static Run
run_new (const TallBenchCompare *compare, const TallBenchOrders *orders)
{
  guint n_phases = count_phases (compare->plan.mix);
  guint n_deployments = compare->n_layouts * compare->n_key_strategies;
  return (Run){
    .compare = compare,
    .orders = orders,
    .plan = compare->plan,
    .n_deployments = n_deployments,
    .n_phases =
        n_phases
        * (n_deployments * compare->n_turns + (compare->address->kind->is_embedded ? 0 : 1)),
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
 * @records: (element-type TallBenchRecord): gets the figures; also of what was done before an error
 *
 * Makes a deployment for each layout and key strategy, one after the other, measures every phase in
 * it, and removes it; and that in each turn again. A gateway compiles often-used code while it
 * works, so the first deployment on HBase would pay for the others. Therefore it is measured once
 * beforehand, and that run does not count.
 *
 * Returns: FALSE with what went wrong, and in which deployment: %TALL_ERROR_CONFLICT if one of that
 *   name exists, %TALL_ERROR_DAMAGED if an order did not come back as it was stored,
 *   %G_IO_ERROR_CANCELLED if it was asked to stop
 */
gboolean
tall_bench_compare_run (const TallBenchCompare *self,
                        const TallBenchOrders *orders,
                        GArray *records,
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
  if (!self->address->kind->is_embedded)
    return run_deployment (&run, 0, NULL, error) && run_all (&run, records, error);
  if (!make_directory (self->address->place, &made, error))
    return FALSE;
  gboolean ok = run_all (&run, records, error);
  if (made && !self->keep)
    g_rmdir (self->address->place);
  return ok;
}
