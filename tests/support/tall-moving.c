/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-moving.h"

#include "store/record/generation.h"
#include "tall-must.h"

static gint64
clock_monotonic (gpointer data)
{
  return g_atomic_pointer_get (&((TallTestClock *)data)->monotonic);
}

static void
clock_sleep (gint64 microseconds, gpointer data)
{
  g_atomic_pointer_add (&((TallTestClock *)data)->monotonic, microseconds);
}

/* What the same is in the target, stored there by puts. */
static char *
make_wanted (const TallStoreSettings *settings)
{
  TallCopySide reference = { 0 };
  tall_copy_side_init (&reference, settings);
  tall_copy_populate (&reference, TALL_MOVING_ITEMS);
  char *wanted = tall_copy_dump (reference.table);
  tall_copy_side_clear (&reference);
  return wanted;
}

/**
 * tall_moving_init:
 * @self: all zero
 */
void
tall_moving_init (TallMoving *self, const TallLayout *from, const TallLayout *to)
{
  const TallStoreSettings source = { .layout = from,
                                     .key_strategy = &tall_key_hashed,
                                     .index = TALL_INDEX_BY_DATE };
  const TallStoreSettings target = { .layout = to,
                                     .key_strategy = &tall_key_raw,
                                     .index = TALL_INDEX_BY_DATE };
  tall_copy_side_init (&self->side, &source);
  tall_copy_populate (&self->side, TALL_MOVING_ITEMS);
  self->hooks = (TallStoreHooks){ .monotonic = clock_monotonic,
                                  .sleep = clock_sleep,
                                  .data = &self->side.clock };
  self->options.move = (TallMove){ .layout = to, .key_strategy = &tall_key_raw };
  self->options.hooks = &self->hooks;
  self->before = tall_copy_dump (TALL_MOVING_OTHERS (self));
  self->wanted = make_wanted (&target);
  tall_failing_table_reset (TALL_FAILING_TABLE (self->side.table));
}

void
tall_moving_clear (TallMoving *self)
{
  tall_copy_side_clear (&self->side);
  g_clear_pointer (&self->before, g_free);
  g_clear_pointer (&self->wanted, g_free);
}

/**
 * tall_moving_run:
 * @table: the one of the process that does it
 *
 * Returns: whether it has switched, or somebody else has
 */
gboolean
tall_moving_run (TallMoving *self, TallTable *table, GError **error)
{
  TallMigrateSummary summary;
  return tall_migrate_run (table, &self->options, &summary, error)
         && (summary.outcome == TALL_MIGRATE_SWITCHED || summary.outcome == TALL_MIGRATE_UNCHANGED);
}

/**
 * tall_moving_finish:
 *
 * Another process goes on with it, until it has switched.
 */
void
tall_moving_finish (TallMoving *self)
{
  must (tall_moving_run (self, TALL_MOVING_OTHERS (self), &error));
}

/**
 * tall_moving_abort:
 *
 * Another process gives it up.
 */
void
tall_moving_abort (TallMoving *self)
{
  must (tall_migrate_abort (TALL_MOVING_OTHERS (self), &self->options, &error));
}

/* At the second table that is closed. */
static TallFailure
die_while_closing (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  gint *n_shut = data; /* atomic: workers copy */
  g_atomic_int_add (n_shut, call->kind == TALL_CALL_SET_ACCESS);
  return g_atomic_int_get (n_shut) > 3 ? TALL_FAILURE_BEFORE
                                       : TALL_FAILURE_NONE; /* two root tables are sealed */
}

/**
 * tall_moving_give_up_closed:
 *
 * A migration is given up when a table is closed. From here on a late call may open what is closed,
 * so somebody has to say, by the option settled, that none is under way.
 */
void
tall_moving_give_up_closed (TallMoving *self)
{
  g_autoptr (GError) error = NULL;
  gint n_shut = 0;
  TallFailingTable *table = TALL_FAILING_TABLE (self->side.table);
  tall_failing_table_set_hooks (table, die_while_closing, NULL, &n_shut);
  g_assert_false (tall_moving_run (self, self->side.table, &error));
  tall_moving_abort (self);
  tall_moving_expect_unmoved (self);
  tall_failing_table_reset (table);
}

/**
 * tall_moving_try_each_call:
 * @least: the process must make more calls than that
 */
void
tall_moving_try_each_call (TallMovingTry try_at, guint least)
{
  guint n = 0;
  while (try_at (n))
    n++;
  g_test_message ("%u calls", n);
  g_assert_cmpuint (n, >, least);
}

static TallDeployment *
read_record (const TallMoving *self)
{
  TallDeployment *record =
      must (tall_deployment_read (TALL_MOVING_OTHERS (self), TALL_NO_DEADLINE, &error));
  return record;
}

/**
 * tall_moving_read_migration:
 *
 * Returns: what the record says now
 */
TallMigration
tall_moving_read_migration (const TallMoving *self)
{
  g_autoptr (TallDeployment) record = read_record (self);
  return record->migration;
}

/**
 * tall_moving_get_generation:
 *
 * Returns: the one that counts
 */
guint64
tall_moving_get_generation (const TallMoving *self)
{
  return tall_moving_read_migration (self).generation;
}

TallTable *
tall_moving_open_generation (const TallMoving *self, guint64 generation)
{
  return tall_generation_table_new (TALL_MOVING_OTHERS (self), generation);
}

/* Line by line, so that a difference can be read. */
void
tall_moving_expect_lines (const char *is, const char *wanted)
{
  g_auto (GStrv) is_lines = g_strsplit (is, "\n", -1);
  g_auto (GStrv) wanted_lines = g_strsplit (wanted, "\n", -1);
  for (guint i = 0; is_lines[i] != NULL && wanted_lines[i] != NULL; i++)
    g_assert_cmpstr (is_lines[i], ==, wanted_lines[i]);
  g_assert_cmpuint (g_strv_length (is_lines), ==, g_strv_length (wanted_lines));
}

/* All tables of all generations but this one are closed, or gone. */
static void
expect_others_closed (const TallMoving *self, guint64 generation)
{
  TallTable *table = TALL_MOVING_OTHERS (self);
  g_auto (GStrv) names = must (tall_table_list_tables (table, TALL_NO_DEADLINE, &error));
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *name = NULL;
      g_autoptr (TallTableSpec) spec =
          must (tall_table_describe_table (table, names[i], TALL_NO_DEADLINE, &error));
      gboolean counts = g_str_equal (names[i], "meta")
                        || tall_generation_split_name (names[i], &name) == generation;
      g_assert_cmpint (spec->access, ==, counts ? TALL_ACCESS_OPEN : TALL_ACCESS_CLOSED);
    }
}

/**
 * tall_moving_expect_moved:
 *
 * Another generation counts, has everything, and nothing else, and nobody can read any other.
 */
void
tall_moving_expect_moved (const TallMoving *self)
{
  g_autoptr (TallDeployment) record = read_record (self);
  const TallMigration *is = &record->migration;
  g_assert_cmpint (is->phase, ==, TALL_MIGRATION_NONE);
  g_assert_cmpuint (is->generation, >, TALL_FIRST_GENERATION);
  g_assert_cmpstr (record->layout, ==, self->options.move.layout->name);
  g_autoptr (TallTable) table = tall_moving_open_generation (self, is->generation);
  expect_others_closed (self, is->generation);
  g_autofree char *dump = tall_copy_dump (table);
  tall_moving_expect_lines (dump, self->wanted);
}

/**
 * tall_moving_expect_unmoved:
 *
 * Everything is as it was, and nothing is left of a target.
 */
void
tall_moving_expect_unmoved (const TallMoving *self)
{
  g_autoptr (TallDeployment) record = read_record (self);
  g_assert_cmpint (record->migration.phase, ==, TALL_MIGRATION_NONE);
  g_assert_cmpuint (record->migration.generation, ==, TALL_FIRST_GENERATION);
  expect_others_closed (self, TALL_FIRST_GENERATION);
  g_autofree char *dump = tall_copy_dump (TALL_MOVING_OTHERS (self));
  tall_moving_expect_lines (dump, self->before);
}
