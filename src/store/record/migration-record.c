/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/record/migration-record.h"

#include "store/record/deployment-record.h"
#include "tall-error.h"
#include "store/record/tables.h"

#define MAX_ATTEMPTS 3 /* of a step whose answer is lost or false */

/* One attempt to change the record. */
typedef struct
{
  TallTable *table;
  gint64 deadline;
  const char *id; /* of the deployment; NULL: of whichever is there */
  const char *is; /* what the column `migration` must say; this and the next without its check */
  const char *to;
  const char *const *next; /* nullable: %TALL_N_MOVING texts to be written */
  gboolean switches;       /* the next settings become those that count */
} Step;

/* What the column says, without its check. NULL with @error set: it is damaged. */
static char *
print_column (const TallCell *cell, GError **error)
{
  TallMigration migration = TALL_MIGRATION_INIT;
  if (cell != NULL && !tall_migration_parse (&migration, cell->value, error))
    return NULL;
  return tall_migration_print (&migration);
}

static TallReadResult *
read_row (const Step *step, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, TALL_META_TABLE, TALL_RECORD_ROW);
  g_autoptr (TallReadResult) result = tall_table_read (step->table, plan, step->deadline, error);
  if (result == NULL)
    return NULL;
  if (result->results[0].n_rows == 1)
    return g_steal_pointer (&result);
  g_set_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND, "there is no such deployment any more");
  return NULL;
}

static void
put_next (TallBatch *batch, TallMutation *record, const char *const *next, gint64 timestamp)
{
  for (guint i = 0; i < TALL_N_MOVING; i++)
    tall_mutation_put (batch, record,
                       tall_slice_str (
                           tall_arena_printf (batch->arena, TALL_NEXT "%s", tall_record_moving[i])),
                       timestamp, tall_slice_str (next[i]));
}

/* The next settings lose their prefix. */
static gboolean
put_switch (
    TallBatch *batch, TallMutation *record, const TallRow *row, gint64 timestamp, GError **error)
{
  for (guint i = 0; i < TALL_N_MOVING; i++)
    {
      g_autofree char *name = g_strconcat (TALL_NEXT, tall_record_moving[i], NULL);
      const TallCell *cell = tall_row_find_latest (row, tall_slice_str (name));
      if (cell == NULL)
        {
          g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
                       "the deployment record has no column %s", name);
          return FALSE;
        }
      tall_mutation_put (batch, record, tall_slice_str (tall_record_moving[i]), timestamp,
                         cell->value);
    }
  tall_mutation_put (batch, record, tall_slice_str (TALL_COLUMN_FORMAT), timestamp,
                     tall_slice_str (
                         tall_arena_printf (batch->arena, "%d", TALL_FORMAT_OF_GENERATIONS)));
  return TRUE;
}

/* Writes the step once over what was read. A lost answer is no error here: what there is then says
 * what has become of it. */
static gboolean
write_step (const Step *step, const TallRow *row, gboolean *matched, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *record = tall_batch_add (batch, TALL_META_TABLE, TALL_RECORD_ROW);
  const TallCell *cell = tall_row_find_latest (row, tall_slice_str (TALL_COLUMN_MIGRATION));
  gint64 timestamp = tall_record_find_timestamp (row, error);
  if (timestamp == 0)
    return FALSE;
  g_autofree char *to = tall_migration_add_check (step->to);
  tall_mutation_put (batch, record, tall_slice_str (TALL_COLUMN_MIGRATION), timestamp,
                     tall_slice_str (to));
  if (step->next != NULL)
    put_next (batch, record, step->next, timestamp);
  if (step->switches && !put_switch (batch, record, row, timestamp, error))
    return FALSE;
  const TallConditionalWrite write = {
    .mutations = &record,
    .n = 1,
    .qualifier = tall_slice_str (TALL_COLUMN_MIGRATION),
    .expected = cell != NULL ? &cell->value : NULL,
    .durability = TALL_DURABLE,
    .deadline = step->deadline,
  };
  if (tall_table_apply_if (step->table, &write, matched, &cause)
      || g_error_matches (cause, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

/* Reads, and writes if the record is as expected. @settled: (out): @done is set */
static gboolean
attempt_step (const Step *step, gboolean *settled, gboolean *done, GError **error)
{
  g_autoptr (TallReadResult) result = read_row (step, error);
  if (result == NULL)
    return FALSE;
  const TallRow *row = &result->results[0].rows[0];
  if (step->id != NULL && !tall_record_is_of (row, step->id))
    {
      g_set_error (
          error, TALL_ERROR, TALL_ERROR_NOT_FOUND,
          "the deployment that was to be migrated was dropped, and perhaps another one made in "
          "its place");
      return FALSE;
    }
  g_autofree char *now =
      print_column (tall_row_find_latest (row, tall_slice_str (TALL_COLUMN_MIGRATION)), error);
  if (now == NULL)
    return FALSE;
  *done = g_str_equal (now, step->to);
  *settled = *done || !g_str_equal (now, step->is);
  if (*settled)
    return TRUE;
  if (!write_step (step, row, done, error))
    return FALSE;
  *settled = *done;
  return TRUE;
}

/* @wrote: an attempt was sent whose answer is not known */
static gboolean
fail (gboolean wrote, GError *cause, GError **error)
{
  if (wrote && cause != NULL)
    cause->code = TALL_ERROR_OUTCOME_UNKNOWN;
  if (cause != NULL)
    g_propagate_prefixed_error (error, cause, "Writing the migration into the deployment record: ");
  else
    g_set_error (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN,
                 "Writing the migration into the deployment record: no answer was certain; do it "
                 "again");
  return FALSE;
}

/**
 * tall_migration_change:
 * @id: (nullable): of the deployment, which another one of its name may have replaced
 * @is: what the record must say
 * @to: the step that follows, as a function of store/record/migration.h gives it
 * @next: (nullable) (array fixed-size=7): texts of the columns %tall_record_moving, for the step
 *   that begins a migration
 * @done: (out): whether the record says @to, whoever has written that; FALSE: it says something
 *   else, because another process was faster
 *
 * Makes one step of a migration: one conditional write, which the switch shares with the settings
 * that count from then on. A lost answer is settled by reading; if nothing has happened, it is sent
 * again, as anybody might who resumes the migration.
 *
 * Returns: TRUE if @done is set; FALSE with %TALL_ERROR_OUTCOME_UNKNOWN if the step may have been
 *   made; with any other error it was not, and will not be
 */
gboolean
tall_migration_change (TallTable *table,
                       const char *id,
                       const TallMigration *is,
                       const TallMigration *to,
                       const char *const *next,
                       gint64 deadline,
                       gboolean *done,
                       GError **error)
{
  g_return_val_if_fail (tall_migration_is_possible (is), FALSE);
  g_return_val_if_fail (tall_migration_is_possible (to), FALSE);

  g_autofree char *is_text = tall_migration_print (is);
  g_autofree char *to_text = tall_migration_print (to);
  const Step step = { .table = table,
                      .deadline = deadline,
                      .id = id,
                      .is = is_text,
                      .to = to_text,
                      .next = next,
                      .switches = to->generation != is->generation };
  *done = FALSE;
  for (guint i = 0; i < MAX_ATTEMPTS; i++)
    {
      GError *cause = NULL;
      gboolean settled = FALSE;
      if (!attempt_step (&step, &settled, done, &cause))
        return fail (i > 0, cause, error);
      if (settled)
        return TRUE;
    }
  return fail (TRUE, NULL, error);
}
