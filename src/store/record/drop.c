/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/store.h"

#include "store/record/deployment.h"
#include "tall-error.h"
#include "store/record/generation.h"
#include "store/read/index.h"
#include "store/read/ids.h"
#include "store/record/tables.h"

#define LIST_TIME (60 * G_USEC_PER_SEC)
#define DROP_TIME (5 * 60 * G_USEC_PER_SEC) /* HBase takes seconds for each table */

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
  return g_str_equal (short_name, TALL_INDEX_TABLE) || g_str_equal (short_name, TALL_IDS_TABLE)
         || is_of_layout (short_name);
}

/* A newer version may keep other tables, and would leave them behind. */
static gboolean
check_known (TallTable *table, gint64 deadline, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (TallDeployment) deployment = tall_deployment_read (table, deadline, &cause);
  if (!g_error_matches (cause, TALL_ERROR, TALL_ERROR_NEWER_VERSION))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
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

/**
 * tall_store_drop:
 * @table: where the deployment is
 *
 * Removes a deployment with everything in it: the tables that a deployment can have, of every
 * generation, and no others. The table `meta` goes last, so a deployment whose removal was cut
 * short is still listed, and can be removed by the same call. What an interrupted
 * tall_store_create() or migration left can be removed, too.
 *
 * Returns: FALSE with %TALL_ERROR_NOT_FOUND if there is nothing, %TALL_ERROR_NEWER_VERSION if a
 *   newer version made it, or with what the table says
 */
gboolean
tall_store_drop (TallTable *table, GError **error)
{
  g_return_val_if_fail (TALL_IS_TABLE (table), FALSE);

  gint64 deadline = g_get_monotonic_time () + DROP_TIME;
  g_auto (GStrv) names = tall_table_list_tables (table, deadline, error);
  if (names == NULL || !check_known (table, deadline, error))
    return FALSE;
  const Range all = { .last = G_MAXUINT64 };
  gboolean has_record = g_strv_contains ((const char *const *)names, TALL_META_TABLE);
  guint n = has_record;
  if (!drop_range (table, names, &all, &n, deadline, error))
    return FALSE;
  if (n > 0)
    return !has_record || drop_one (table, TALL_META_TABLE, deadline, error);
  TallTableInfo info;
  tall_table_get_info (table, &info);
  g_set_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND,
               "There is no deployment %s; `tallorder status --all` lists those that there are",
               info.deployment);
  return FALSE;
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
    {
      tall_error_set_conflict (
          error, 0,
          "A migration is going on (%s); finish it with `tallorder migrate`, or "
          "give it up with `tallorder migrate --abort`; nothing is removed",
          tall_migration_phase_get_name (migration->phase));
      return FALSE;
    }
  const Range idle = { .last = migration->last, .kept = migration->generation };
  g_auto (GStrv) names = tall_table_list_tables (table, deadline, error);
  return names != NULL && drop_range (table, names, &idle, n_dropped, deadline, error);
}
