/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/table-kind.h"

#include "base/slots.h"
#include "tall-error.h"

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
    {
      tall_error_set_invalid (error, "store", "name=%s: a name is not empty and has no spaces",
                              value);
      return FALSE;
    }
  tall_table_address_set_name (self, value);
  return TRUE;
}

static gboolean
read_choice (const TallTableChoice *choice, const char *value, gboolean *second, GError **error)
{
  *second = g_str_equal (value, choice->words[1]);
  if (*second || g_str_equal (value, choice->words[0]))
    return TRUE;
  tall_error_set_invalid (error, "store", "%s=%s: choose %s or %s", choice->name, value,
                          choice->words[0], choice->words[1]);
  return FALSE;
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
  tall_error_set_invalid (error, "store", "there is no parameter “%s”; known are: %s", key,
                          known->str);
  return FALSE;
}

static gboolean
read_parameters (TallTableAddress *self, const char *query, GError **error)
{
  g_auto (GStrv) parameters = g_strsplit (query, "&", -1);
  for (guint i = 0; parameters[i] != NULL; i++)
    {
      char *value = strchr (parameters[i], '=');
      if (value == NULL)
        {
          tall_error_set_invalid (error, "store", "parameter “%s” has no value", parameters[i]);
          return FALSE;
        }
      *value++ = '\0';
      g_autofree char *plain = g_uri_unescape_string (value, NULL);
      if (plain == NULL)
        {
          tall_error_set_invalid (error, "store", "parameter “%s”: “%%” needs two hex digits",
                                  parameters[i]);
          return FALSE;
        }
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
