/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/record/generation.h"
#include "migrate/migrator.h"

/* Whether the key strategy of the target cannot split its tables without knowing the numbers. */
static gboolean
is_needed (const TallMigrator *self, const TallDeployment *to)
{
  const TallMove *move = &self->move;
  const TallKeyStrategy *strategy = move->key_strategy != NULL
                                        ? move->key_strategy
                                        : tall_key_strategy_find (to->key_strategy, NULL);
  guint regions = move->regions != 0 ? move->regions : to->regions;
  g_autoptr (GPtrArray) splits =
      g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  return strategy != NULL && regions > 1 && !strategy->append_splits (regions, NULL, splits, NULL);
}

static gboolean
draw (TallMigrator *self, const TallStoreContext *source, GError **error)
{
  g_auto (TallDraw) drawn = { 0 };
  TallPassCounts counts;
  tall_draw_init (&drawn);
  const TallPassOptions options = { .copier = { .source = source, .target = source },
                                    .only_count = TRUE,
                                    .draw = &drawn };
  g_autoptr (TallPass) pass = tall_pass_new (&options);
  if (!tall_pass_run (pass, &counts, error))
    return FALSE;
  self->sample = tall_draw_finish (&drawn);
  self->move.sample = (const char *const *)self->sample;
  return TRUE;
}

/**
 * tall_migrator_draw_sample:
 *
 * Draws a sample of the orders, if the new tables are to be split and that cannot be done without
 * one. Each process that makes tables draws its own.
 */
gboolean
tall_migrator_draw_sample (TallMigrator *self, GError **error)
{
  TallStoreContext source = { 0 };
  const TallDeployment *is = self->record;
  const TallDeployment *to = is->next != NULL ? is->next : is;
  if (self->move.sample != NULL || is->migration.phase > TALL_MIGRATION_COPYING
      || !is_needed (self, to))
    return TRUE;
  g_autoptr (TallTable) table = tall_generation_table_new (self->table, is->migration.generation);
  gboolean done = tall_store_context_init (&source, table, is, self->options->hooks, error)
                  && draw (self, &source, error);
  tall_store_context_clear (&source);
  return done;
}
