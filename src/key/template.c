/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "key/template-private.h"

#include "model/canonical.h"
#include "tall-error.h"

#define MOST_CHARACTERS 64 /* of first() and last() */

const TallKeyFormInfo tall_key_forms[] = {
  [TALL_KEY_FORM_CUSTOMER] = { "customer", .is_key_part = TRUE },
  [TALL_KEY_FORM_ORDER] = { "order", .is_key_part = TRUE },
  [TALL_KEY_FORM_TEXT] = { "" },
  [TALL_KEY_FORM_MD5] = { "md5", .size = TALL_MD5_SIZE },
  [TALL_KEY_FORM_FIRST] = { "first", .has_number = TRUE },
  [TALL_KEY_FORM_LAST] = { "last", .has_number = TRUE },
  [TALL_KEY_FORM_TIME] = { "time", .of_date = TRUE, .size = 8 },
  [TALL_KEY_FORM_RTIME] = { "rtime", .of_date = TRUE, .size = 8 },
  [TALL_KEY_FORM_DAY] = { "day", .of_date = TRUE, .size = 8 },
  [TALL_KEY_FORM_MONTH] = { "month", .of_date = TRUE, .size = 6 },
  [TALL_KEY_FORM_YEAR] = { "year", .of_date = TRUE, .size = 4 },
};

static void
part_clear (gpointer data)
{
  TallKeyPart *self = data;
  g_free (self->name);
  g_free (self->text);
}

void
tall_key_template_free (TallKeyTemplate *self)
{
  if (self == NULL)
    return;
  g_free (self->text);
  g_array_unref (self->parts);
  g_free (self);
}

/* ---- Parsing ---- */

static gboolean fail (GError **error, const char *at, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* @at: what is left of the text */
static gboolean
fail (GError **error, const char *at, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  tall_error_set_invalid (error, "index", "A key template, at %s%s%s: %s",
                          at[0] != '\0' ? "“" : "its end", at, at[0] != '\0' ? "”" : "", what);
  return FALSE;
}

static const char *
skip_spaces (const char *at)
{
  while (*at == ' ')
    at++;
  return at;
}

static char *
take_word (const char **at)
{
  gsize len = strcspn (*at, " (),?");
  char *word = g_strndup (*at, len);
  *at += len;
  return word;
}

/* The place of a field, by what its name begins with. @rest: (out): the name of the field in it */
static const TallModelType *
find_place (const char *name, TallKeyPlace *place, const char **rest)
{
  static const struct
  {
    const char *prefix;
    TallKeyPlace place;
    const TallModelType *type;
  } places[] = {
    { "location.address.", TALL_KEY_IN_ADDRESS, &tall_model_address },
    { "location.", TALL_KEY_IN_LOCATION, &tall_model_location },
    { "line.", TALL_KEY_IN_LINE, &tall_model_line },
    { "", TALL_KEY_IN_ORDER, &tall_model_order },
  };
  guint i = 0;
  while (!g_str_has_prefix (name, places[i].prefix))
    i++;
  *place = places[i].place;
  *rest = name + strlen (places[i].prefix);
  return places[i].type;
}

static gboolean
is_text (TallModelKind kind)
{
  return kind == TALL_MODEL_TEXT || kind == TALL_MODEL_NUMBER;
}

/* Finds the field that the part is made of. */
static gboolean
set_field (TallKeyPart *self, const char *at, GError **error)
{
  const char *rest;
  if (g_str_has_prefix (self->name, "attribute.") && strlen (self->name) > strlen ("attribute."))
    self->place = TALL_KEY_IN_ATTRIBUTES;
  else
    {
      const TallModelType *type = find_place (self->name, &self->place, &rest);
      self->field = tall_model_find_field (type, rest);
      if (self->field == NULL)
        {
          g_autofree char *known = tall_model_list_fields (type);
          return fail (error, at,
                       "there is no field “%s”; the fields %s; there are also attribute.NAME, "
                       "location.FIELD, location.address.FIELD and line.FIELD",
                       self->name, known);
        }
    }
  TallModelKind kind = self->field != NULL ? tall_model_kind (self->field) : TALL_MODEL_TEXT;
  if (tall_key_forms[self->form].of_date && kind != TALL_MODEL_DATE)
    return fail (error, at, "%s() is of a date, and %s is none", tall_key_forms[self->form].name,
                 self->name);
  if (!tall_key_forms[self->form].of_date && kind == TALL_MODEL_DATE)
    return fail (error, at,
                 "%s is a date: write time(%s), rtime(%s), which has the newest first, day(%s), "
                 "month(%s) or year(%s)",
                 self->name, self->name, self->name, self->name, self->name, self->name);
  return tall_key_forms[self->form].of_date || is_text (kind)
         || fail (error, at, "%s is neither a text nor a date", self->name);
}

static gboolean
find_form (const char *name, gboolean is_key_part, TallKeyForm *form)
{
  for (guint i = 0; i < TALL_KEY_N_FORMS; i++)
    if (name[0] != '\0' && g_str_equal (tall_key_forms[i].name, name)
        && tall_key_forms[i].is_key_part == is_key_part)
      {
        *form = (TallKeyForm)i;
        return TRUE;
      }
  return FALSE;
}

/* `(FIELD)` or `(N,FIELD)`. */
static gboolean
parse_arguments (TallKeyPart *self, const char **at, GError **error)
{
  const char *begin = *at;
  *at = skip_spaces (*at + 1);
  g_autofree char *first = take_word (at);
  *at = skip_spaces (*at);
  if (tall_key_forms[self->form].has_number)
    {
      guint64 n;
      if (!g_ascii_string_to_unsigned (first, 10, 1, MOST_CHARACTERS, &n, NULL) || **at != ',')
        return fail (error, begin, "%s(N,FIELD) takes a number of characters from 1 to %d first",
                     tall_key_forms[self->form].name, MOST_CHARACTERS);
      self->n = (guint)n;
      *at = skip_spaces (*at + 1);
      self->name = take_word (at);
      *at = skip_spaces (*at);
    }
  else
    self->name = g_steal_pointer (&first);
  if (**at != ')')
    return fail (error, *at, "“)” was expected");
  (*at)++;
  return set_field (self, begin, error);
}

static char *
print_part (const TallKeyPart *self)
{
  const char *optional = self->optional ? "?" : "";
  if (tall_key_forms[self->form].is_key_part)
    return g_strdup (tall_key_forms[self->form].name);
  if (self->form == TALL_KEY_FORM_TEXT)
    return g_strconcat (self->name, optional, NULL);
  if (tall_key_forms[self->form].has_number)
    return g_strdup_printf ("%s(%u,%s)%s", tall_key_forms[self->form].name, self->n, self->name,
                            optional);
  return g_strdup_printf ("%s(%s)%s", tall_key_forms[self->form].name, self->name, optional);
}

static gboolean
parse_part (TallKeyPart *self, const char **at, GError **error)
{
  const char *begin = *at;
  g_autofree char *word = take_word (at);
  self->form = TALL_KEY_FORM_TEXT;
  if (**at == '(' && !find_form (word, FALSE, &self->form))
    return fail (error, begin,
                 "there is no %s(); there are md5, first, last, time, rtime, day, month and year",
                 word);
  if (**at == '(')
    {
      if (!parse_arguments (self, at, error))
        return FALSE;
    }
  else if (!find_form (word, TRUE, &self->form))
    {
      self->name = g_steal_pointer (&word);
      if (!set_field (self, begin, error))
        return FALSE;
    }
  self->optional = **at == '?';
  if (self->optional && tall_key_forms[self->form].is_key_part)
    return fail (error, begin, "every order has it: leave the “?” out");
  *at += self->optional ? 1 : 0;
  if (**at != '\0' && **at != ' ')
    return fail (error, *at, "a space, or the end, was expected");
  self->text = print_part (self);
  return TRUE;
}

/* A part that comes twice tells nothing, and the end of a key would not be found. */
static gboolean
check_new (const TallKeyTemplate *self, const TallKeyPart *part, GError **error)
{
  for (guint i = 0; i < self->parts->len; i++)
    if (g_str_equal (tall_key_template_get_part (self, i)->text, part->text))
      return fail (error, part->text, "it is there twice");
  return self->parts->len < TALL_KEY_MOST_PARTS
         || fail (error, part->text, "there are more than %d parts", TALL_KEY_MOST_PARTS);
}

/**
 * tall_key_template_parse:
 * @text: such as `md5(line.item_number) rtime(sales_date)?`
 *
 * Returns: (transfer full): NULL with %TALL_ERROR_INVALID, field `index`, saying where and what was
 *   expected
 */
TallKeyTemplate *
tall_key_template_parse (const char *text, GError **error)
{
  g_autoptr (TallKeyTemplate) self = g_new0 (TallKeyTemplate, 1);
  g_autoptr (GString) joined = g_string_new (NULL);
  self->parts = g_array_new (FALSE, FALSE, sizeof (TallKeyPart));
  g_array_set_clear_func (self->parts, part_clear);
  for (const char *at = skip_spaces (text); *at != '\0'; at = skip_spaces (at))
    {
      TallKeyPart part = { 0 };
      if (!parse_part (&part, &at, error) || !check_new (self, &part, error))
        {
          part_clear (&part);
          return NULL;
        }
      g_array_append_val (self->parts, part);
      g_string_append_printf (joined, "%s%s", joined->len > 0 ? " " : "", part.text);
    }
  if (self->parts->len == 0)
    {
      (void)fail (error, "", "it has no parts; an example is: customer rtime(sales_date)?");
      return NULL;
    }
  self->text = g_string_free (g_steal_pointer (&joined), FALSE);
  return g_steal_pointer (&self);
}

/* ---- What it says ---- */

/**
 * tall_key_template_get_text:
 *
 * Returns: (transfer none): what parses to the same; equal templates have equal texts
 */
const char *
tall_key_template_get_text (const TallKeyTemplate *self)
{
  return self->text;
}

/**
 * tall_key_template_is_of_state:
 *
 * Returns: whether the numbers of an order and its date are all that its keys come from, so that
 * its root row tells them; each order has one key at most then
 */
gboolean
tall_key_template_is_of_state (const TallKeyTemplate *self)
{
  static const char *const known[] = { "customer_number", "order_number", "sales_date", NULL };
  for (guint i = 0; i < self->parts->len; i++)
    {
      const TallKeyPart *part = tall_key_template_get_part (self, i);
      if (!tall_key_forms[part->form].is_key_part
          && (part->place != TALL_KEY_IN_ORDER || !g_strv_contains (known, part->name)))
        return FALSE;
    }
  return TRUE;
}

/**
 * tall_key_template_begins_with_customer:
 *
 * Returns: whether all keys of a customer begin with the customer part
 */
gboolean
tall_key_template_begins_with_customer (const TallKeyTemplate *self)
{
  return tall_key_template_get_part (self, 0)->form == TALL_KEY_FORM_CUSTOMER;
}

/**
 * tall_key_template_may_repeat:
 *
 * Returns: whether an order can have several keys that begin with the same @n_values parts
 */
gboolean
tall_key_template_may_repeat (const TallKeyTemplate *self, guint n_values)
{
  for (guint i = n_values; i < self->parts->len; i++)
    if (!tall_key_forms[tall_key_template_get_part (self, i)->form].is_key_part
        && tall_key_template_get_part (self, i)->place >= TALL_KEY_IN_LOCATION)
      return TRUE;
  return FALSE;
}

static gboolean
has_field (const TallKeyTemplate *self, guint i, const char *field)
{
  if (i >= self->parts->len)
    return FALSE;
  const TallKeyPart *part = tall_key_template_get_part (self, i);
  return tall_key_forms[part->form].is_key_part
             ? g_str_has_prefix (field, tall_key_forms[part->form].name)
                   && g_str_equal (field + strlen (tall_key_forms[part->form].name), "_number")
             : g_str_equal (field, part->name);
}

/**
 * tall_key_template_has_fields:
 * @fields: @n names, such as `line.item_number`
 * @next: (nullable): one more
 *
 * Returns: whether the leading parts are of these fields, in this order, and the one after them is
 * of @next
 */
gboolean
tall_key_template_has_fields (const TallKeyTemplate *self,
                              const char *const *fields,
                              guint n,
                              const char *next)
{
  for (guint i = 0; i < n; i++)
    if (!has_field (self, i, fields[i]))
      return FALSE;
  return next == NULL || has_field (self, n, next);
}
