/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-open.h"
#include "tall-error.h"
#include "store/store.h"
#include "library/table-kinds.h"

static TallTable *
open_table (const char *store, gboolean create, GError **error)
{
  g_autoptr (TallTableAddress) address = tall_table_kinds_parse (store, error);
  return address == NULL ? NULL : tall_table_address_open (address, create, error);
}

/**
 * tall_create_store:
 * @store: where, such as `rocksdb:DIR` or `hbase://host:port?name=N`
 * @layout: (nullable): how orders lie in rows; NULL: `blob`
 * @key_strategy: (nullable): how numbers become row keys; NULL: `hashed`
 *
 * Makes a deployment, with its directory if it is embedded. Layout and key strategy are fixed for
 * its life. `tallorder init` does the same and can do more.
 *
 * Returns: FALSE with %TALL_ERROR_CONFLICT if there is one already, %TALL_ERROR_INVALID if a name
 *   is not known (the message lists those that are) or @store is not written well
 */
gboolean
tall_create_store (const char *store, const char *layout, const char *key_strategy, GError **error)
{
  g_return_val_if_fail (store != NULL, FALSE);

  TallStoreSettings settings = { .layout = tall_layout_choose (layout, error) };
  if (settings.layout == NULL)
    return FALSE;
  settings.key_strategy = tall_key_strategy_choose (key_strategy, error);
  if (settings.key_strategy == NULL)
    return FALSE;
  g_autoptr (TallTable) table = open_table (store, TRUE, error);
  return table != NULL && tall_store_create (table, &settings, error);
}

/**
 * tall_open_store:
 * @store: where, such as `rocksdb:DIR` or `hbase://host:port?name=N`
 *
 * Opens a deployment. Only one process at a time can open an embedded one; any number of its
 * threads may use it. It is closed when the front is no longer referenced.
 *
 * Returns: (transfer full): %TALL_ERROR_NOT_FOUND if there is no deployment in this place,
 *   %TALL_ERROR_INVALID if @store is not written well, %TALL_ERROR_UNAVAILABLE if it cannot be
 *   reached, %TALL_ERROR_NEWER_VERSION if a newer version of tallorder made it
 */
TallFront *
tall_open_store (const char *store, GError **error)
{
  g_return_val_if_fail (store != NULL, NULL);

  g_autoptr (TallTable) table = open_table (store, FALSE, error);
  if (table == NULL)
    return NULL;
  g_autoptr (GError) local = NULL;
  TallStore *opened = tall_store_open (table, NULL, NULL, NULL, &local);
  if (opened != NULL)
    return TALL_FRONT (opened);
  g_propagate_prefixed_error (error, g_steal_pointer (&local), "Store %s: ", store);
  return NULL;
}
