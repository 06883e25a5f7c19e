/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/record/deployment-record.h"

#include "tall-error.h"
#include "store/record/record-check.h"

const char *const tall_record_moving[TALL_N_MOVING] = {
  TALL_COLUMN_LAYOUT,         TALL_COLUMN_KEY_STRATEGY, TALL_COLUMN_INDEX,
  TALL_COLUMN_REGIONS,        TALL_COLUMN_COMPRESSION,  TALL_COLUMN_BLOOM_FILTER,
  TALL_COLUMN_BLOCK_ENCODING,
};

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
  tall_deployment_free (self->next);
  g_free (self);
}

/**
 * tall_deployment_make_next:
 *
 * A copy of what @self becomes by the switch, for a #TallStoreContext of the target's tables.
 *
 * Returns: (transfer full) (nullable): NULL: no target is being made
 */
TallDeployment *
tall_deployment_make_next (const TallDeployment *self)
{
  if (self->next == NULL)
    return NULL;
  TallDeployment *next = g_memdup2 (self->next, sizeof *next);
  next->id = g_strdup (next->id);
  next->layout = g_strdup (next->layout);
  next->key_strategy = g_strdup (next->key_strategy);
  next->compression = g_strdup (next->compression);
  next->bloom_filter = g_strdup (next->bloom_filter);
  next->block_encoding = g_strdup (next->block_encoding);
  return next;
}

/* Whether a column has just that text. */
static gboolean
has_text (const TallRow *row, const char *column, const char *text)
{
  const TallCell *cell = tall_row_find_latest (row, tall_slice_str (column));
  return cell != NULL && tall_slice_equal (cell->value, tall_slice_str (text));
}

gboolean
tall_record_is_dropped (const TallRow *row)
{
  return has_text (row, TALL_COLUMN_FORMAT, TALL_FORMAT_DROPPED);
}

/**
 * tall_record_is_of:
 *
 * Returns: whether it is the record of the deployment that has this id
 */
gboolean
tall_record_is_of (const TallRow *row, const char *id)
{
  return has_text (row, TALL_COLUMN_ID, id) && !tall_record_is_dropped (row);
}

/**
 * tall_record_find_timestamp:
 * @row: (nullable): the record as it is
 *
 * Returns: one that is later than everything in the record, as a clock that is slow would write
 * what nobody sees; 0 with %TALL_ERROR_DAMAGED if there is none
 */
gint64
tall_record_find_timestamp (const TallRow *row, GError **error)
{
  gint64 timestamp = MAX (g_get_real_time () / 1000, 1);
  for (guint i = 0; row != NULL && i < row->n_cells; i++)
    timestamp = MAX (timestamp, row->cells[i].timestamp + 1);
  if (timestamp < G_MAXINT64)
    return timestamp;
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "a cell of the deployment record has the latest timestamp that there is, so nothing "
               "can replace it");
  return 0;
}

/* The columns with one prefix. */
typedef struct
{
  const TallRow *row;
  const char *prefix; /* "", or TALL_NEXT */
} Columns;

static const TallCell *
find_column (const Columns *columns, const char *column)
{
  g_autofree char *name = g_strconcat (columns->prefix, column, NULL);
  return tall_row_find_latest (columns->row, tall_slice_str (name));
}

/* Whether a column that need not be there is not. Those of the next settings are all there. */
static gboolean
is_left_out (const Columns *columns, const char *column)
{
  return columns->prefix[0] == '\0' && find_column (columns, column) == NULL;
}

static char *
dup_column (const Columns *columns, const char *column, GError **error)
{
  const TallCell *cell = find_column (columns, column);
  if (cell != NULL && cell->value.len > 0
      && g_utf8_validate_len ((const char *)cell->value.data, cell->value.len, NULL))
    return g_strndup ((const char *)cell->value.data, cell->value.len);

  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "The deployment record has no column %s%s, or one that is no text", columns->prefix,
               column);
  return NULL;
}

static gboolean
parse_number (
    const Columns *columns, const char *column, guint64 max, guint64 *number, GError **error)
{
  g_autofree char *text = dup_column (columns, column, error);
  if (text == NULL)
    return FALSE;
  if (g_ascii_string_to_unsigned (text, 10, 0, max, number, NULL))
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "The deployment record's column %s%s is “%s”, not a number up to %" G_GUINT64_FORMAT,
               columns->prefix, column, text, max);
  return FALSE;
}

/* One with a check. */
static gboolean
parse_checked (
    const Columns *columns, const char *column, guint64 max, guint64 *number, GError **error)
{
  g_autofree char *text = dup_column (columns, column, error);
  return text != NULL
         && tall_record_parse_number (tall_slice_str (text), column, max, number, error);
}

static gboolean
parse_format (TallDeployment *self, const Columns *columns, GError **error)
{
  guint64 format;
  if (!parse_number (columns, TALL_COLUMN_FORMAT, G_MAXUINT, &format, error))
    return FALSE;
  if (format > TALL_NEWEST_FORMAT)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_NEWER_VERSION,
                   "This deployment has format %" G_GUINT64_FORMAT ", and this version of "
                   "tallorder knows none after %d; use the newer version",
                   format, TALL_NEWEST_FORMAT);
      return FALSE;
    }
  self->format = (guint)format;
  return TRUE;
}

static gboolean
parse_mode (TallDeployment *self, const Columns *columns, GError **error)
{
  g_autofree char *mode = dup_column (columns, TALL_COLUMN_MODE, error);
  if (mode == NULL)
    return FALSE;
  self->read_only = g_str_equal (mode, TALL_MODE_READ_ONLY);
  if (self->read_only || g_str_equal (mode, TALL_MODE_NORMAL))
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "The deployment record's column " TALL_COLUMN_MODE " is “%s”, not " TALL_MODE_NORMAL
               " or " TALL_MODE_READ_ONLY,
               mode);
  return FALSE;
}

static gboolean
parse_choice (const Columns *columns, const char *column, char **choice, GError **error)
{
  if (is_left_out (columns, column))
    return TRUE;
  g_autofree char *text = dup_column (columns, column, error);
  if (text == NULL)
    return FALSE;
  if (!g_str_equal (text, TALL_NOT_SAID))
    *choice = g_steal_pointer (&text);
  return TRUE;
}

/* How the tables were to be made; a column that is absent was not said. */
static gboolean
parse_tables (TallDeployment *self, const Columns *columns, GError **error)
{
  guint64 regions = 0;
  if (!is_left_out (columns, TALL_COLUMN_REGIONS)
      && !parse_number (columns, TALL_COLUMN_REGIONS, TALL_MAX_REGIONS, &regions, error))
    return FALSE;
  self->regions = (guint)regions;
  return parse_choice (columns, TALL_COLUMN_COMPRESSION, &self->compression, error)
         && parse_choice (columns, TALL_COLUMN_BLOOM_FILTER, &self->bloom_filter, error)
         && parse_choice (columns, TALL_COLUMN_BLOCK_ENCODING, &self->block_encoding, error);
}

/* Records that were made before there were indexes have no such column, and their deployments no
 * table for one. */
static gboolean
parse_index (TallDeployment *self, const Columns *columns, GError **error)
{
  self->index = TALL_INDEX_NONE;
  if (is_left_out (columns, TALL_COLUMN_INDEX))
    return TRUE;
  g_autofree char *index = dup_column (columns, TALL_COLUMN_INDEX, error);
  if (index == NULL)
    return FALSE;
  if (tall_index_kind_choose (index, &self->index))
    return TRUE;
  g_autofree char *known = tall_index_kind_list_names (" or ");
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "The deployment record's column %s" TALL_COLUMN_INDEX " is “%s”, not %s",
               columns->prefix, index, known);
  return FALSE;
}

/* What a migration can change. */
static gboolean
parse_settings (TallDeployment *self, const Columns *columns, GError **error)
{
  return (self->layout = dup_column (columns, TALL_COLUMN_LAYOUT, error)) != NULL
         && (self->key_strategy = dup_column (columns, TALL_COLUMN_KEY_STRATEGY, error)) != NULL
         && parse_index (self, columns, error) && parse_tables (self, columns, error);
}

/* The deployments of format 1 have never moved. */
static gboolean
parse_migration (TallDeployment *self, const Columns *columns, GError **error)
{
  const TallCell *cell = find_column (columns, TALL_COLUMN_MIGRATION);
  self->migration = TALL_MIGRATION_INIT;
  if (cell != NULL && !tall_migration_parse (&self->migration, cell->value, error))
    return FALSE;
  if ((self->migration.generation == TALL_FIRST_GENERATION) == (self->format <= TALL_FORMAT))
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "The deployment record has format %u, and generation %" G_GUINT64_FORMAT
               " in its column " TALL_COLUMN_MIGRATION,
               self->format, self->migration.generation);
  return FALSE;
}

/* The deployment as it will be after the switch of a migration, if there is one. */
static gboolean
parse_next (TallDeployment *self, const TallRow *row, GError **error)
{
  const Columns columns = { row, TALL_NEXT };
  if (self->migration.target == 0)
    return TRUE;
  TallDeployment *next = self->next = g_new0 (TallDeployment, 1);
  next->id = g_strdup (self->id);
  next->format = TALL_FORMAT_OF_GENERATIONS;
  next->ttl = self->ttl;
  next->read_only = self->read_only;
  next->bulk_revision = self->bulk_revision;
  next->migration =
      (TallMigration){ .generation = self->migration.target, .last = self->migration.last };
  return parse_settings (next, &columns, error);
}

/* The format first: a newer one may have anything else. */
static gboolean
parse_record (TallDeployment *self, const TallRow *row, GError **error)
{
  const Columns columns = { row, "" };
  guint64 bulk_revision;
  if (!parse_format (self, &columns, error)
      || (self->id = dup_column (&columns, TALL_COLUMN_ID, error)) == NULL
      || !parse_settings (self, &columns, error) || !parse_mode (self, &columns, error)
      || !parse_checked (&columns, TALL_COLUMN_TTL, G_MAXUINT64, &self->ttl, error)
      || !parse_checked (&columns, TALL_COLUMN_BULK_REVISION, G_MAXINT64 - 1, &bulk_revision, error)
      || !parse_migration (self, &columns, error))
    return FALSE;
  self->bulk_revision = (gint64)bulk_revision;
  return parse_next (self, row, error);
}

/**
 * tall_deployment_parse:
 * @row: %TALL_RECORD_ROW of the table `meta`
 *
 * Returns: (transfer full): what it says; NULL with %TALL_ERROR_NEWER_VERSION or
 *   %TALL_ERROR_DAMAGED
 */
TallDeployment *
tall_deployment_parse (const TallRow *row, GError **error)
{
  g_autoptr (TallDeployment) self = g_new0 (TallDeployment, 1);
  return parse_record (self, row, error) ? g_steal_pointer (&self) : NULL;
}
