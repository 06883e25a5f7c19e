/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-deployment.h"

#include "tall-error.h"
#include "tall-ids.h"
#include "tall-index.h"

#define META_TABLE "meta"
#define RECORD_ROW tall_slice_str ("deployment")

#define COLUMN_FORMAT "format"
#define COLUMN_ID "id"
#define COLUMN_LAYOUT "layout"
#define COLUMN_KEY_STRATEGY "key_strategy"
#define COLUMN_TTL "ttl"
#define COLUMN_MODE "mode"
#define COLUMN_BULK_REVISION "bulk_revision"
#define COLUMN_INDEX "index"

#define MODE_NORMAL "normal"
#define MODE_READ_ONLY "read-only"

#define INDEX_BY_DATE "date"
#define INDEX_NONE "none"

void
tall_deployment_free (TallDeployment *self)
{
  if (self == NULL)
    return;
  g_free (self->id);
  g_free (self->layout);
  g_free (self->key_strategy);
  g_free (self);
}

static char *
dup_column (const TallRow *row, const char *column, GError **error)
{
  const TallCell *cell = tall_row_find_latest (row, tall_slice_str (column));
  if (cell != NULL && cell->value.len > 0
      && g_utf8_validate_len ((const char *)cell->value.data, cell->value.len, NULL))
    return g_strndup ((const char *)cell->value.data, cell->value.len);

  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "The deployment record has no column %s, or one that is no text", column);
  return NULL;
}

static gboolean
parse_number (const TallRow *row, const char *column, guint64 max, guint64 *number, GError **error)
{
  g_autofree char *text = dup_column (row, column, error);
  if (text == NULL)
    return FALSE;
  if (g_ascii_string_to_unsigned (text, 10, 0, max, number, NULL))
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "The deployment record's column %s is “%s”, not a number up to %" G_GUINT64_FORMAT,
               column, text, max);
  return FALSE;
}

static gboolean
parse_format (TallDeployment *self, const TallRow *row, GError **error)
{
  guint64 format;
  if (!parse_number (row, COLUMN_FORMAT, G_MAXUINT, &format, error))
    return FALSE;
  if (format > TALL_FORMAT)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_NEWER_VERSION,
                   "This deployment has format %" G_GUINT64_FORMAT ", and this version of "
                   "tallorder knows none after %d; use the newer version",
                   format, TALL_FORMAT);
      return FALSE;
    }
  self->format = (guint)format;
  return TRUE;
}

static gboolean
parse_mode (TallDeployment *self, const TallRow *row, GError **error)
{
  g_autofree char *mode = dup_column (row, COLUMN_MODE, error);
  if (mode == NULL)
    return FALSE;
  self->read_only = g_str_equal (mode, MODE_READ_ONLY);
  if (self->read_only || g_str_equal (mode, MODE_NORMAL))
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "The deployment record's column " COLUMN_MODE " is “%s”, not " MODE_NORMAL
               " or " MODE_READ_ONLY,
               mode);
  return FALSE;
}

static gboolean
parse_index (TallDeployment *self, const TallRow *row, GError **error)
{
  g_autofree char *index = dup_column (row, COLUMN_INDEX, error);
  if (index == NULL)
    return FALSE;
  self->index = g_str_equal (index, INDEX_BY_DATE) ? TALL_INDEX_BY_DATE : TALL_INDEX_NONE;
  if (self->index == TALL_INDEX_BY_DATE || g_str_equal (index, INDEX_NONE))
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "The deployment record's column " COLUMN_INDEX " is “%s”, not " INDEX_BY_DATE
               " or " INDEX_NONE,
               index);
  return FALSE;
}

/* The format first: a newer one may have anything else. */
static gboolean
parse_record (TallDeployment *self, const TallRow *row, GError **error)
{
  guint64 bulk_revision;
  if (!parse_format (self, row, error) || (self->id = dup_column (row, COLUMN_ID, error)) == NULL
      || (self->layout = dup_column (row, COLUMN_LAYOUT, error)) == NULL
      || (self->key_strategy = dup_column (row, COLUMN_KEY_STRATEGY, error)) == NULL
      || !parse_mode (self, row, error) || !parse_index (self, row, error)
      || !parse_number (row, COLUMN_TTL, G_MAXUINT64, &self->ttl, error)
      || !parse_number (row, COLUMN_BULK_REVISION, G_MAXINT64 - 1, &bulk_revision, error))
    return FALSE;
  self->bulk_revision = (gint64)bulk_revision;
  return TRUE;
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
  tall_read_plan_add_get (plan, META_TABLE, RECORD_ROW);
  g_autoptr (TallReadResult) result = tall_table_read (table, plan, deadline, &cause);
  if (result == NULL && !g_error_matches (cause, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    {
      g_propagate_prefixed_error (error, g_steal_pointer (&cause),
                                  "Reading the deployment record: ");
      return NULL;
    }
  if (result == NULL || result->results[0].n_rows == 0)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND,
                   "There is no deployment; make one with `tallorder init`");
      return NULL;
    }

  g_autoptr (TallDeployment) self = g_new0 (TallDeployment, 1);
  return parse_record (self, &result->results[0].rows[0], error) ? g_steal_pointer (&self) : NULL;
}

/* Sets @absent if there is no record; an error says which there is. */
static gboolean
check_absent (TallTable *table, gint64 deadline, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (TallDeployment) there = tall_deployment_read (table, deadline, &cause);
  if (there != NULL)
    tall_error_set_conflict (error, 0,
                             "There is a deployment already, with layout %s and key strategy %s; "
                             "open it, or choose another name",
                             there->layout, there->key_strategy);
  else if (g_error_matches (cause, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    return TRUE;
  else
    g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

/* While there is no record, a table that is there may be left from an `init` that was cut short.
 * It is taken if nothing is in it. */
static gboolean
check_empty (TallTable *table, const char *name, gint64 deadline, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallRead *read =
      tall_read_plan_add_scan (plan, name, (TallSlice)TALL_SLICE_INIT, (TallSlice)TALL_SLICE_INIT);
  read->limit = 1;
  g_autoptr (TallReadResult) result = tall_table_read (table, plan, deadline, error);
  if (result == NULL)
    return FALSE;
  if (result->results[0].n_rows == 0)
    return TRUE;
  tall_error_set_conflict (error, 0,
                           "There is no deployment, but a table %s that is not empty; choose "
                           "another name, or drop the table if nobody needs it",
                           name);
  return FALSE;
}

static gboolean
create_table (TallTable *table, const TallTableSpec *spec, gint64 deadline, GError **error)
{
  g_autoptr (GError) cause = NULL;
  if (tall_table_create_table (table, spec, deadline, &cause))
    return TRUE;
  if (g_error_matches (cause, TALL_ERROR, TALL_ERROR_CONFLICT))
    return check_empty (table, spec->name, deadline, error);
  g_propagate_prefixed_error (error, g_steal_pointer (&cause), "Creating table %s: ", spec->name);
  return FALSE;
}

/* A hint is as old as the order that it leads to, and goes with it. Whether there is one is all
 * that counts, so that one version will do. */
static gboolean
create_index (TallTable *table, const TallStoreSettings *settings, gint64 deadline, GError **error)
{
  g_autoptr (TallTableSpec) spec = tall_table_spec_new (TALL_INDEX_TABLE);
  spec->max_versions = 1;
  spec->ttl = settings->ttl;
  return create_table (table, spec, deadline, error);
}

static gboolean
create_tables (TallTable *table, const TallStoreSettings *settings, gint64 deadline, GError **error)
{
  g_autoptr (TallTableSpec) meta = tall_table_spec_new (META_TABLE);
  meta->max_versions = 1;
  if (!create_table (table, meta, deadline, error))
    return FALSE;
  if (settings->key_strategy->needs_id)
    {
      g_autoptr (TallTableSpec) ids = tall_table_spec_new (TALL_IDS_TABLE);
      ids->max_versions = 1;
      if (!create_table (table, ids, deadline, error))
        return FALSE;
    }
  for (const TallLayoutTable *wanted = settings->layout->tables; wanted->name != NULL; wanted++)
    {
      g_autoptr (TallTableSpec) spec = tall_table_spec_new (wanted->name);
      spec->ttl = wanted->expires ? settings->ttl : 0;
      if (!create_table (table, spec, deadline, error))
        return FALSE;
    }
  return settings->index != TALL_INDEX_BY_DATE || create_index (table, settings, deadline, error);
}

static void
put_text (TallBatch *batch, TallMutation *record, const char *column, const char *text)
{
  tall_mutation_put (batch, record, tall_slice_str (column), g_get_real_time () / 1000,
                     tall_slice_str (text));
}

static TallMutation *
append_record (const TallStoreSettings *settings, const char *id, TallBatch *batch)
{
  TallArena *arena = batch->arena;
  TallMutation *record = tall_batch_add (batch, META_TABLE, RECORD_ROW);

  put_text (batch, record, COLUMN_FORMAT, tall_arena_printf (arena, "%d", TALL_FORMAT));
  put_text (batch, record, COLUMN_ID, tall_arena_strdup (arena, id));
  put_text (batch, record, COLUMN_LAYOUT, settings->layout->name);
  put_text (batch, record, COLUMN_KEY_STRATEGY, settings->key_strategy->name);
  put_text (batch, record, COLUMN_TTL,
            tall_arena_printf (arena, "%" G_GUINT64_FORMAT, settings->ttl));
  put_text (batch, record, COLUMN_INDEX,
            settings->index == TALL_INDEX_BY_DATE ? INDEX_BY_DATE : INDEX_NONE);
  put_text (batch, record, COLUMN_MODE, MODE_NORMAL);
  put_text (batch, record, COLUMN_BULK_REVISION, "0");
  return record;
}

/**
 * tall_deployment_create:
 *
 * Creates the tables, and at last the record: without it there is no deployment. If this is cut
 * short, it is repaired by being done again, also with other settings; tables that are there are
 * taken as they are if they are empty.
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
  if (!check_absent (table, deadline, error) || !create_tables (table, settings, deadline, error))
    return FALSE;

  g_autofree char *id = g_uuid_string_random ();
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *record = append_record (settings, id, batch);

  gboolean matched = FALSE;
  g_autoptr (GError) cause = NULL;
  if (tall_table_apply_if (table, record, tall_slice_str (COLUMN_ID), NULL, TALL_DURABLE, deadline,
                           &matched, &cause)
      && matched)
    return TRUE;

  /* Lost, or false: the record says whether it is ours. */
  g_autoptr (TallDeployment) there = tall_deployment_read (table, deadline, NULL);
  if (there != NULL && g_str_equal (there->id, id))
    return TRUE;
  if (cause != NULL)
    {
      g_propagate_prefixed_error (error, g_steal_pointer (&cause),
                                  "Writing the deployment record; do it again: ");
      return FALSE;
    }
  return check_absent (table, deadline, error);
}
