/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/record/generation.h"

#include "base/fail.h"
#include "store/read/ids.h"
#include "store/read/index.h"
#include "store/record/deployment.h"
#include "store/record/tables.h"
#include "store/store.h"

struct _TallGenerationTable
{
  TallForwardingTable parent_instance;

  guint64 generation;
  char *suffix; /* of the names of all tables but `meta`: `-2` */
};

G_DEFINE_FINAL_TYPE (TallGenerationTable, tall_generation_table, TALL_TYPE_FORWARDING_TABLE)

#define PARENT TALL_TABLE_CLASS (tall_generation_table_parent_class)

static const char *
tall_generation_table_get_suffix (TallForwardingTable *base, const char *name)
{
  return g_str_equal (name, TALL_META_TABLE) ? NULL : TALL_GENERATION_TABLE (base)->suffix;
}

/* The tables of this generation, and `meta`. */
static GStrv
tall_generation_table_list_tables (TallTable *base, gint64 deadline, GError **error)
{
  g_auto (GStrv) all = PARENT->list_tables (base, deadline, error);
  if (all == NULL)
    return NULL;
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  for (guint i = 0; all[i] != NULL; i++)
    {
      g_autofree char *name = NULL;
      guint64 generation = tall_generation_split_name (all[i], &name);
      if (generation == TALL_GENERATION_TABLE (base)->generation
          || g_str_equal (all[i], TALL_META_TABLE))
        g_strv_builder_add (names, name);
    }
  return g_strv_builder_end (names);
}

static void
tall_generation_table_init (TallGenerationTable *self G_GNUC_UNUSED)
{
}

static void
tall_generation_table_finalize (GObject *object)
{
  g_free (TALL_GENERATION_TABLE (object)->suffix);
  G_OBJECT_CLASS (tall_generation_table_parent_class)->finalize (object);
}

static void
tall_generation_table_class_init (TallGenerationTableClass *klass)
{
  TALL_FORWARDING_TABLE_CLASS (klass)->get_suffix = tall_generation_table_get_suffix;
  TALL_TABLE_CLASS (klass)->list_tables = tall_generation_table_list_tables;
  G_OBJECT_CLASS (klass)->finalize = tall_generation_table_finalize;
}

/**
 * tall_generation_table_new:
 * @table: (transfer none): holds the tables of all generations
 * @generation: at least 1
 *
 * Shows the tables of one generation under their short names: `orders` is `orders-2` in the second
 * one. The table `meta` is the same in all.
 *
 * Returns: (transfer full): a table that keeps a reference to @table; of the first generation
 * @table itself
 */
TallTable *
tall_generation_table_new (TallTable *table, guint64 generation)
{
  g_return_val_if_fail (TALL_IS_TABLE (table), NULL);
  g_return_val_if_fail (generation >= TALL_FIRST_GENERATION, NULL);

  if (generation == TALL_FIRST_GENERATION)
    return g_object_ref (table);
  TallGenerationTable *self = g_object_new (TALL_TYPE_GENERATION_TABLE, NULL);
  self->generation = generation;
  self->suffix = g_strdup_printf ("-%" G_GUINT64_FORMAT, generation);
  tall_forwarding_table_wrap (TALL_FORWARDING_TABLE (self), table);
  return TALL_TABLE (self);
}

/**
 * tall_generation_split_name:
 * @name: of a table, as the store lists it
 * @short_name: (out) (transfer full): its name without the generation
 *
 * Returns: the generation: 1 if the name does not end like that of a later one
 */
guint64
tall_generation_split_name (const char *name, char **short_name)
{
  const char *dash = strrchr (name, '-');
  guint64 generation;
  if (dash != NULL && dash > name && g_ascii_isdigit (dash[1]) && dash[1] != '0'
      && g_ascii_string_to_unsigned (dash + 1, 10, TALL_FIRST_GENERATION + 1, G_MAXUINT64,
                                     &generation, NULL))
    {
      *short_name = g_strndup (name, (gsize)(dash - name));
      return generation;
    }
  *short_name = g_strdup (name);
  return TALL_FIRST_GENERATION;
}

#define LIST_TIME (60 * G_USEC_PER_SEC)
#define DROP_TIME (5 * 60 * G_USEC_PER_SEC) /* HBase takes seconds for each table */
#define MAX_ATTEMPTS 5                      /* to drop, while others begin and end migrations */

/**
 * tall_store_list_all:
 * @table: an open store
 *
 * Returns: (transfer full): the names of all deployments in the same place, sorted; also of those
 *   that cannot be opened
 */
GStrv
tall_store_list_all (TallTable *table, GError **error)
{
  g_return_val_if_fail (TALL_IS_TABLE (table), NULL);

  return tall_table_list_deployments (table, TALL_META_TABLE, g_get_monotonic_time () + LIST_TIME,
                                      error);
}

static gboolean
is_of_layout (const char *name)
{
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  for (guint i = 0; i < n; i++)
    for (const TallLayoutTable *table = layouts[i]->tables; table->name != NULL; table++)
      if (g_str_equal (table->name, name))
        return TRUE;
  return FALSE;
}

/* Whether a deployment can have such a table. Somebody else may have one of another name that
 * begins like ours. @generation: (out): of the table */
static gboolean
is_ours (const char *name, guint64 *generation)
{
  g_autofree char *short_name = NULL;
  *generation = tall_generation_split_name (name, &short_name);
  return g_str_equal (short_name, TALL_INDEX_TABLE) || g_str_equal (short_name, TALL_ENTRIES_TABLE)
         || g_str_equal (short_name, TALL_IDS_TABLE) || is_of_layout (short_name);
}

static gboolean
drop_one (TallTable *table, const char *name, gint64 deadline, GError **error)
{
  g_autoptr (GError) cause = NULL;
  if (tall_table_drop_table (table, name, deadline, &cause)
      || g_error_matches (cause, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    return TRUE;
  g_propagate_prefixed_error (error, g_steal_pointer (&cause), "Dropping table %s: ", name);
  return FALSE;
}

/* Which generations are dropped: those from @first to @last, but for @kept. */
typedef struct
{
  guint64 first;
  guint64 last;
  guint64 kept; /* 0: none */
} Range;

/* @n: (inout): tables that were dropped */
static gboolean
drop_range (
    TallTable *table, GStrv names, const Range *range, guint *n, gint64 deadline, GError **error)
{
  for (guint i = 0; names[i] != NULL; i++)
    {
      guint64 generation;
      if (!is_ours (names[i], &generation) || generation < range->first || generation > range->last
          || generation == range->kept)
        continue;
      if (!drop_one (table, names[i], deadline, error))
        return FALSE;
      (*n)++;
    }
  return TRUE;
}

/* A deployment that is being dropped. */
typedef struct
{
  TallTable *table; /* not owned */
  gint64 deadline;
  gboolean is_shared; /* other processes may go by the deployment */
  char *id;           /* owned: of it; NULL: nothing says it */

  /* As it was when this attempt began. */
  TallReadResult *result; /* owned: the row of the record; NULL: there is none */
  guint64 last;           /* the last generation that was given; 0: not known */
  gboolean was_dropped;   /* only the number is left */
} Drop;

static void
drop_clear (Drop *self)
{
  g_free (self->id);
  g_clear_pointer (&self->result, tall_read_result_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Drop, drop_clear)

static const TallRow *
get_row (const Drop *self)
{
  return self->result != NULL ? &self->result->results[0].rows[0] : NULL;
}

/* A second attempt drops what the first one has begun to, and nothing that was made meanwhile. */
static gboolean
take_id (Drop *self, GError **error)
{
  const TallCell *cell = tall_row_find_latest (get_row (self), tall_slice_str (TALL_COLUMN_ID));
  g_autofree char *id =
      cell != NULL ? g_strndup ((const char *)cell->value.data, cell->value.len) : NULL;
  if (self->id == NULL)
    self->id = g_steal_pointer (&id);
  else if (g_strcmp0 (self->id, id) != 0)
    return tall_error_fail_conflict (error, 0,
                                     "Another deployment has been made in its place meanwhile");
  return TRUE;
}

/* A newer version may keep other tables, and would leave them behind. What cannot be read goes. */
static gboolean
read_record (Drop *self, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_clear_pointer (&self->result, tall_read_result_free);
  self->last = 0;
  self->result = tall_deployment_read_row (self->table, self->deadline, NULL);
  self->was_dropped = self->result != NULL && tall_record_is_dropped (get_row (self));
  if (self->result == NULL || self->was_dropped)
    return TRUE;
  g_autoptr (TallDeployment) deployment = tall_deployment_parse (get_row (self), &cause);
  if (g_error_matches (cause, TALL_ERROR, TALL_ERROR_NEWER_VERSION))
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  if (deployment != NULL)
    self->last = deployment->migration.last;
  return take_id (self, error);
}

/* The last number that a table has, or the record has given. */
static guint64
find_last (const Drop *self, GStrv names)
{
  guint64 last = MAX (self->last, TALL_FIRST_GENERATION);
  for (guint i = 0; names[i] != NULL; i++)
    {
      guint64 generation;
      if (is_ours (names[i], &generation))
        last = MAX (last, generation);
    }
  return last;
}

/* Whatever else there is beside the record, such as rows of loads. */
static gboolean
remove_rest (const Drop *self, GError **error)
{
  const TallSlice all = TALL_SLICE_INIT;
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_scan (plan, TALL_META_TABLE, all, all);
  g_autoptr (TallReadResult) result = tall_table_read (self->table, plan, self->deadline, error);
  if (result == NULL)
    return FALSE;
  for (guint i = 0; i < result->results[0].n_rows; i++)
    {
      const TallRow *row = &result->results[0].rows[i];
      gint64 latest = 0;
      if (tall_slice_equal (row->key, TALL_RECORD_ROW))
        continue;
      for (guint j = 0; j < row->n_cells; j++)
        latest = MAX (latest, row->cells[j].timestamp);
      tall_mutation_delete_up_to (batch, tall_batch_add (batch, TALL_META_TABLE, row->key), latest);
    }
  return batch->mutations->len == 0
         || tall_table_apply (self->table, (TallMutation *const *)batch->mutations->pdata,
                              batch->mutations->len, TALL_DURABLE, self->deadline, error);
}

/* Puts in the place of the record the generation with which the next deployment of that name
 * begins.
 * @done: (out): FALSE: the record has changed, or the answer is lost: it is to be read again */
static gboolean
leave_number (const Drop *self, guint64 generation, gboolean *done, GError **error)
{
  const TallMigration left = { .generation = generation, .last = generation };
  const TallRow *row = get_row (self);
  const TallCell *is =
      row != NULL ? tall_row_find_latest (row, tall_slice_str (TALL_COLUMN_MIGRATION)) : NULL;
  g_autoptr (GError) cause = NULL;
  g_autofree char *new_id = g_uuid_string_random ();
  g_autofree char *text = tall_migration_print (&left);
  g_autofree char *checked = tall_migration_add_check (text);
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *record = tall_batch_add (batch, TALL_META_TABLE, TALL_RECORD_ROW);
  gint64 timestamp = tall_record_find_timestamp (row, error);
  if (timestamp == 0)
    return FALSE;
  if (row != NULL)
    tall_mutation_delete_up_to (batch, record, timestamp - 1);
  tall_mutation_put (batch, record, tall_slice_str (TALL_COLUMN_FORMAT), timestamp,
                     tall_slice_str (TALL_FORMAT_DROPPED));
  tall_mutation_put (batch, record, tall_slice_str (TALL_COLUMN_ID), timestamp,
                     tall_slice_str (self->id != NULL ? self->id : new_id));
  tall_mutation_put (batch, record, tall_slice_str (TALL_COLUMN_MIGRATION), timestamp,
                     tall_slice_str (checked));
  const TallConditionalWrite write = {
    .mutations = &record,
    .n = 1,
    .qualifier = tall_slice_str (TALL_COLUMN_MIGRATION),
    .expected = is != NULL ? &is->value : NULL,
    .durability = TALL_DURABLE,
    .deadline = self->deadline,
  };
  if (tall_table_apply_if (self->table, &write, done, &cause)
      || g_error_matches (cause, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

static gboolean
fail_missing (const Drop *self, GError **error)
{
  TallTableInfo info;
  tall_table_get_info (self->table, &info);
  return tall_error_fail (
      error, TALL_ERROR_NOT_FOUND,
      "There is no deployment %s; `tallorder status --all` lists those that there are",
      info.deployment);
}

/* Once all that it has read is dropped. */
static gboolean
drop_record (const Drop *self, GStrv names, gboolean *done, GError **error)
{
  *done = TRUE;
  if (!self->is_shared)
    return drop_one (self->table, TALL_META_TABLE, self->deadline, error);
  return self->was_dropped
         || (remove_rest (self, error)
             && leave_number (self, find_last (self, names) + 1, done, error));
}

/* @done: (out): FALSE: something has changed meanwhile. @n: (inout): tables that were dropped */
static gboolean
attempt (Drop *self, guint *n, gboolean *done, GError **error)
{
  if (!read_record (self, error))
    return FALSE;
  g_auto (GStrv) names = tall_table_list_tables (self->table, self->deadline, error);
  if (names == NULL)
    return FALSE;
  /* A deployment that is made in the place of this one has later numbers. */
  gboolean is_bounded = self->is_shared && self->last != 0;
  const Range range = { .last = is_bounded ? self->last : G_MAXUINT64 };
  gboolean has_record = g_strv_contains ((const char *const *)names, TALL_META_TABLE);
  *n += has_record && !self->was_dropped;
  if (!drop_range (self->table, names, &range, n, self->deadline, error))
    return FALSE;
  *done = TRUE;
  if (*n == 0)
    return fail_missing (self, error);
  return !has_record || drop_record (self, names, done, error);
}

/**
 * tall_store_drop:
 * @table: where the deployment is
 *
 * Removes a deployment with everything in it: the tables that a deployment can have, of every
 * generation, and no others. The record goes last, so a deployment whose removal was cut short is
 * still listed, and can be removed by the same call. What an interrupted tall_store_create() or
 * migration left can be removed, too.
 *
 * Where other processes may still go by the deployment, the table `meta` stays, with the generation
 * that comes after all of its own: one that is made under its name begins there, so its tables have
 * names that nobody knows, and nobody takes them for those of before.
 *
 * Returns: FALSE with %TALL_ERROR_NOT_FOUND if there is nothing, %TALL_ERROR_NEWER_VERSION if a
 *   newer version made it, %TALL_ERROR_CONFLICT if another one was made in its place meanwhile, or
 *   with what the table says
 */
gboolean
tall_store_drop (TallTable *table, GError **error)
{
  g_return_val_if_fail (TALL_IS_TABLE (table), FALSE);

  TallTableInfo info;
  tall_table_get_info (table, &info);
  g_auto (Drop) self = { .table = table,
                         .deadline = g_get_monotonic_time () + DROP_TIME,
                         .is_shared = !info.is_exclusive };
  guint n = 0;
  for (guint i = 0; i < MAX_ATTEMPTS; i++)
    {
      gboolean done;
      if (!attempt (&self, &n, &done, error))
        return FALSE;
      if (done)
        return TRUE;
    }
  return tall_error_fail (
      error, TALL_ERROR_OVERLOADED,
      "Other processes begin and end migrations meanwhile; stop them, and drop it again");
}

/**
 * tall_store_was_dropped:
 * @table: where a deployment might be
 *
 * Returns: whether there is none, and `meta` is only there because one was dropped
 */
gboolean
tall_store_was_dropped (TallTable *table)
{
  g_return_val_if_fail (TALL_IS_TABLE (table), FALSE);

  g_autoptr (TallReadResult) result =
      tall_deployment_read_row (table, g_get_monotonic_time () + LIST_TIME, NULL);
  return result != NULL && tall_record_is_dropped (&result->results[0].rows[0]);
}

/**
 * tall_store_drop_generation:
 * @table: holds the tables of all generations
 * @generation: one that does not count, and never will: the record has moved on from it
 *
 * Removes the tables of that generation. It may have none.
 */
gboolean
tall_store_drop_generation (TallTable *table, guint64 generation, gint64 deadline, GError **error)
{
  g_return_val_if_fail (generation >= TALL_FIRST_GENERATION, FALSE);

  const Range one = { .first = generation, .last = generation };
  guint n = 0;
  g_auto (GStrv) names = tall_table_list_tables (table, deadline, error);
  return names != NULL && drop_range (table, names, &one, &n, deadline, error);
}

/**
 * tall_store_drop_source:
 * @table: holds the tables of all generations
 * @n_dropped: (out): tables
 *
 * Removes the tables of all generations that do not count. Only numbers that were given by the time
 * that the record is read are looked at: a migration that begins meanwhile gets a later one.
 *
 * Returns: FALSE with %TALL_ERROR_CONFLICT while a migration is going on, or with what the table
 * says
 */
gboolean
tall_store_drop_source (TallTable *table, guint *n_dropped, GError **error)
{
  g_return_val_if_fail (TALL_IS_TABLE (table), FALSE);

  gint64 deadline = g_get_monotonic_time () + DROP_TIME;
  *n_dropped = 0;
  g_autoptr (TallDeployment) deployment = tall_deployment_read (table, deadline, error);
  if (deployment == NULL)
    return FALSE;
  const TallMigration *migration = &deployment->migration;
  if (migration->phase != TALL_MIGRATION_NONE)
    return tall_error_fail_conflict (
        error, 0,
        "A migration is going on (%s); finish it with `tallorder migrate`, or "
        "give it up with `tallorder migrate --abort`; nothing is removed",
        tall_migration_phase_get_name (migration->phase));
  const Range idle = { .last = migration->last, .kept = migration->generation };
  g_auto (GStrv) names = tall_table_list_tables (table, deadline, error);
  return names != NULL && drop_range (table, names, &idle, n_dropped, deadline, error);
}
