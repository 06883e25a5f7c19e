/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-deployment.h"

#include "tall-error.h"
#include "tall-tables.h"

#define META_TABLE TALL_META_TABLE
#define RECORD_ROW tall_slice_str ("deployment")

#define COLUMN_FORMAT "format"
#define COLUMN_ID "id"
#define COLUMN_LAYOUT "layout"
#define COLUMN_KEY_STRATEGY "key_strategy"
#define COLUMN_TTL "ttl"
#define COLUMN_MODE "mode"
#define COLUMN_BULK_REVISION "bulk_revision"
#define COLUMN_REGIONS "regions"
#define COLUMN_COMPRESSION "compression"
#define COLUMN_BLOOM_FILTER "bloom_filter"
#define COLUMN_BLOCK_ENCODING "block_encoding"
#define COLUMN_INDEX "index"

#define MODE_NORMAL "normal"
#define MODE_READ_ONLY "read-only"

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

void
tall_deployment_free (TallDeployment *self)
{
  if (self == NULL)
    return;
  g_free (self->id);
  g_free (self->layout);
  g_free (self->key_strategy);
  g_free (self->compression);
  g_free (self->bloom_filter);
  g_free (self->block_encoding);
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
parse_choice (const TallRow *row, const char *column, char **choice, GError **error)
{
  if (tall_row_find_latest (row, tall_slice_str (column)) == NULL)
    return TRUE;
  *choice = dup_column (row, column, error);
  return *choice != NULL;
}

/* How the tables were to be made; a column that is absent was not said. */
static gboolean
parse_tables (TallDeployment *self, const TallRow *row, GError **error)
{
  guint64 regions = 0;
  if (tall_row_find_latest (row, tall_slice_str (COLUMN_REGIONS)) != NULL
      && !parse_number (row, COLUMN_REGIONS, TALL_MAX_REGIONS, &regions, error))
    return FALSE;
  self->regions = (guint)regions;
  return parse_choice (row, COLUMN_COMPRESSION, &self->compression, error)
         && parse_choice (row, COLUMN_BLOOM_FILTER, &self->bloom_filter, error)
         && parse_choice (row, COLUMN_BLOCK_ENCODING, &self->block_encoding, error);
}

/* Records that were made before there were indexes have no such column, and their deployments no
 * table for one. */
static gboolean
parse_index (TallDeployment *self, const TallRow *row, GError **error)
{
  self->index = TALL_INDEX_NONE;
  if (tall_row_find_latest (row, tall_slice_str (COLUMN_INDEX)) == NULL)
    return TRUE;
  g_autofree char *index = dup_column (row, COLUMN_INDEX, error);
  if (index == NULL)
    return FALSE;
  if (tall_index_kind_choose (index, &self->index))
    return TRUE;
  g_autofree char *known = tall_index_kind_list_names (" or ");
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "The deployment record's column " COLUMN_INDEX " is “%s”, not %s", index, known);
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
      || !parse_tables (self, row, error)
      || !parse_number (row, COLUMN_TTL, G_MAXUINT64, &self->ttl, error)
      || !parse_number (row, COLUMN_BULK_REVISION, G_MAXINT64 - 1, &bulk_revision, error))
    return FALSE;
  self->bulk_revision = (gint64)bulk_revision;
  return TRUE;
}

/* Whether reading has failed because there is not even the table. */
static gboolean
is_table_missing (TallTable *table, gint64 deadline, const GError *cause)
{
  g_autoptr (GError) error = NULL;
  if (!g_error_matches (cause, TALL_ERROR, TALL_ERROR_UNSUPPORTED))
    return FALSE;
  g_autoptr (TallTableSpec) spec = tall_table_describe_table (table, META_TABLE, deadline, &error);
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
  tall_read_plan_add_get (plan, META_TABLE, RECORD_ROW);
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

  g_autoptr (TallDeployment) self = g_new0 (TallDeployment, 1);
  return parse_record (self, &result->results[0].rows[0], error) ? g_steal_pointer (&self) : NULL;
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
  put_text (batch, record, COLUMN_INDEX, tall_index_kind_get_name (settings->index));
  put_text (batch, record, COLUMN_MODE, MODE_NORMAL);
  put_text (batch, record, COLUMN_BULK_REVISION, "0");
  if (settings->regions != 0)
    put_text (batch, record, COLUMN_REGIONS, tall_arena_printf (arena, "%u", settings->regions));
  put_choice (batch, record, COLUMN_COMPRESSION, settings->compression);
  put_choice (batch, record, COLUMN_BLOOM_FILTER, settings->bloom_filter);
  put_choice (batch, record, COLUMN_BLOCK_ENCODING, settings->block_encoding);
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
      || !tall_tables_create (table, specs, settings->regions != 0, deadline, error))
    return FALSE;

  g_autofree char *id = settings->id != NULL ? g_strdup (settings->id) : g_uuid_string_random ();
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *record = append_record (settings, id, batch);

  gboolean matched = FALSE;
  g_autoptr (GError) cause = NULL;
  if (tall_table_apply_if (table, record, tall_slice_str (COLUMN_ID), NULL, TALL_DURABLE, deadline,
                           &matched, &cause)
      && matched)
    return TRUE;
  return settle_record (table, id, g_steal_pointer (&cause), deadline, error);
}
