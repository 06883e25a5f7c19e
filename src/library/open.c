/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "library/open.h"

#include "store/store.h"
#include "tall-error.h"
#include "tall-open.h"

#include <string.h>

#define TALL_TABLE_KIND_ENTRY(name) &tall_table_kind_##name,

static const TallTableKind *const kinds[] = { TALL_TABLE_KINDS (TALL_TABLE_KIND_ENTRY) };

/**
 * tall_table_kinds:
 * @n: (out): how many
 *
 * Returns: (transfer none): all kinds of tables, the usual one first
 */
const TallTableKind *const *
tall_table_kinds (guint *n)
{
  *n = G_N_ELEMENTS (kinds);
  return kinds;
}

/**
 * tall_table_kinds_find:
 * @rest: (out): what follows the scheme
 *
 * Returns: (nullable) (transfer none): the kind that an address belongs to
 */
const TallTableKind *
tall_table_kinds_find (const char *url, const char **rest)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_has_prefix (url, kinds[i]->scheme))
      {
        *rest = url + strlen (kinds[i]->scheme);
        return kinds[i];
      }
  return NULL;
}

/**
 * tall_table_kinds_join:
 * @make_form: makes the text for one kind
 * @before: what stands before each
 *
 * Returns: (transfer full): the texts for all kinds: “a, b or c”
 */
char *
tall_table_kinds_join (char *(*make_form) (const TallTableKind *kind), const char *before)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *form = make_form (kinds[i]);
      const char *between = i == 0 ? "" : i + 1 < G_N_ELEMENTS (kinds) ? ", " : " or ";
      g_string_append_printf (text, "%s%s%s", between, before, form);
    }
  return g_string_free (text, FALSE);
}

/* Users may give the address of a server where a store is meant. */
static void
set_unknown_kind (const char *url, GError **error)
{
  const char *colon = strrchr (url, ':');
  guint64 port;
  if (colon != NULL && colon != url
      && g_ascii_string_to_unsigned (colon + 1, 10, 1, 65535, &port, NULL))
    tall_error_set_invalid (error, "store",
                            "this is an address, not a store; that of a server goes to --server, "
                            "in a C program to tall_client_new ()");
  else
    tall_error_set_invalid (error, "store", "this kind of store is not known");
}

/**
 * tall_table_kinds_parse:
 *
 * Returns: (transfer full): the parts of an address; NULL with %TALL_ERROR_INVALID, saying what is
 *   wrong and how to write it
 */
TallTableAddress *
tall_table_kinds_parse (const char *url, GError **error)
{
  const char *rest;
  g_autoptr (GError) local = NULL;
  const TallTableKind *kind = tall_table_kinds_find (url, &rest);
  TallTableAddress *address = kind != NULL ? tall_table_address_new (kind, rest, &local) : NULL;
  if (address != NULL)
    return address;
  if (kind == NULL)
    set_unknown_kind (url, &local);
  g_autofree char *forms = tall_table_kinds_join (tall_table_kind_make_form, "");
  tall_error_set_invalid (error, "store", "Store “%s”: %s; write %s", url, local->message, forms);
  return NULL;
}

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
 * Makes a deployment with the usual indexes, and its directory if it is embedded. `tallorder init`
 * does the same and can do more; `tallorder migrate` changes all of it.
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
  if (settings.key_strategy == NULL
      || !tall_indexes_parse (NULL, &settings.index, &settings.indexes, error))
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
