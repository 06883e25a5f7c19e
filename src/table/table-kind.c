/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/table-kind.h"

#include "base/slots.h"
#include "base/fail.h"

#include <string.h>

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
 * Returns: (transfer full): how addresses are written: `rocksdb:DIR[?name=N&sync=0|1&readonly=0|1]`
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

/* What a kind must have; the others say in the contract what their absence means. */
static const TallSlot slots[] = {
  TALL_SLOT (TallTableKind, name),       TALL_SLOT (TallTableKind, title),
  TALL_SLOT (TallTableKind, scheme),     TALL_SLOT (TallTableKind, place),
  TALL_SLOT (TallTableKind, what),       TALL_SLOT (TallTableKind, choices),
  TALL_SLOT (TallTableKind, open),       TALL_SLOT (TallTableKind, read_place),
  TALL_SLOT (TallTableKind, check_spec),
};

void
tall_table_address_free (TallTableAddress *self)
{
  if (self == NULL)
    return;
  g_free (self->place);
  g_free (self->name);
  g_free (self);
}

/**
 * tall_table_address_copy:
 *
 * Returns: (transfer full): the same address
 */
TallTableAddress *
tall_table_address_copy (const TallTableAddress *self)
{
  TallTableAddress *copy = g_memdup2 (self, sizeof *self);
  copy->place = g_strdup (self->place);
  copy->name = g_strdup (self->name);
  return copy;
}

void
tall_table_address_set_name (TallTableAddress *self, const char *name)
{
  g_free (self->name);
  self->name = g_strdup (name);
}

void
tall_table_address_set_place (TallTableAddress *self, const char *place)
{
  g_free (self->place);
  self->place = g_strdup (place);
}

static gboolean
read_name (TallTableAddress *self, const char *value, GError **error)
{
  if (*value == '\0' || strpbrk (value, " \t\r\n") != NULL)
    return tall_error_fail_invalid (error, "store",
                                    "name=%s: a name is not empty and has no spaces", value);
  tall_table_address_set_name (self, value);
  return TRUE;
}

static gboolean
read_choice (const TallTableChoice *choice, const char *value, gboolean *second, GError **error)
{
  *second = g_str_equal (value, choice->words[1]);
  if (*second || g_str_equal (value, choice->words[0]))
    return TRUE;
  return tall_error_fail_invalid (error, "store", "%s=%s: choose %s or %s", choice->name, value,
                                  choice->words[0], choice->words[1]);
}

static gboolean
read_parameter (TallTableAddress *self, const char *key, const char *value, GError **error)
{
  if (g_str_equal (key, "name"))
    return read_name (self, value, error);
  g_autoptr (GString) known = g_string_new ("name");
  const TallTableChoice *choices = self->kind->choices;
  for (guint i = 0; choices[i].name != NULL; i++)
    {
      if (g_str_equal (key, choices[i].name))
        return read_choice (&choices[i], value, &self->choices[i], error);
      g_string_append_printf (known, ", %s", choices[i].name);
    }
  return tall_error_fail_invalid (error, "store", "there is no parameter “%s”; known are: %s", key,
                                  known->str);
}

static gboolean
read_parameters (TallTableAddress *self, const char *query, GError **error)
{
  g_auto (GStrv) parameters = g_strsplit (query, "&", -1);
  for (guint i = 0; parameters[i] != NULL; i++)
    {
      char *value = strchr (parameters[i], '=');
      if (value == NULL)
        return tall_error_fail_invalid (error, "store", "parameter “%s” has no value",
                                        parameters[i]);
      *value++ = '\0';
      g_autofree char *plain = g_uri_unescape_string (value, NULL);
      if (plain == NULL)
        return tall_error_fail_invalid (error, "store", "parameter “%s”: “%%” needs two hex digits",
                                        parameters[i]);
      if (!read_parameter (self, parameters[i], plain, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_place (TallTableAddress *self, const char *text, GError **error)
{
  if (*text != '\0')
    self->place = self->kind->read_place (text, error);
  else
    tall_error_set_invalid (error, "store", "%s is missing", self->kind->what);
  return self->place != NULL;
}

/**
 * tall_table_address_new:
 * @rest: of the address, behind the scheme of its kind. `%` and two hex digits stand for a byte,
 *   so that a directory may have a `?` in its name
 *
 * Returns: (transfer full): its parts; NULL with %TALL_ERROR_INVALID, saying what is wrong
 */
TallTableAddress *
tall_table_address_new (const TallTableKind *kind, const char *rest, GError **error)
{
  tall_slots_check (kind->name, "TallTableKind", kind, slots, G_N_ELEMENTS (slots));
  g_autoptr (TallTableAddress) self = g_new0 (TallTableAddress, 1);
  self->kind = kind;
  for (guint i = 0; kind->choices[i].name != NULL; i++)
    {
      g_assert (i < TALL_TABLE_MAX_CHOICES);
      self->choices[i] = kind->choices[i].usual;
    }
  const char *query = strchr (rest, '?');
  g_autofree char *place =
      query == NULL ? g_strdup (rest) : g_strndup (rest, (gsize)(query - rest));
  if (!read_place (self, place, error)
      || (query != NULL && !read_parameters (self, query + 1, error)))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * tall_table_address_get_choice:
 * @name: a parameter of its kind that is one of two words
 *
 * Returns: whether it is the second
 */
gboolean
tall_table_address_get_choice (const TallTableAddress *self, const char *name)
{
  for (guint i = 0; self->kind->choices[i].name != NULL; i++)
    if (g_str_equal (name, self->kind->choices[i].name))
      return self->choices[i];
  g_return_val_if_reached (FALSE);
}

/**
 * tall_table_address_open:
 * @create: make a new store if there is none
 *
 * Returns: (transfer full): the tables; NULL if they cannot be reached
 */
TallTable *
tall_table_address_open (const TallTableAddress *self, gboolean create, GError **error)
{
  return self->kind->open (self, create, error);
}

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
