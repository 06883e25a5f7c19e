/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/record/deployment.h"

#include "base/fail.h"
#include "store/commit/root.h"
#include "store/record/generation.h"
#include "store/record/tables.h"

#define CHECK_SIZE 8  /* digits */
#define MAX_SHOWN 200 /* bytes of a damaged text */

/* Between a number and its check. No digit becomes one by a bit, so nothing that was changed there
 * is a number without a check. */
#define SEPARATOR '/'

/**
 * tall_record_check:
 * @text: of the deployment record
 *
 * Returns: (transfer full): the check that is stored with @text, by which a changed byte is noticed
 */
char *
tall_record_check (const char *text)
{
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
  return g_strndup (sum, CHECK_SIZE);
}

/**
 * tall_record_print_number:
 *
 * Returns: (transfer full): NUMBER/CHECK; layout/FORMAT.md says more
 */
char *
tall_record_print_number (guint64 number)
{
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, number);
  g_autofree char *check = tall_record_check (text);
  return g_strdup_printf ("%s%c%s", text, SEPARATOR, check);
}

/**
 * tall_record_print_indexes:
 *
 * Returns: (transfer full): the column `index`: a line for each, and then the check of them; if
 *   there is none besides the one by date, just one line
 */
char *
tall_record_print_indexes (TallIndexKind kind, const char *indexes)
{
  g_autofree char *text = tall_indexes_print (kind, indexes, "\n");
  g_autofree char *check = tall_record_check (text);
  return indexes != NULL ? g_strconcat (text, "\n", check, NULL) : g_steal_pointer (&text);
}

/* Earlier versions wrote no check. */
static gboolean
parse (TallSlice stored, guint64 max, guint64 *number)
{
  g_autofree char *text = g_strndup ((const char *)stored.data, stored.len);
  char *end = strchr (text, SEPARATOR);
  gboolean is_checked = end != NULL;
  if (is_checked)
    *end = '\0';
  if (!g_ascii_string_to_unsigned (text, 10, 0, max, number, NULL))
    return FALSE;
  g_autofree char *printed = is_checked ? tall_record_print_number (*number) : g_strdup (text);
  return tall_slice_equal (tall_slice_str (printed), stored);
}

/**
 * tall_record_parse_number:
 * @stored: what @column is
 * @max: the greatest number that it can be
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED if it is neither what tall_record_print_number() gives
 *   nor a number without a check
 */
gboolean
tall_record_parse_number (
    TallSlice stored, const char *column, guint64 max, guint64 *number, GError **error)
{
  if (parse (stored, max, number))
    return TRUE;
  g_autofree char *shown =
      tall_slice_to_debug (tall_slice (stored.data, MIN (stored.len, MAX_SHOWN)));
  return tall_error_fail (
      error, TALL_ERROR_DAMAGED,
      "The deployment record's column %s is %s: not a number up to %" G_GUINT64_FORMAT
      ", or not as it was written; restore the deployment from a backup",
      column, shown, max);
}

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
               "The deployment record has no column %s%s, or one that is not text", columns->prefix,
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
  return tall_error_fail (
      error, TALL_ERROR_DAMAGED,
      "The deployment record's column %s%s is “%s”, not a number up to %" G_GUINT64_FORMAT,
      columns->prefix, column, text, max);
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
    return tall_error_fail (error, TALL_ERROR_NEWER_VERSION,
                            "This deployment has format %" G_GUINT64_FORMAT ", and this version of "
                            "tallorder knows none after %d; use the newer version",
                            format, TALL_NEWEST_FORMAT);
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
  return tall_error_fail (error, TALL_ERROR_DAMAGED,
                          "The deployment record's column " TALL_COLUMN_MODE
                          " is “%s”, not " TALL_MODE_NORMAL " or " TALL_MODE_READ_ONLY,
                          mode);
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
  g_autofree char *text = dup_column (columns, TALL_COLUMN_INDEX, error);
  if (text == NULL)
    return FALSE;
  char *check = strrchr (text, '\n');
  g_autofree char *given = g_strndup (text, check != NULL ? (gsize)(check - text) : strlen (text));
  if (tall_indexes_parse (given, &self->index, &self->indexes, NULL))
    {
      g_autofree char *printed = tall_record_print_indexes (self->index, self->indexes);
      if (g_str_equal (printed, text))
        return TRUE;
    }
  return tall_error_fail (error, TALL_ERROR_DAMAGED,
                          "The deployment record's column %s" TALL_COLUMN_INDEX
                          " is “%s”, not date or none, or not as it was written",
                          columns->prefix, text);
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
  if (self->format >= TALL_FORMAT_OF_INDEXES
      || (self->migration.generation == TALL_FIRST_GENERATION) == (self->format <= TALL_FORMAT))
    return TRUE;
  return tall_error_fail (error, TALL_ERROR_DAMAGED,
                          "The deployment record has format %u, and generation %" G_GUINT64_FORMAT
                          " in its column " TALL_COLUMN_MIGRATION,
                          self->format, self->migration.generation);
}

/* The deployment as it will be after the switch of a migration, if there is one. */
static gboolean
parse_next (TallDeployment *self, const TallRow *row, GError **error)
{
  const Columns columns = { row, TALL_NEXT };
  if (self->migration.target == 0)
    return TRUE;
  const TallCell *cell = tall_row_find_latest (row, tall_slice_str (TALL_NEXT TALL_COLUMN_LAYOUT));
  self->begun = cell != NULL ? cell->timestamp : 0;
  TallDeployment *next = self->next = g_new0 (TallDeployment, 1);
  next->id = g_strdup (self->id);
  next->format = TALL_FORMAT_OF_GENERATIONS;
  next->ttl = self->ttl;
  next->read_only = self->read_only;
  next->bulk_revision = self->bulk_revision;
  next->migration =
      (TallMigration){ .generation = self->migration.target, .last = self->migration.last };
  if (!parse_settings (next, &columns, error))
    return FALSE;
  if (next->indexes != NULL)
    next->format = TALL_FORMAT_OF_INDEXES;
  return TRUE;
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
 * tall_deployment_read_row:
 *
 * Returns: (transfer full) (nullable): the row of the record, or of what is left of a deployment
 *   that was dropped; NULL without @error: there is none, or no table for it
 */
TallReadResult *
tall_deployment_read_row (TallTable *table, gint64 deadline, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, TALL_META_TABLE, TALL_RECORD_ROW);
  g_autoptr (TallReadResult) result = tall_table_read (table, plan, deadline, &cause);
  if (result != NULL)
    return result->results[0].n_rows > 0 ? g_steal_pointer (&result) : NULL;
  if (!is_table_missing (table, deadline, cause))
    g_propagate_prefixed_error (error, g_steal_pointer (&cause), "Reading the deployment record: ");
  return NULL;
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
  g_autoptr (TallReadResult) result = tall_deployment_read_row (table, deadline, &cause);
  if (cause != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return NULL;
    }
  if (result == NULL || tall_record_is_dropped (&result->results[0].rows[0]))
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

/* What there is before a record is written. */
typedef struct
{
  guint64 generation; /* the first one, or that with which a dropped deployment is gone on from */
  char *id;           /* owned: of that; NULL: there was none */
  gint64 timestamp;   /* of what is written */
} Ground;

static void
ground_clear (Ground *self)
{
  g_free (self->id);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ground, ground_clear)

/* What a dropped deployment has left. */
static gboolean
read_left (Ground *self, const TallRow *row, GError **error)
{
  TallMigration migration = TALL_MIGRATION_INIT;
  const TallCell *cell = tall_row_find_latest (row, tall_slice_str (TALL_COLUMN_MIGRATION));
  const TallCell *id = tall_row_find_latest (row, tall_slice_str (TALL_COLUMN_ID));
  if (cell == NULL || id == NULL)
    return tall_error_fail (error, TALL_ERROR_DAMAGED,
                            "What is left of the deployment before has no number, or no id");
  self->id = g_strndup ((const char *)id->value.data, id->value.len);
  if (!tall_migration_parse (&migration, cell->value, error))
    return FALSE;
  self->generation = migration.generation;
  return TRUE;
}

/* FALSE with @error set: which deployment is there, or why nothing was read */
static gboolean
find_ground (Ground *self, TallTable *table, gint64 deadline, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (TallReadResult) result = tall_deployment_read_row (table, deadline, &cause);
  const TallRow *row = result != NULL ? &result->results[0].rows[0] : NULL;
  self->generation = TALL_FIRST_GENERATION;
  if (cause != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  self->timestamp = tall_record_find_timestamp (row, error);
  if (self->timestamp == 0 || row == NULL)
    return self->timestamp != 0;
  if (tall_record_is_dropped (row))
    return read_left (self, row, error);
  g_autoptr (TallDeployment) there = tall_deployment_parse (row, error);
  if (there != NULL)
    set_taken (there, error);
  return FALSE;
}

/* What a record is made of. */
typedef struct
{
  TallBatch *batch;
  TallMutation *record;
  gint64 timestamp;
} Writing;

static void
put_text (const Writing *self, const char *column, const char *text)
{
  tall_mutation_put (self->batch, self->record, tall_slice_str (column), self->timestamp,
                     tall_slice_str (text));
}

static void
put_choice (const Writing *self, const char *column, const char *choice)
{
  if (choice != NULL)
    put_text (self, column, choice);
}

static void
put_number (const Writing *self, const char *column, guint64 number)
{
  g_autofree char *text = tall_record_print_number (number);
  put_text (self, column, tall_arena_strdup (self->batch->arena, text));
}

/* The first deployment of a name has no column for that. */
static void
put_generation (const Writing *self, guint64 generation, gboolean has_indexes)
{
  TallArena *arena = self->batch->arena;
  gboolean is_first = generation == TALL_FIRST_GENERATION;
  int format = is_first ? TALL_FORMAT : TALL_FORMAT_OF_GENERATIONS;
  put_text (self, TALL_COLUMN_FORMAT,
            tall_arena_printf (arena, "%d", has_indexes ? TALL_FORMAT_OF_INDEXES : format));
  if (is_first)
    return;
  const TallMigration migration = { .generation = generation, .last = generation };
  g_autofree char *text = tall_migration_print (&migration);
  g_autofree char *checked = tall_migration_add_check (text);
  put_text (self, TALL_COLUMN_MIGRATION, tall_arena_strdup (arena, checked));
}

static TallMutation *
append_record (const TallStoreSettings *settings,
               const Ground *ground,
               const char *id,
               TallBatch *batch)
{
  TallArena *arena = batch->arena;
  const Writing record = { batch, tall_batch_add (batch, TALL_META_TABLE, TALL_RECORD_ROW),
                           ground->timestamp };

  g_autofree char *indexes = tall_record_print_indexes (settings->index, settings->indexes);
  put_generation (&record, ground->generation, settings->indexes != NULL);
  put_text (&record, TALL_COLUMN_ID, tall_arena_strdup (arena, id));
  put_text (&record, TALL_COLUMN_LAYOUT, settings->layout->name);
  put_text (&record, TALL_COLUMN_KEY_STRATEGY, settings->key_strategy->name);
  put_number (&record, TALL_COLUMN_TTL, settings->ttl);
  put_text (&record, TALL_COLUMN_INDEX, tall_arena_strdup (arena, indexes));
  put_text (&record, TALL_COLUMN_MODE, TALL_MODE_NORMAL);
  put_number (&record, TALL_COLUMN_BULK_REVISION, 0);
  if (settings->regions != 0)
    put_text (&record, TALL_COLUMN_REGIONS, tall_arena_printf (arena, "%u", settings->regions));
  put_choice (&record, TALL_COLUMN_COMPRESSION, settings->compression);
  put_choice (&record, TALL_COLUMN_BLOOM_FILTER, settings->bloom_filter);
  put_choice (&record, TALL_COLUMN_BLOCK_ENCODING, settings->block_encoding);
  return record.record;
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

/* Where a deployment was dropped, others may still go by it: so the tables have a number that it
 * never had, and its processes find none. */
static gboolean
create_tables (TallTable *table,
               GPtrArray *specs,
               const TallStoreSettings *settings,
               const Ground *ground,
               gint64 deadline,
               GError **error)
{
  g_autoptr (TallTable) view = tall_generation_table_new (table, ground->generation);
  if (ground->id != NULL)
    g_ptr_array_remove_index (specs, 0); /* the table `meta` is there, and not empty */
  return tall_tables_create (view, specs, tall_tables_choose_rule (settings), deadline, error);
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
  g_auto (Ground) ground = { 0 };
  g_autoptr (GPtrArray) specs = tall_store_plan_tables (settings, error);
  if (specs == NULL || !find_ground (&ground, table, deadline, error)
      || !create_tables (table, specs, settings, &ground, deadline, error))
    return FALSE;

  g_autofree char *id = settings->id != NULL ? g_strdup (settings->id) : g_uuid_string_random ();
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *record = append_record (settings, &ground, id, batch);

  gboolean matched = FALSE;
  g_autoptr (GError) cause = NULL;
  const TallSlice before = tall_slice_str (ground.id != NULL ? ground.id : "");
  const TallConditionalWrite write = {
    .mutations = &record,
    .n = 1,
    .qualifier = tall_slice_str (TALL_COLUMN_ID),
    .expected = ground.id != NULL ? &before : NULL,
    .durability = TALL_DURABLE,
    .deadline = deadline,
  };
  if (tall_table_apply_if (table, &write, &matched, &cause) && matched)
    return TRUE;
  return settle_record (table, id, g_steal_pointer (&cause), deadline, error);
}

/* So many revisions of loads are passed over: those that 4,096 processes take, or 16 million
 * batches need. */
#define PASSED_OVER ((gint64)1 << 24)

/* The last one that loads may have taken, whether @last says so or not. */
static gint64
pass_over (gint64 last)
{
  return MAX (last, MIN (last + PASSED_OVER, TALL_FIRST_REVISION));
}

/**
 * tall_deployment_renew:
 * @table: of a deployment that nobody else uses: a copy of it as it was at some time
 *
 * Gives a copy an id of its own. What was stored after the copy was made is not in it, so nothing
 * that somebody remembers of the other deployment holds here: no page, no cursor, no step of a
 * migration. The revisions of loads begin after those that may have been given since.
 */
gboolean
tall_deployment_renew (TallTable *table, gint64 deadline, GError **error)
{
  g_autoptr (TallDeployment) there = tall_deployment_read (table, deadline, error);
  g_autoptr (TallReadResult) result =
      there == NULL ? NULL : tall_deployment_read_row (table, deadline, error);
  if (result == NULL)
    return FALSE;
  g_autofree char *id = g_uuid_string_random ();
  g_autoptr (TallBatch) batch = tall_batch_new ();
  const Writing record = { batch, tall_batch_add (batch, TALL_META_TABLE, TALL_RECORD_ROW),
                           tall_record_find_timestamp (&result->results[0].rows[0], error) };
  if (record.timestamp == 0)
    return FALSE;
  put_text (&record, TALL_COLUMN_ID, id);
  put_number (&record, TALL_COLUMN_BULK_REVISION, (guint64)pass_over (there->bulk_revision));
  return tall_table_apply (table, &record.record, 1, TALL_DURABLE, deadline, error);
}
