/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-move.h"

#include "migrate/copy.h"
#include "store/record/generation.h"
#include "store/record/tables.h"
#include "tall-must.h"

#define SEAL "00000000-0000-4000-8000-000000000001"

static TallDeployment *
read_record (TallTestMove *self)
{
  return must (tall_deployment_read (self->table, TALL_NO_DEADLINE, &error));
}

static void
put (TallBatch *batch, TallMutation *row, gint64 timestamp, const char *column, const char *text)
{
  tall_mutation_put (batch, row, tall_slice_str (tall_arena_strdup (batch->arena, column)),
                     timestamp, tall_slice_str (tall_arena_strdup (batch->arena, text)));
}

/* @prefix: of the columns with the target's settings; NULL: none are written */
static void
write_record (TallTestMove *self, const TallMigration *migration, const char *prefix)
{
  const char *const settings[][2] = {
    { "layout", self->layout },
    { "key_strategy", self->key_strategy },
    { "regions", "0" },
    { "compression", "-" },
    { "bloom_filter", "-" },
    { "block_encoding", "-" },
    { "index", tall_index_kind_get_name (self->has_index ? TALL_INDEX_BY_DATE : TALL_INDEX_NONE) },
  };
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_autofree char *text = tall_migration_print (migration);
  TallMutation *row = tall_batch_add (batch, TALL_META_TABLE, tall_slice_str ("deployment"));
  self->timestamp = MAX (self->timestamp, g_get_real_time () / 1000) + 1;
  put (batch, row, self->timestamp, "migration", text);
  for (guint i = 0; prefix != NULL && i < G_N_ELEMENTS (settings); i++)
    {
      g_autofree char *column = g_strconcat (prefix, settings[i][0], NULL);
      put (batch, row, self->timestamp, column, settings[i][1]);
    }
  if (prefix != NULL && prefix[0] == '\0')
    put (batch, row, self->timestamp, "format", "2");
  must (tall_table_apply (self->table, &row, 1, TALL_DURABLE, TALL_NO_DEADLINE, &error));
}

/* The tables of a generation, NULL-terminated, by their own names. */
static GStrv
list_tables (TallTestMove *self, guint64 generation)
{
  g_auto (GStrv) all = must (tall_table_list_tables (self->table, TALL_NO_DEADLINE, &error));
  GPtrArray *names = g_ptr_array_new ();
  for (guint i = 0; all[i] != NULL; i++)
    {
      g_autofree char *name = NULL;
      guint64 number = tall_generation_split_name (all[i], &name);
      if (number == generation && !g_str_equal (all[i], TALL_META_TABLE))
        g_ptr_array_add (names, g_strdup (all[i]));
    }
  g_ptr_array_add (names, NULL);
  return (GStrv)g_ptr_array_free (names, FALSE);
}

static void
set_access (TallTestMove *self, const char *table, TallTableAccess access)
{
  must (tall_table_set_access (self->table, table, access,
                               access == TALL_ACCESS_SEALED ? SEAL : NULL, TALL_NO_DEADLINE,
                               &error));
}

static void
set_access_of_all (TallTestMove *self, guint64 generation, TallTableAccess access)
{
  g_auto (GStrv) tables = list_tables (self, generation);
  for (guint i = 0; tables[i] != NULL; i++)
    if (access != TALL_ACCESS_SEALED || g_str_has_prefix (tables[i], "orders")
        || g_str_has_prefix (tables[i], "customers"))
      set_access (self, tables[i], access);
}

static void
drop_tables (TallTestMove *self, guint64 generation)
{
  g_auto (GStrv) tables = list_tables (self, generation);
  for (guint i = 0; tables[i] != NULL; i++)
    must (tall_table_drop_table (self->table, tables[i], TALL_NO_DEADLINE, &error));
}

static void
make_tables (TallTestMove *self, guint64 generation)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) view = tall_generation_table_new (self->table, generation);
  const TallStoreSettings settings = {
    .layout = tall_layout_find (self->layout, &error),
    .key_strategy = tall_key_strategy_find (self->key_strategy, &error),
    .index = self->has_index ? TALL_INDEX_BY_DATE : TALL_INDEX_NONE,
  };
  g_autoptr (GPtrArray) specs = must (tall_store_plan_tables (&settings, &error));
  for (guint i = 0; i < specs->len; i++)
    {
      const TallTableSpec *spec = g_ptr_array_index (specs, i);
      if (g_str_equal (spec->name, TALL_META_TABLE))
        continue;
      must (tall_table_create_table (view, spec, TALL_NO_DEADLINE, &error));
    }
}

static void
copy_rows (const TallCopier *copier, const char *table, const TallRows *rows)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallCopyItem *items = g_new0 (TallCopyItem, rows->n_rows);
  for (guint i = 0; i < rows->n_rows; i++)
    tall_copy_item_init (&items[i], copier, table, &rows->rows[i], arena);
  must (tall_copy_run (copier, items, rows->n_rows, &error));
  for (guint i = 0; i < rows->n_rows; i++)
    {
      g_assert_no_error (items[i].error);
      tall_copy_item_clear (&items[i]);
    }
  g_free (items);
}

static void
copy_all (const TallCopier *copier)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  const char *tables[] = { tall_layout_get_order_table (copier->source->layout),
                           tall_layout_get_customer_table (copier->source->layout) };
  const TallSlice all = TALL_SLICE_INIT;
  tall_root_narrow (tall_read_plan_add_scan (plan, tables[0], all, all));
  if (!g_str_equal (tables[0], tables[1]))
    tall_root_narrow (tall_read_plan_add_scan (plan, tables[1], all, all));
  g_autoptr (TallReadResult) result =
      must (tall_table_read (copier->source->table, plan, TALL_NO_DEADLINE, &error));
  for (guint i = 0; i < result->n_results; i++)
    copy_rows (copier, tables[i], &result->results[i]);
}

static void
init_context (TallTestMove *self, const TallDeployment *record, TallStoreContext *context)
{
  g_autoptr (TallTable) view =
      tall_generation_table_new (self->table, record->migration.generation);
  must (tall_store_context_init (context, view, record, NULL, &error));
}

static void
copy (TallTestMove *self)
{
  g_autoptr (TallDeployment) record = read_record (self);
  TallStoreContext source = { 0 }, target = { 0 };
  init_context (self, record, &source);
  init_context (self, record->next, &target);
  const TallCopier copier = { .source = &source, .target = &target, .begun = G_MAXINT64 };
  copy_all (&copier);
  tall_store_context_clear (&source);
  tall_store_context_clear (&target);
}

static void
write_phase (TallTestMove *self, TallMigrationPhase phase)
{
  g_autoptr (TallDeployment) record = read_record (self);
  TallMigration next = record->migration;
  next.phase = phase;
  if (phase == TALL_MIGRATION_COPYING)
    next.target = next.last = next.last + 1;
  if (phase == TALL_MIGRATION_SEALING)
    next.reopened = FALSE;
  if (phase == TALL_MIGRATION_CLOSING)
    g_strlcpy (next.seal, SEAL, sizeof next.seal);
  write_record (self, &next, phase == TALL_MIGRATION_COPYING ? "next_" : NULL);
  if (phase == TALL_MIGRATION_COPYING)
    make_tables (self, next.target);
}

static void
switch_over (TallTestMove *self)
{
  g_autoptr (TallDeployment) record = read_record (self);
  const TallMigration next = { .generation = record->migration.target,
                               .last = record->migration.last };
  write_record (self, &next, "");
}

static void
enter (TallTestMove *self, TallTestStage stage)
{
  g_autoptr (TallDeployment) record = read_record (self);
  guint64 generation = record->migration.generation;
  if (stage == TALL_TEST_COPYING)
    write_phase (self, TALL_MIGRATION_COPYING);
  else if (stage == TALL_TEST_SEALING)
    write_phase (self, TALL_MIGRATION_SEALING);
  else if (stage == TALL_TEST_SEALED)
    set_access_of_all (self, generation, TALL_ACCESS_SEALED);
  else if (stage == TALL_TEST_CLOSING)
    {
      copy (self);
      write_phase (self, TALL_MIGRATION_CLOSING);
    }
  else if (stage == TALL_TEST_CLOSED)
    set_access_of_all (self, generation, TALL_ACCESS_CLOSED);
  else if (stage == TALL_TEST_SWITCHED)
    switch_over (self);
  else
    for (guint64 old = TALL_FIRST_GENERATION; old < generation; old++)
      drop_tables (self, old);
  self->stage = stage;
}

/**
 * tall_test_move_go:
 *
 * Goes on to @stage, unless it is there or beyond.
 */
void
tall_test_move_go (TallTestMove *self, TallTestStage stage)
{
  while (self->stage < stage)
    enter (self, self->stage + 1);
}

/**
 * tall_test_move_abort:
 *
 * Gives everything back; nothing if no migration has begun, or it has switched.
 */
void
tall_test_move_abort (TallTestMove *self)
{
  if (self->stage < TALL_TEST_COPYING || self->stage >= TALL_TEST_SWITCHED)
    return;
  g_autoptr (TallDeployment) record = read_record (self);
  TallMigration next = record->migration;
  next.phase = TALL_MIGRATION_ABORTING;
  next.unsealed = TRUE;
  next.reopened = self->stage >= TALL_TEST_CLOSING;
  next.seal[0] = '\0';
  write_record (self, &next, NULL);
  set_access_of_all (self, next.generation, TALL_ACCESS_OPEN);
  if (next.reopened)
    set_access_of_all (self, next.generation, TALL_ACCESS_UNCLOSED);
  guint64 target = next.target;
  next.phase = TALL_MIGRATION_NONE;
  next.target = 0;
  write_record (self, &next, NULL);
  drop_tables (self, target);
  self->stage = TALL_TEST_RESTING;
}

/**
 * tall_test_move_again:
 *
 * Another migration follows one that is over.
 */
void
tall_test_move_again (TallTestMove *self, const char *layout, const char *key_strategy)
{
  g_assert_true (self->stage == TALL_TEST_RESTING || self->stage >= TALL_TEST_SWITCHED);
  self->layout = layout;
  self->key_strategy = key_strategy;
  self->stage = TALL_TEST_RESTING;
}
