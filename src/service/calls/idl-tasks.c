/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/calls/idl-tasks.h"

#include "service/calls/idl-private.h"
#include "base/fail.h"

#define MAX_PAUSE_MS (3600 * 1000)

#define Type TallIdlMigration
IDL_SHARED_STRUCT (tall_idl_migration_request_type,
                   "MigrationRequest",
                   ALWAYS (1, TEXT, task),
                   ALWAYS (2, TEXT, layout),
                   ALWAYS (3, TEXT, key_strategy),
                   ALWAYS (4, TEXT, index),
                   OPTIONAL (5, I32, regions),
                   ALWAYS (6, TEXT, compression),
                   ALWAYS (7, TEXT, bloom_filter),
                   ALWAYS (8, TEXT, block_encoding),
                   OPTIONAL (9, I64, pause_ms),
                   OPTIONAL (10, I32, rate),
                   ALWAYS (11, BOOL, pass_only));
#undef Type

#define Type TallIdlMigrationLook
IDL_SHARED_STRUCT (tall_idl_migration_look_type,
                   "MigrationLook",
                   ALWAYS (1, TEXT, id),
                   OPTIONAL (2, I32, seen));
#undef Type

#define Type TallMigratePlan
IDL_SHARED_STRUCT (tall_idl_migration_plan_type,
                   "MigrationPlan",
                   ALWAYS (1, BOOL, resumed),
                   ALWAYS (2, TEXT, from_layout),
                   ALWAYS (3, TEXT, from_key_strategy),
                   ALWAYS (4, TEXT, from_index),
                   ALWAYS (5, TEXT, to_layout),
                   ALWAYS (6, TEXT, to_key_strategy),
                   ALWAYS (7, TEXT, to_index),
                   ALWAYS (8, I64, generation),
                   ALWAYS (9, I64, target),
                   NAMED (10, I64, "orders", n_orders),
                   NAMED (11, I64, "customers", n_customers),
                   NAMED (12, I64, "lines", n_lines),
                   NAMED (13, I64, "bytes", n_bytes),
                   ALWAYS (14, I64, needed),
                   OPTIONAL (15, I64, room),
                   NAMED (16, I64, "copy_ms", copy_time),
                   NAMED (17, I64, "pause_ms", pause),
                   NAMED (18, I64, "pause_limit_ms", pause_limit),
                   NAMED (19, I32, "loads", n_loads));
#undef Type

#define Type TallMigrateUnfit
IDL_SHARED_ITEM (tall_idl_unfit_type,
                 "Unfit",
                 ALWAYS (1, TEXT, customer_number),
                 ALWAYS (2, TEXT, order_number),
                 ALWAYS (3, TEXT, table),
                 ALWAYS (4, BYTES, row),
                 ALWAYS (5, TEXT, message));
#undef Type

#define Type TallIdlMigrationState
IDL_SHARED_STRUCT (tall_idl_migration_state_type,
                   "MigrationState",
                   NAMED (1, TEXT, "id", state.id),
                   ALWAYS (2, TEXT, task),
                   NAMED (3, BOOL, "running", state.is_running),
                   NAMED (4, BOOL, "joined", state.is_joined),
                   ALWAYS (5, TEXT, stage),
                   NAMED (6, I32, "pass_number", state.progress.pass),
                   NAMED (7, I64, "looked_at", state.progress.n_looked),
                   NAMED (8, I64, "all", state.progress.n_all),
                   NAMED (9, I64, "copied", state.progress.n_copied),
                   NAMED (10, I64, "rate", state.rate),
                   NAMED (11, I64, "left_ms", state.time_left),
                   { "plan", 12, TALL_KIND_STRUCT, AT (state.plan), TALL_STRUCT_ALWAYS,
                     &tall_idl_migration_plan_type },
                   { "unfit", 13, TALL_KIND_STRUCTS, AT (state.unfit), AT (state.n_unfit),
                     &tall_idl_unfit_type },
                   ALWAYS (14, TEXT, outcome),
                   NAMED (15, I64, "generation", state.summary.generation),
                   NAMED (16, I32, "passes", state.summary.n_passes),
                   NAMED (17, I64, "all_copied", state.summary.n_copied),
                   NAMED (18, I64, "all_unfit", state.summary.n_unfit),
                   NAMED (19, I64, "pause_us", state.summary.pause),
                   NAMED (20, I32, "dropped", state.n_dropped),
                   STRUCT (21, failure, tall_idl_failure_type));
#undef Type

static gboolean
check_range (
    const char *field, gboolean has, gint64 value, gint64 least, gint64 most, GError **error)
{
  if (!has || (value >= least && value <= most))
    return TRUE;
  return tall_error_fail_invalid (error, field,
                                  "%s: it is %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                                  ", or absent, and not %" G_GINT64_FORMAT,
                                  field, least, most, value);
}

static gboolean
parse_task (const TallIdlMigration *self, TallMigrateTask *task, GError **error)
{
  gint i = self->task != NULL ? tall_migrate_find_name (tall_migrate_tasks, self->task)
                              : TALL_MIGRATE_MOVE;
  *task = (TallMigrateTask)i;
  if (i < 0)
    tall_error_set_invalid (error, "task", "task: it is move, abort or drop-source, and not “%s”",
                            self->task);
  return i >= 0;
}

static gboolean
parse_move (const TallIdlMigration *self, TallMove *move, GError **error)
{
  *move = (TallMove){ .regions = self->has_regions ? (guint)self->regions : 0,
                      .compression = self->compression,
                      .bloom_filter = self->bloom_filter,
                      .block_encoding = self->block_encoding };
  return tall_move_choose (move, self->layout, self->key_strategy, self->index, error);
}

/**
 * tall_idl_migration_parse:
 * @wish: (out): with texts of @self
 */
gboolean
tall_idl_migration_parse (const TallIdlMigration *self, TallMigrateWish *wish, GError **error)
{
  *wish = (TallMigrateWish){ .pass_only = self->pass_only };
  if (!parse_task (self, &wish->task, error)
      || !check_range ("regions", self->has_regions, self->regions, 1, TALL_MAX_REGIONS, error)
      || !check_range ("pause_ms", self->has_pause_ms, self->pause_ms, 0, MAX_PAUSE_MS, error)
      || !check_range ("rate", self->has_rate, self->rate, 1, G_MAXINT32, error)
      || !parse_move (self, &wish->move, error))
    return FALSE;
  if (self->has_pause_ms)
    wish->pause = MAX (self->pause_ms * 1000, 1);
  if (self->has_rate)
    wish->rate = (guint)self->rate;
  if (wish->task == TALL_MIGRATE_MOVE
      || (tall_move_is_empty (&wish->move) && wish->pause == 0 && wish->rate == 0
          && !wish->pass_only))
    return TRUE;
  return tall_error_fail_invalid (error, "task", "task: “%s” goes with no settings of a migration",
                                  self->task);
}

/**
 * tall_idl_migration_init:
 *
 * The way back; the texts are those of @wish.
 */
void
tall_idl_migration_init (TallIdlMigration *self, const TallMigrateWish *wish)
{
  const TallMove *move = &wish->move;
  g_autofree char *indexes = tall_indexes_print (move->index, move->indexes, "\n");
  *self = (TallIdlMigration){
    .task = (char *)tall_migrate_tasks[wish->task],
    .layout = move->layout != NULL ? (char *)move->layout->name : NULL,
    .key_strategy = move->key_strategy != NULL ? (char *)move->key_strategy->name : NULL,
    .index = move->has_index ? (char *)g_intern_string (indexes) : NULL,
    .regions = (gint32)move->regions,
    .has_regions = move->regions != 0,
    .compression = (char *)move->compression,
    .bloom_filter = (char *)move->bloom_filter,
    .block_encoding = (char *)move->block_encoding,
    .pause_ms = wish->pause / 1000,
    .has_pause_ms = wish->pause != 0,
    .rate = (gint32)MIN (wish->rate, (guint)G_MAXINT32),
    .has_rate = wish->rate != 0,
    .pass_only = wish->pass_only,
  };
}

#define Type TallIdlBackup
IDL_SHARED_STRUCT (tall_idl_backup_request_type,
                   "BackupRequest",
                   ALWAYS (1, TEXT, name),
                   OPTIONAL (2, I32, rate));
#undef Type

#define Type TallIdlBackupLook
IDL_SHARED_STRUCT (tall_idl_backup_look_type, "BackupLook", ALWAYS (1, TEXT, id));
#undef Type

#define Type TallIdlBackupState
IDL_SHARED_STRUCT (tall_idl_backup_state_type,
                   "BackupState",
                   NAMED (1, TEXT, "id", state.id),
                   NAMED (2, TEXT, "name", state.name),
                   NAMED (3, BOOL, "running", state.is_running),
                   NAMED (4, BOOL, "joined", state.is_joined),
                   ALWAYS (5, TEXT, stage),
                   NAMED (6, I64, "orders", state.summary.n_orders),
                   NAMED (7, I64, "customers", state.summary.n_customers),
                   NAMED (8, I64, "findings", state.summary.n_findings),
                   NAMED (9, I32, "deployments", state.summary.n_deployments),
                   NAMED (10, I32, "files", state.summary.n_files),
                   NAMED (11, I64, "bytes", state.summary.n_bytes),
                   NAMED (12, TEXT, "path", state.summary.path),
                   STRUCT (13, failure, tall_idl_failure_type));
#undef Type
