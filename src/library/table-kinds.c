/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "library/table-kinds.h"

#include "tall-error.h"

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
