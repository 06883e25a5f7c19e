/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-store.h"

#include "tall-deployment.h"
#include "tall-error.h"
#include "tall-index.h"
#include "tall-ids.h"
#include "tall-tables.h"

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
 * begins like ours. */
static gboolean
is_ours (const char *name)
{
  return g_str_equal (name, TALL_INDEX_TABLE) || g_str_equal (name, TALL_IDS_TABLE)
         || is_of_layout (name);
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

/**
 * tall_store_drop:
 * @table: where the deployment is
 *
 * Removes a deployment with everything in it: the tables that a deployment can have, and no others.
 * The table `meta` goes last, so a deployment whose removal was cut short is still listed, and can
 * be removed by the same call. What an interrupted tall_store_create() left can be removed, too.
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
  gboolean has_record = g_strv_contains ((const char *const *)names, TALL_META_TABLE);
  guint n = has_record;
  for (guint i = 0; names[i] != NULL; i++)
    if (is_ours (names[i]))
      {
        n++;
        if (!drop_one (table, names[i], deadline, error))
          return FALSE;
      }
  if (n > 0)
    return !has_record || drop_one (table, TALL_META_TABLE, deadline, error);
  TallTableInfo info;
  tall_table_get_info (table, &info);
  g_set_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND,
               "There is no deployment %s; `tallorder status --all` lists those that there are",
               info.deployment);
  return FALSE;
}
