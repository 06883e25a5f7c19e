/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/access.h"
#include "tall-error.h"

/* This is a file of its own, as are seal-token.c, close.c, last-pass.c and convert.c, so that tests
 * can link a wrong version in its place and show that they notice. */

/* One attempt, under one token. */
static gboolean
seal_roots (const TallStoreContext *context,
            const TallAccessTables *tables,
            const char *seal,
            GError **error)
{
  for (guint i = 0; i < tables->n_roots; i++)
    if (!tall_access_set (context, tables->names[i], TALL_ACCESS_SEALED, seal, error))
      return FALSE;
  return TRUE;
}

/* What an administrator has sealed, as migrate has asked for. */
static char *
find_foreign_seal (const TallStoreContext *context)
{
  g_auto (TallAccess) access = { 0 };
  g_autoptr (GError) error = NULL;
  if (!tall_access_describe (context, NULL, &access, &error))
    return NULL;
  return g_steal_pointer (&access.common_seal);
}

static char *
seal_under_token (const TallStoreContext *context, const TallAccessTables *tables, GError **error)
{
  for (guint i = 1;; i++)
    {
      g_autoptr (GError) cause = NULL;
      g_autofree char *token = tall_seal_make_token ();
      if (seal_roots (context, tables, token, &cause))
        return g_steal_pointer (&token);
      char *foreign = g_error_matches (cause, TALL_ERROR, TALL_ERROR_UNSUPPORTED)
                          ? find_foreign_seal (context)
                          : NULL;
      if (foreign != NULL)
        return foreign;
      if (i < TALL_ACCESS_TRIES && tall_error_is_passing (cause))
        continue;
      g_propagate_prefixed_error (error, g_steal_pointer (&cause), "Sealing the tables: ");
      return NULL;
    }
}

/* If a table is closed, another migrator has gone on. A seal would
 * not harm it, but a trial would hang. */
static gboolean
check_not_closed (const TallStoreContext *context, GError **error)
{
  g_auto (TallAccess) access = { 0 };
  if (!tall_access_describe (context, NULL, &access, error))
    return FALSE;
  if (!access.any_closed)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
               "A table to be sealed is closed: another process has gone on; migrate again");
  return FALSE;
}

/**
 * tall_access_seal:
 * @seal: (out): the token under which they are sealed
 *
 * Seals the tables with root rows, and makes sure of it: in each region, a write that cannot match
 * is refused.
 */
gboolean
tall_access_seal (const TallStoreContext *context, char **seal, GError **error)
{
  TallAccessTables tables;
  tall_access_list_tables (context, &tables);
  if (!check_not_closed (context, error))
    return FALSE;
  g_autofree char *token = seal_under_token (context, &tables, error);
  if (token == NULL)
    return FALSE;
  for (guint i = 0; i < tables.n_roots; i++)
    if (!tall_trial_is_sealed (context, tables.names[i], error))
      return FALSE;
  *seal = g_steal_pointer (&token);
  return TRUE;
}

/**
 * tall_access_is_still_sealed:
 * @is: the record, with the seal under which the last pass ran
 * @access: as the tables are described with that seal, after they were closed
 *
 * Returns: whether nobody has unsealed the tables in between. As long as nobody has aborted, nobody
 *   can have
 */
gboolean
tall_access_is_still_sealed (const TallMigration *is, const TallAccess *access)
{
  return access->all_gone || (access->is_sealed && (access->has_seal || !is->unsealed));
}
