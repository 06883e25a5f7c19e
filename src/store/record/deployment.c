/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/record/deployment.h"

#include "store/commit/root.h"
#include "store/record/deployment-record.h"
#include "tall-error.h"
#include "store/record/generation.h"
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
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
                   "What is left of the deployment before has no number, or no id");
      return FALSE;
    }
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

/* The first deployment of a name has format 1, and no column for that. */
static void
put_generation (const Writing *self, guint64 generation)
{
  TallArena *arena = self->batch->arena;
  gboolean is_first = generation == TALL_FIRST_GENERATION;
  put_text (self, TALL_COLUMN_FORMAT,
            tall_arena_printf (arena, "%d", is_first ? TALL_FORMAT : TALL_FORMAT_OF_GENERATIONS));
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

  put_generation (&record, ground->generation);
  put_text (&record, TALL_COLUMN_ID, tall_arena_strdup (arena, id));
  put_text (&record, TALL_COLUMN_LAYOUT, settings->layout->name);
  put_text (&record, TALL_COLUMN_KEY_STRATEGY, settings->key_strategy->name);
  put_number (&record, TALL_COLUMN_TTL, settings->ttl);
  put_text (&record, TALL_COLUMN_INDEX, tall_index_kind_get_name (settings->index));
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
  return tall_table_apply (table, &record.record, 1, TALL_DURABLE, deadline, NULL, error);
}
