/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/names.h"

#include "tall-error.h"

#define NAME_CHARACTERS G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_-."
#define MAX_NAME 100

/* HBase's own rules: letters, digits, `_`, `-` and `.`, not beginning with `-` or `.`. */
static gboolean
is_name (const char *text)
{
  gsize len = strspn (text, NAME_CHARACTERS);
  return len > 0 && len <= MAX_NAME && text[len] == '\0' && text[0] != '-' && text[0] != '.';
}

/* Namespaces have letters, digits and `_` only. */
static gboolean
is_namespace (const char *text)
{
  return is_name (text) && strpbrk (text, "-.") == NULL;
}

/**
 * tall_hbase_names_init:
 * @deployment: (nullable): `name` or `namespace:name`; NULL: `tallorder`
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if it cannot be a part of HBase's table names
 */
gboolean
tall_hbase_names_init (TallHbaseNames *self, const char *deployment, GError **error)
{
  if (deployment == NULL)
    deployment = TALL_HBASE_DEFAULT_NAME;

  const char *colon = strchr (deployment, ':');
  g_autofree char *ns = colon == NULL ? NULL : g_strndup (deployment, (gsize)(colon - deployment));
  const char *name = colon == NULL ? deployment : colon + 1;

  if (!is_name (name) || (ns != NULL && !is_namespace (ns)))
    {
      tall_error_set_invalid (error, "name",
                              "\"%s\" cannot be the name of a deployment on HBase: use letters, "
                              "digits, _, - and ., after an optional namespace and a colon",
                              deployment);
      return FALSE;
    }

  self->deployment = g_strdup (deployment);
  self->ns = g_steal_pointer (&ns);
  self->name = g_strdup (name);
  return TRUE;
}

void
tall_hbase_names_clear (TallHbaseNames *self)
{
  g_clear_pointer (&self->deployment, g_free);
  g_clear_pointer (&self->ns, g_free);
  g_clear_pointer (&self->name, g_free);
}

/**
 * tall_hbase_names_get_table:
 *
 * Returns: (transfer full): the whole name of a table, as calls on rows want it
 */
char *
tall_hbase_names_get_table (const TallHbaseNames *self, const char *table)
{
  return g_strconcat (self->deployment, ".", table, NULL);
}

/**
 * tall_hbase_names_get_table_name:
 * @self: must outlive @arena
 *
 * Returns: (transfer none): the whole name of a table, as calls on tables want it, in @arena
 */
TallHbaseTTableName *
tall_hbase_names_get_table_name (const TallHbaseNames *self, const char *table, TallArena *arena)
{
  TallHbaseTTableName *name = tall_arena_new0 (arena, TallHbaseTTableName);
  name->qualifier = tall_slice_str (tall_arena_printf (arena, "%s.%s", self->name, table));
  if (self->ns != NULL)
    name->ns = tall_slice_str (self->ns);
  return name;
}

/**
 * tall_hbase_names_get_pattern:
 *
 * Returns: (transfer full): a Java regular expression for the whole names of all our tables
 */
char *
tall_hbase_names_get_pattern (const TallHbaseNames *self)
{
  GString *pattern = g_string_new (NULL);
  if (self->ns != NULL)
    g_string_append_printf (pattern, "%s:", self->ns);
  for (const char *c = self->name; *c != '\0'; c++)
    g_string_append_printf (pattern, *c == '.' ? "\\%c" : "%c", *c);
  g_string_append (pattern, "\\..*");
  return g_string_free (pattern, FALSE);
}

/**
 * tall_hbase_names_get_short:
 *
 * Returns: (nullable) (transfer full): the short name of a table; NULL if it is not one of ours
 */
char *
tall_hbase_names_get_short (const TallHbaseNames *self, const TallHbaseTTableName *table_name)
{
  const char *ns = self->ns == NULL ? "default" : self->ns;
  TallSlice whole = table_name->qualifier;
  gsize prefix = strlen (self->name);

  if (table_name->ns.data != NULL && !tall_slice_equal (table_name->ns, tall_slice_str (ns)))
    return NULL;
  if (whole.len <= prefix + 1 || !tall_slice_has_prefix (whole, tall_slice_str (self->name))
      || whole.data[prefix] != '.')
    return NULL;

  char *name = g_strndup ((const char *)whole.data + prefix + 1, whole.len - prefix - 1);
  /* Short names have no dot: this one belongs to a deployment with a longer name. */
  if (strchr (name, '.') != NULL)
    g_clear_pointer (&name, g_free);
  return name;
}

/**
 * tall_hbase_names_get_deployment:
 * @table: a short name
 *
 * Returns: (nullable) (transfer full): the deployment whose table @table this is, as
 *   tall_hbase_names_init() takes it; NULL if it is another table
 */
char *
tall_hbase_names_get_deployment (const TallHbaseTTableName *table_name, const char *table)
{
  g_autofree char *suffix = g_strconcat (".", table, NULL);
  g_autofree char *whole =
      g_strndup ((const char *)table_name->qualifier.data, table_name->qualifier.len);
  gsize len = strlen (whole);
  if (!g_str_has_suffix (whole, suffix) || len == strlen (suffix))
    return NULL;
  whole[len - strlen (suffix)] = '\0';
  if (table_name->ns.data == NULL || tall_slice_equal (table_name->ns, tall_slice_str ("default")))
    return g_steal_pointer (&whole);
  g_autofree char *ns = g_strndup ((const char *)table_name->ns.data, table_name->ns.len);
  return g_strconcat (ns, ":", whole, NULL);
}
