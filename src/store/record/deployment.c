/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/record/deployment.h"

#include "store/record/deployment-record.h"
#include "tall-error.h"
#include "store/record/record-check.h"
#include "store/record/tables.h"

/**
 * tall_deployment_clock_difference:
 * @ttl: of the deployment, seconds; not 0
 *
 * Returns: seconds by which clocks may differ
 */
gint64
tall_deployment_clock_difference (guint64 ttl)
{
  return (gint64)MIN (ttl / 2, TALL_CLOCK_DIFFERENCE);
}

/* Whether reading has failed because there is not even the table. */
static gboolean
is_table_missing (TallTable *table, gint64 deadline, const GError *cause)
{
  g_autoptr (GError) error = NULL;
  if (!g_error_matches (cause, TALL_ERROR, TALL_ERROR_UNSUPPORTED))
    return FALSE;
  g_autoptr (TallTableSpec) spec =
      tall_table_describe_table (table, TALL_META_TABLE, deadline, &error);
  return g_error_matches (error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
}

/**
 * tall_deployment_read:
 *
 * Returns: (transfer full): the record; NULL with %TALL_ERROR_NOT_FOUND if there is none, or no
 *   table for it; %TALL_ERROR_NEWER_VERSION; %TALL_ERROR_DAMAGED
 */
TallDeployment *
tall_deployment_read (TallTable *table, gint64 deadline, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, TALL_META_TABLE, TALL_RECORD_ROW);
  g_autoptr (TallReadResult) result = tall_table_read (table, plan, deadline, &cause);
  if (result == NULL && !is_table_missing (table, deadline, cause))
    {
      g_propagate_prefixed_error (error, g_steal_pointer (&cause),
                                  "Reading the deployment record: ");
      return NULL;
    }
  if (result == NULL || result->results[0].n_rows == 0)
    {
      g_set_error (
          error, TALL_ERROR, TALL_ERROR_NOT_FOUND,
          "There is no such deployment: `tallorder status --all` lists those that there are, "
          "`tallorder init` makes one");
      return NULL;
    }
  return tall_deployment_parse (&result->results[0].rows[0], error);
}

static void
set_taken (const TallDeployment *there, GError **error)
{
  tall_error_set_conflict (error, 0,
                           "There is a deployment already, with layout %s and key strategy %s; "
                           "open it, or choose another name with ?name=N",
                           there->layout, there->key_strategy);
}

/* Returns: whether there is no record; FALSE with @error set: which one, or why none was read */
static gboolean
check_absent (TallTable *table, gint64 deadline, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (TallDeployment) there = tall_deployment_read (table, deadline, &cause);
  if (there != NULL)
    set_taken (there, error);
  else if (g_error_matches (cause, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    return TRUE;
  else
    g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

static void
put_text (TallBatch *batch, TallMutation *record, const char *column, const char *text)
{
  tall_mutation_put (batch, record, tall_slice_str (column), g_get_real_time () / 1000,
                     tall_slice_str (text));
}

static void
put_choice (TallBatch *batch, TallMutation *record, const char *column, const char *choice)
{
  if (choice != NULL)
    put_text (batch, record, column, choice);
}

static void
put_number (TallBatch *batch, TallMutation *record, const char *column, guint64 number)
{
  g_autofree char *text = tall_record_print_number (number);
  put_text (batch, record, column, tall_arena_strdup (batch->arena, text));
}

static TallMutation *
append_record (const TallStoreSettings *settings, const char *id, TallBatch *batch)
{
  TallArena *arena = batch->arena;
  TallMutation *record = tall_batch_add (batch, TALL_META_TABLE, TALL_RECORD_ROW);

  put_text (batch, record, TALL_COLUMN_FORMAT, tall_arena_printf (arena, "%d", TALL_FORMAT));
  put_text (batch, record, TALL_COLUMN_ID, tall_arena_strdup (arena, id));
  put_text (batch, record, TALL_COLUMN_LAYOUT, settings->layout->name);
  put_text (batch, record, TALL_COLUMN_KEY_STRATEGY, settings->key_strategy->name);
  put_number (batch, record, TALL_COLUMN_TTL, settings->ttl);
  put_text (batch, record, TALL_COLUMN_INDEX, tall_index_kind_get_name (settings->index));
  put_text (batch, record, TALL_COLUMN_MODE, TALL_MODE_NORMAL);
  put_number (batch, record, TALL_COLUMN_BULK_REVISION, 0);
  if (settings->regions != 0)
    put_text (batch, record, TALL_COLUMN_REGIONS,
              tall_arena_printf (arena, "%u", settings->regions));
  put_choice (batch, record, TALL_COLUMN_COMPRESSION, settings->compression);
  put_choice (batch, record, TALL_COLUMN_BLOOM_FILTER, settings->bloom_filter);
  put_choice (batch, record, TALL_COLUMN_BLOCK_ENCODING, settings->block_encoding);
  return record;
}

/* A record that was sent, and whose answer was lost or false: what there is now says whether it is
 * ours. @cause: (transfer full) (nullable): the error of a lost answer */
static gboolean
settle_record (TallTable *table, const char *id, GError *cause, gint64 deadline, GError **error)
{
  g_autoptr (GError) unread = NULL;
  g_autoptr (TallDeployment) there = tall_deployment_read (table, deadline, &unread);
  if (there != NULL && g_str_equal (there->id, id))
    {
      g_clear_error (&cause);
      return TRUE;
    }
  if (cause != NULL)
    g_propagate_prefixed_error (error, cause, "Writing the deployment record; do it again: ");
  else if (there != NULL)
    set_taken (there, error);
  else
    tall_error_set_detailed (error, TALL_ERROR_UNAVAILABLE, tall_error_get_detail (unread),
                             "Writing the deployment record: another one was there, and cannot be "
                             "read; do it again (%s)",
                             unread->message);
  return FALSE;
}

/**
 * tall_deployment_create:
 *
 * Creates the tables, and at last the record: without it there is no deployment. If this is cut
 * short, it is repaired by being done again; tables that are there, as an administrator or an
 * earlier attempt has made them, are taken if they are empty and kept as wanted.
 *
 * Returns: FALSE with %TALL_ERROR_CONFLICT if there is a deployment, or a table in use;
 *   %TALL_ERROR_OUTCOME_UNKNOWN if the record may have been written
 */
gboolean
tall_deployment_create (TallTable *table,
                        const TallStoreSettings *settings,
                        gint64 deadline,
                        GError **error)
{
  g_autoptr (GPtrArray) specs = tall_store_plan_tables (settings, error);
  if (specs == NULL || !check_absent (table, deadline, error)
      || !tall_tables_create (table, specs, tall_tables_choose_rule (settings), deadline, error))
    return FALSE;

  g_autofree char *id = settings->id != NULL ? g_strdup (settings->id) : g_uuid_string_random ();
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *record = append_record (settings, id, batch);

  gboolean matched = FALSE;
  g_autoptr (GError) cause = NULL;
  if (tall_table_apply_if (table, record, tall_slice_str (TALL_COLUMN_ID), NULL, TALL_DURABLE,
                           deadline, &matched, &cause)
      && matched)
    return TRUE;
  return settle_record (table, id, g_steal_pointer (&cause), deadline, error);
}
