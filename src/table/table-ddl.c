/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/table-ddl.h"

/* Appends a byte string of the hbase shell, in which quotes, backslashes and # have a meaning. */
static void
append_bytes (GString *text, GBytes *bytes)
{
  gsize len;
  const guint8 *data = g_bytes_get_data (bytes, &len);
  g_string_append_c (text, '"');
  for (gsize i = 0; i < len; i++)
    g_string_append_printf (text, g_ascii_isalnum (data[i]) ? "%c" : "\\x%02X", data[i]);
  g_string_append_c (text, '"');
}

/* A setting that is chosen by name; the shell's names are in upper case. */
static void
append_choice (GString *text, const char *setting, const char *name)
{
  if (name == NULL)
    return;
  g_string_append_printf (text, ", %s => '", setting);
  for (; *name != '\0'; name++)
    if (g_ascii_isalnum (*name) || *name == '_')
      g_string_append_c (text, g_ascii_toupper (*name));
  g_string_append_c (text, '\'');
}

/**
 * tall_table_spec_to_ddl:
 * @deployment: the name that its tables have as prefix
 *
 * Returns: (transfer full): the statement of the hbase shell that creates the table, without a line
 *   feed
 */
char *
tall_table_spec_to_ddl (const TallTableSpec *self, const char *deployment)
{
  GString *text = g_string_new (NULL);
  g_string_append_printf (text, "create '%s.%s', {NAME => '" TALL_FAMILY "', VERSIONS => %u",
                          deployment, self->name,
                          self->max_versions == 0 ? (guint)G_MAXINT32 : self->max_versions);
  if (self->ttl != 0)
    g_string_append_printf (text, ", TTL => %" G_GUINT64_FORMAT, self->ttl);
  append_choice (text, "COMPRESSION", self->compression);
  append_choice (text, "BLOOMFILTER", self->bloom_filter);
  append_choice (text, "DATA_BLOCK_ENCODING", self->block_encoding);
  g_string_append_c (text, '}');

  guint n = self->splits == NULL ? 0 : self->splits->len;
  for (guint i = 0; i < n; i++)
    {
      g_string_append (text, i == 0 ? ", SPLITS => [" : ", ");
      append_bytes (text, g_ptr_array_index (self->splits, i));
    }
  g_string_append (text, n > 0 ? "]" : "");
  return g_string_free (text, FALSE);
}

/**
 * tall_table_shutter_to_ddl:
 * @deployment: the name that its tables have as prefix
 * @table: short name
 *
 * Returns: (transfer full): the statements of the hbase shell that do what set_access does, in one
 *   line
 */
char *
tall_table_shutter_to_ddl (const TallTableShutter *self, const char *deployment, const char *table)
{
  switch (self->access)
    {
    case TALL_ACCESS_OPEN:
      return g_strdup_printf ("alter '%s.%s', READONLY => 'false'; alter '%s.%s', METHOD => "
                              "'table_att_unset', NAME => '" TALL_SEAL_ATTRIBUTE "'",
                              deployment, table, deployment, table);
    case TALL_ACCESS_SEALED:
      return g_strdup_printf ("alter '%s.%s', READONLY => 'true', METADATA => "
                              "{'" TALL_SEAL_ATTRIBUTE "' => '%s'}",
                              deployment, table, self->seal);
    case TALL_ACCESS_UNCLOSED:
      return g_strdup_printf ("enable '%s.%s'", deployment, table);
    default:
      return g_strdup_printf ("disable '%s.%s'", deployment, table);
    }
}

guint
tall_table_spec_count_regions (const TallTableSpec *self)
{
  return 1 + (self->splits != NULL ? self->splits->len : 0);
}

/**
 * tall_table_spec_find_region:
 * @row: a row key
 *
 * Returns: which region the row lies in, from 0: a region begins with its split point
 */
guint
tall_table_spec_find_region (const TallTableSpec *self, TallSlice row)
{
  guint low = 0;
  guint high = self->splits != NULL ? self->splits->len : 0;
  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      GBytes *split = g_ptr_array_index (self->splits, middle);
      if (tall_slice_compare (tall_slice_bytes (split), row) <= 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}
