/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/migrate-state.h"

#include "tall-error.h"
#include "table/table-kind.h"

static const char *const tasks[] = {
  [TALL_MIGRATE_MOVE] = "move",
  [TALL_MIGRATE_ABORT] = "abort",
  [TALL_MIGRATE_DROP_SOURCE] = "drop-source",
};

static const char *const stages[] = {
  [TALL_MIGRATE_COUNTING] = "counting", [TALL_MIGRATE_COPYING] = "copying",
  [TALL_MIGRATE_SEALING] = "sealing",   [TALL_MIGRATE_LAST_PASS] = "last pass",
  [TALL_MIGRATE_CLOSING] = "closing",   [TALL_MIGRATE_ABORTING] = "aborting",
};

static const char *const outcomes[] = {
  [TALL_MIGRATE_SWITCHED] = "switched",   [TALL_MIGRATE_PASSED] = "passed",
  [TALL_MIGRATE_TOO_LONG] = "too-long",   [TALL_MIGRATE_UNFIT] = "unfit",
  [TALL_MIGRATE_STOPPED] = "stopped",     [TALL_MIGRATE_OVERTAKEN] = "overtaken",
  [TALL_MIGRATE_UNCHANGED] = "unchanged",
};

/* Returns: the place of @name among @n names; @n: it is none of them, or NULL */
static guint
find_name (const char *const *names, guint n, const char *name)
{
  guint i = 0;
  while (i < n && g_strcmp0 (names[i], name) != 0)
    i++;
  return i;
}

const char *
tall_migrate_task_get_name (TallMigrateTask task)
{
  return tasks[task];
}

const char *
tall_migrate_stage_get_name (TallMigrateStage stage)
{
  return stages[stage];
}

const char *
tall_migrate_outcome_get_name (TallMigrateOutcome outcome)
{
  return outcomes[outcome];
}

/**
 * tall_migrate_task_parse:
 * @name: (nullable):
 * @task: (out): set if there is one of that name
 */
gboolean
tall_migrate_task_parse (const char *name, TallMigrateTask *task)
{
  guint i = find_name (tasks, G_N_ELEMENTS (tasks), name);
  if (i < G_N_ELEMENTS (tasks))
    *task = (TallMigrateTask)i;
  return i < G_N_ELEMENTS (tasks);
}

/**
 * tall_migrate_stage_parse:
 * @name: (nullable):
 * @stage: (out): set if there is one of that name
 */
gboolean
tall_migrate_stage_parse (const char *name, TallMigrateStage *stage)
{
  guint i = find_name (stages, G_N_ELEMENTS (stages), name);
  if (i < G_N_ELEMENTS (stages))
    *stage = (TallMigrateStage)i;
  return i < G_N_ELEMENTS (stages);
}

/**
 * tall_migrate_outcome_parse:
 * @name: (nullable):
 * @outcome: (out): set if there is one of that name
 */
gboolean
tall_migrate_outcome_parse (const char *name, TallMigrateOutcome *outcome)
{
  guint i = find_name (outcomes, G_N_ELEMENTS (outcomes), name);
  if (i < G_N_ELEMENTS (outcomes))
    *outcome = (TallMigrateOutcome)i;
  return i < G_N_ELEMENTS (outcomes);
}

void
tall_migrate_state_free (TallMigrateState *self)
{
  if (self == NULL)
    return;
  g_clear_error (&self->error);
  g_clear_pointer (&self->arena, tall_arena_free);
  g_free (self);
}

/**
 * tall_migrate_plan_copy:
 *
 * Returns: (transfer none): a copy, with its texts in @arena
 */
TallMigratePlan *
tall_migrate_plan_copy (TallArena *arena, const TallMigratePlan *plan)
{
  TallMigratePlan *copy = tall_arena_memdup (arena, plan, sizeof *plan);
  copy->from_layout = tall_arena_strdup (arena, plan->from_layout);
  copy->from_key_strategy = tall_arena_strdup (arena, plan->from_key_strategy);
  copy->from_index = tall_arena_strdup (arena, plan->from_index);
  copy->to_layout = tall_arena_strdup (arena, plan->to_layout);
  copy->to_key_strategy = tall_arena_strdup (arena, plan->to_key_strategy);
  copy->to_index = tall_arena_strdup (arena, plan->to_index);
  return copy;
}

/**
 * tall_migrate_find_room:
 * @address: (nullable): where the tables are; NULL: not known
 *
 * Returns: bytes of rows that can be written there; 0: not known
 */
guint64
tall_migrate_find_room (const TallTableAddress *address)
{
  gboolean is_known = address != NULL && address->kind->find_room != NULL;
  return is_known ? address->kind->find_room (address->place) : 0;
}

/**
 * tall_migrate_state_is_refused:
 *
 * Returns: whether it ended because of what was asked for, and not because something failed. A
 *   conflict may be that of a migration that has begun and cannot go on: it has failed
 */
gboolean
tall_migrate_state_is_refused (const TallMigrateState *self)
{
  return g_error_matches (self->error, TALL_ERROR, TALL_ERROR_INVALID);
}
