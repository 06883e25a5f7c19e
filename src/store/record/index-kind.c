/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/record/index-kind.h"

#include "tall-error.h"

/* As the deployment record and `init --index` have them. */
static const char *const names[] = {
  [TALL_INDEX_BY_DATE] = "date",
  [TALL_INDEX_NONE] = "none",
  NULL,
};

/**
 * tall_index_kind_get_name:
 *
 * Returns: (transfer none): as the deployment record has it
 */
const char *
tall_index_kind_get_name (TallIndexKind self)
{
  return names[self];
}

/**
 * tall_index_kind_choose:
 * @name: (nullable): NULL: the default
 * @kind: (out): not touched if there is no such kind
 *
 * Returns: whether there is a kind of that name
 */
gboolean
tall_index_kind_choose (const char *name, TallIndexKind *kind)
{
  for (guint i = 0; names[i] != NULL; i++)
    if (name == NULL || g_str_equal (names[i], name))
      {
        *kind = (TallIndexKind)i;
        return TRUE;
      }
  return FALSE;
}

/**
 * tall_index_kind_list_names:
 *
 * Returns: (transfer full): all names, with @separator between them, for people
 */
char *
tall_index_kind_list_names (const char *separator)
{
  return g_strjoinv (separator, (char **)names);
}

/**
 * tall_index_kind_parse:
 * @name: (nullable): as for tall_index_kind_choose()
 *
 * Returns: FALSE with %TALL_ERROR_INVALID, naming those that there are
 */
gboolean
tall_index_kind_parse (const char *name, TallIndexKind *kind, GError **error)
{
  if (tall_index_kind_choose (name, kind))
    return TRUE;
  g_autofree char *known = tall_index_kind_list_names (", ");
  tall_error_set_invalid (error, "index", "There is no index “%s”; choose one of: %s", name, known);
  return FALSE;
}
