/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/table-kind.h"

/**
 * tall_table_kind_make_short_form:
 *
 * Returns: (transfer full): how the shortest address of the kind is written: `rocksdb:DIR`
 */
char *
tall_table_kind_make_short_form (const TallTableKind *self)
{
  return g_strconcat (self->scheme, self->place, NULL);
}

/**
 * tall_table_kind_make_form:
 *
 * Returns: (transfer full): how addresses are written: `rocksdb:DIR[?name=N&sync=0|1]`
 */
char *
tall_table_kind_make_form (const TallTableKind *self)
{
  GString *form = g_string_new (self->scheme);
  g_string_append (form, self->place);
  if (self->more != NULL)
    g_string_append_printf (form, "[%s]", self->more);
  g_string_append (form, "[?name=N");
  for (const TallTableChoice *choice = self->choices; choice->name != NULL; choice++)
    g_string_append_printf (form, "&%s=%s|%s", choice->name, choice->words[0], choice->words[1]);
  g_string_append_c (form, ']');
  return g_string_free (form, FALSE);
}
