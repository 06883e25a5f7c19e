/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "key/template.h"

#include "model/canonical.h"
#include "model/model-type.h"
#include "base/fail.h"
#include "tall-json.h"
#include "tall-limits.h"

#define MOST_CHARACTERS 64 /* of first() and last() */
#define MOST_TEXT 1024     /* bytes of a template */
#define CUT_AT 128 /* bytes: a text of so many, or more, is cut: 10,000 lines may share it */
#define HEX_SIZE (2 * TALL_MD5_SIZE)
#define ABSENT 0xff /* a byte that no text has, and no date begins with */
#define ATTRIBUTE "attribute."

typedef enum
{
  FORM_TEXT,
  FORM_MD5,
  FORM_FIRST,
  FORM_LAST,
  FORM_TIME,
  FORM_RTIME,
  FORM_DAY,
  FORM_MONTH,
  FORM_YEAR,
  N_FORMS,
} Form;

/* What a part is written as, and what it gives. */
static const struct
{
  const char *name;
  gboolean has_number; /* of characters */
  gsize size;          /* of its bytes; 0: it is a text, which ends with 00 */
  gsize precision; /* of a date: characters of ISO 8601 that a value needs; 0: it is of a text */
} forms[N_FORMS] = {
  [FORM_TEXT] = { "", .size = 0 },
  [FORM_MD5] = { "md5", .size = TALL_MD5_SIZE },
  [FORM_FIRST] = { "first", .has_number = TRUE },
  [FORM_LAST] = { "last", .has_number = TRUE },
  [FORM_TIME] = { "time", .size = 8, .precision = strlen ("2026-11-28") },
  [FORM_RTIME] = { "rtime", .size = 8, .precision = strlen ("2026-11-28") },
  [FORM_DAY] = { "day", .size = 8, .precision = strlen ("2026-11-28") },
  [FORM_MONTH] = { "month", .size = 6, .precision = strlen ("2026-11") },
  [FORM_YEAR] = { "year", .size = 4, .precision = strlen ("2026") },
};

/* Where a field is: what its name begins with. */
typedef enum
{
  IN_ADDRESS,
  IN_LOCATION,
  IN_LINE,
  IN_ORDER,
} Place;

static const struct
{
  const char *prefix;
  const TallModelType *type;
} places[] = {
  [IN_ADDRESS] = { "location.address.", &tall_model_address },
  [IN_LOCATION] = { "location.", &tall_model_location },
  [IN_LINE] = { "line.", &tall_model_line },
  [IN_ORDER] = { "", &tall_model_order },
};

typedef struct
{
  Form form;
  guint n;         /* characters, of first() and last() */
  gboolean absent; /* an order without the field has a key, too */
  Place place;
  const TallModelField *field; /* NULL: an attribute */
  char *name;                  /* owned: of the field */
  char *text;                  /* owned: as it is written, without the `?` */
} Part;

struct _TallTemplate
{
  GArray *parts; /* owned: of Part */
  char *text;    /* owned */
};

static void
part_clear (gpointer data)
{
  Part *self = data;
  g_free (self->name);
  g_free (self->text);
}

static const Part *
get_part (const TallTemplate *self, guint i)
{
  return &g_array_index (self->parts, Part, i);
}

void
tall_template_free (TallTemplate *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->parts);
  g_free (self->text);
  g_free (self);
}

/* ---- Parsing ---- */

G_GNUC_PRINTF (3, 4)
static gboolean
fail (GError **error, const char *part, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  return tall_error_fail_invalid (error, "index", "“%s” is not a part of an index: %s", part, what);
}

/* Finds the field of that name. */
static gboolean
find_field (Part *self, const char *text, GError **error)
{
  while (!g_str_has_prefix (self->name, places[self->place].prefix))
    self->place++;
  if (g_str_has_prefix (self->name, ATTRIBUTE) && self->name[strlen (ATTRIBUTE)] != '\0')
    return TRUE;
  const TallModelType *type = places[self->place].type;
  self->field = tall_model_find_field (type, self->name + strlen (places[self->place].prefix));
  if (self->field != NULL)
    return TRUE;
  g_autofree char *known = tall_model_list_fields (type);
  return fail (error, text,
               "there is no field “%s”; the fields %s; there are also attribute.NAME, "
               "location.FIELD, location.address.FIELD and line.FIELD",
               self->name, known);
}

/* Finds the field of that name, and whether the part can be made of it. */
static gboolean
set_field (Part *self, const char *text, GError **error)
{
  if (!find_field (self, text, error))
    return FALSE;
  TallModelKind kind = self->field != NULL ? tall_model_kind (self->field) : TALL_MODEL_TEXT;
  gboolean is_date = kind == TALL_MODEL_DATE;
  if (!is_date && kind != TALL_MODEL_TEXT && kind != TALL_MODEL_NUMBER)
    return fail (error, text, "%s is neither a text nor a date", self->name);
  return is_date == (forms[self->form].precision > 0)
         || fail (error, text,
                  is_date ? "%s is a date: write time(…), rtime(…), which has the newest first, "
                            "day(…), month(…) or year(…)"
                          : "%s is not a date",
                  self->name);
}

/* What stands between the parentheses: FIELD, or N,FIELD. */
static gboolean
set_arguments (Part *self, const char *text, const char *arguments, GError **error)
{
  g_auto (GStrv) words = g_strsplit (arguments, ",", 2);
  gboolean has_number = forms[self->form].has_number;
  guint64 n = 0;
  if (has_number
      && (g_strv_length (words) != 2
          || !g_ascii_string_to_unsigned (g_strstrip (words[0]), 10, 1, MOST_CHARACTERS, &n, NULL)))
    return fail (error, text, "%s(N,FIELD) takes a number of characters from 1 to %d first",
                 forms[self->form].name, MOST_CHARACTERS);
  self->n = (guint)n;
  self->name = g_strstrip (g_strdup (has_number ? words[1] : arguments));
  return set_field (self, text, error);
}

/* @text: changed: one part */
static gboolean
parse_part (Part *self, char *text, GError **error)
{
  g_autofree char *given = g_strdup (text);
  gsize len = strlen (text);
  if (len > 0 && text[len - 1] == '?')
    {
      self->absent = TRUE;
      text[--len] = '\0';
    }
  char *open = strchr (text, '(');
  if (open == NULL)
    {
      self->name = g_strdup (text);
      self->text = g_strdup (text);
      return set_field (self, given, error);
    }
  if (text[len - 1] != ')')
    return fail (error, given, "it does not end with “)”");
  text[len - 1] = *open = '\0';
  for (self->form = FORM_MD5; self->form < N_FORMS; self->form++)
    if (g_str_equal (forms[self->form].name, text))
      break;
  if (self->form == N_FORMS)
    return fail (error, given, "there are md5, first, last, time, rtime, day, month and year");
  if (!set_arguments (self, given, open + 1, error))
    return FALSE;
  self->text = self->n > 0 ? g_strdup_printf ("%s(%u,%s)", text, self->n, self->name)
                           : g_strdup_printf ("%s(%s)", text, self->name);
  return TRUE;
}

/* A part that comes twice tells nothing. */
static gboolean
add_part (TallTemplate *self, char *text, GError **error)
{
  Part part = { 0 };
  gboolean done = parse_part (&part, text, error);
  for (guint i = 0; done && i < self->parts->len; i++)
    if (g_str_equal (get_part (self, i)->text, part.text))
      done = fail (error, part.text, "it is there twice");
  if (done && self->parts->len == TALL_TEMPLATE_MOST_PARTS)
    done = fail (error, part.text, "there are %d before it, which is the most",
                 TALL_TEMPLATE_MOST_PARTS);
  if (done)
    g_array_append_val (self->parts, part);
  else
    part_clear (&part);
  return done;
}

/* Cuts the text at spaces that do not stand between parentheses. */
static gboolean
parse_parts (TallTemplate *self, char *at, GError **error)
{
  while (*(at += strspn (at, " ")) != '\0')
    {
      gboolean inside = FALSE;
      char *end = at;
      for (; *end != '\0' && (inside || *end != ' '); end++)
        inside = *end == '(' || (inside && *end != ')');
      gboolean is_last = *end == '\0';
      *end = '\0';
      if (!add_part (self, at, error))
        return FALSE;
      at = is_last ? end : end + 1;
    }
  return self->parts->len > 0
         || fail (error, "",
                  "an index has at least one, as in: md5(line.item_number) rtime(sales_date)?");
}

/* It becomes a text of the deployment record, which every open reads. */
static gboolean
check_text (const char *text, GError **error)
{
  gsize len = strlen (text);
  if (!g_utf8_validate (text, (gssize)len, NULL))
    tall_error_set_invalid (error, "index",
                            "an index is written in UTF-8, and this one is not UTF-8");
  else if (len > MOST_TEXT)
    tall_error_set_invalid (error, "index",
                            "an index has %d bytes at most, and this one %" G_GSIZE_FORMAT,
                            MOST_TEXT, len);
  else
    return TRUE;
  return FALSE;
}

/**
 * tall_template_parse:
 * @text: such as `md5(line.item_number) rtime(sales_date)?`
 *
 * Returns: (transfer full): NULL with %TALL_ERROR_INVALID, field `index`, saying which part is
 * wrong and what is possible
 */
TallTemplate *
tall_template_parse (const char *text, GError **error)
{
  g_autoptr (TallTemplate) self = g_new0 (TallTemplate, 1);
  g_autoptr (GString) joined = g_string_new (NULL);
  g_autofree char *copy = g_strdup (text);
  self->parts = g_array_new (FALSE, FALSE, sizeof (Part));
  g_array_set_clear_func (self->parts, part_clear);
  if (!check_text (text, error) || !parse_parts (self, copy, error))
    return NULL;
  for (guint i = 0; i < self->parts->len; i++)
    g_string_append_printf (joined, "%s%s%s", i > 0 ? " " : "", get_part (self, i)->text,
                            get_part (self, i)->absent ? "?" : "");
  self->text = g_string_free (g_steal_pointer (&joined), FALSE);
  return g_steal_pointer (&self);
}

/**
 * tall_template_get_text:
 *
 * Returns: (transfer none): what parses to the same; equal templates have equal texts
 */
const char *
tall_template_get_text (const TallTemplate *self)
{
  return self->text;
}

static gboolean
has_place (const TallTemplate *self, Place first, Place last)
{
  for (guint i = 0; i < self->parts->len; i++)
    if (get_part (self, i)->place >= first && get_part (self, i)->place <= last)
      return TRUE;
  return FALSE;
}

/**
 * tall_template_is_of_numbers:
 *
 * Returns: whether the keys of an order come from its numbers alone: it has one, for ever
 */
gboolean
tall_template_is_of_numbers (const TallTemplate *self)
{
  for (guint i = 0; i < self->parts->len; i++)
    {
      const Part *part = get_part (self, i);
      if (part->place != IN_ORDER || part->field == NULL
          || tall_model_kind (part->field) != TALL_MODEL_NUMBER)
        return FALSE;
    }
  return TRUE;
}

/**
 * tall_template_is_of_lines:
 *
 * Returns: whether an order may have as many keys as it has lines and locations
 */
gboolean
tall_template_is_of_lines (const TallTemplate *self)
{
  return has_place (self, IN_ADDRESS, IN_LINE);
}

/* ---- Keys ---- */

static void
append_md5 (TallSlice text, gboolean as_digits, GByteArray *key)
{
  guint8 digest[TALL_MD5_SIZE];
  tall_md5 (text, digest);
  g_autofree char *hex = tall_slice_to_hex (tall_slice (digest, sizeof digest));
  tall_bytes_append (key, as_digits ? tall_slice_str (hex) : tall_slice (digest, sizeof digest));
}

/* A long text is cut, and the MD5 of all, in digits, stands for what was cut off: so no two texts
 * have the same bytes, and none has a 00. */
static void
append_text (TallSlice text, GByteArray *key)
{
  gboolean is_cut = text.len >= CUT_AT;
  tall_bytes_append (key, tall_slice (text.data, is_cut ? CUT_AT - HEX_SIZE : text.len));
  if (is_cut)
    append_md5 (text, TRUE, key);
}

/* What the part takes of a text. */
static TallSlice
cut_text (const Part *self, const char *text)
{
  const char *end = text + strlen (text);
  glong surplus = self->n > 0 ? g_utf8_strlen (text, -1) - (glong)self->n : 0;
  if (self->form == FORM_FIRST && surplus > 0)
    end = g_utf8_offset_to_pointer (text, (glong)self->n);
  if (self->form == FORM_LAST && surplus > 0)
    text = g_utf8_offset_to_pointer (text, surplus);
  return tall_slice (text, (gsize)(end - text));
}

/* Without the 00 at its end. */
static void
append_value (const Part *self, const char *text, GByteArray *key)
{
  TallSlice value = cut_text (self, text);
  if (self->form == FORM_MD5)
    append_md5 (value, FALSE, key);
  else
    append_text (value, key);
}

/* As unsigned numbers, both ascend or descend over all dates, also those before 1970. */
static void
append_date (const Part *self, gint64 date, GByteArray *key)
{
  char text[TALL_DATE_TEXT_SIZE];
  if (self->form == FORM_RTIME)
    tall_bytes_append_u64 (key, (guint64)G_MAXINT64 - (guint64)date);
  else if (self->form == FORM_TIME)
    tall_bytes_append_u64 (key, (guint64)date ^ ((guint64)1 << 63));
  else
    tall_date_format (date, text);
  for (gsize i = 0; self->form >= FORM_DAY && i < forms[self->form].precision; i++)
    if (text[i] != '-')
      tall_bytes_append_u8 (key, (guint8)text[i]);
}

static void
end_part (const Part *self, GByteArray *key)
{
  if (forms[self->form].size == 0)
    tall_bytes_append_u8 (key, 0);
}

static void
append_absent (const Part *self, GByteArray *key)
{
  for (gsize i = 0; i < MAX (forms[self->form].size, 1); i++)
    tall_bytes_append_u8 (key, ABSENT);
  end_part (self, key);
}

/* Of what a key is made: a line has a location, and a location an order. */
typedef struct
{
  const TallTemplate *template;
  const TallOrder *order;
  const TallShippingLocation *location; /* NULL: the template needs none; so is the next one */
  const TallLineItem *line;
  guint8 before;
  GPtrArray *keys;
} Origin;

static const char *
find_text (const Part *self, const Origin *origin, gconstpointer base)
{
  if (self->field != NULL)
    return tall_model_get_pointer (self->field, base);
  for (gsize i = 0; i < origin->order->n_attributes; i++)
    if (g_str_equal (origin->order->attributes[i]->key, self->name + strlen (ATTRIBUTE)))
      return origin->order->attributes[i]->value;
  return NULL;
}

/* Returns: FALSE if it is absent */
static gboolean
append_field (const Part *self, const Origin *origin, GByteArray *key)
{
  const gconstpointer bases[] = {
    [IN_ADDRESS] = origin->location != NULL ? origin->location->address : NULL,
    [IN_LOCATION] = origin->location,
    [IN_LINE] = origin->line,
    [IN_ORDER] = origin->order,
  };
  gconstpointer base = bases[self->place];
  if (base == NULL)
    return FALSE;
  if (forms[self->form].precision > 0)
    {
      if (*tall_model_flag (self->field, base))
        append_date (self, *tall_model_date (self->field, base), key);
      return *tall_model_flag (self->field, base);
    }
  const char *text = find_text (self, origin, base);
  if (text != NULL)
    append_value (self, text, key);
  end_part (self, key);
  return text != NULL;
}

static void
append_key (const Origin *origin)
{
  g_autoptr (GByteArray) key = g_byte_array_sized_new (64);
  tall_bytes_append_u8 (key, origin->before);
  for (guint i = 0; i < origin->template->parts->len; i++)
    {
      const Part *part = get_part (origin->template, i);
      guint begun = key->len;
      if (append_field (part, origin, key))
        continue;
      if (!part->absent)
        return;
      g_byte_array_set_size (key, begun);
      append_absent (part, key);
    }
  tall_bytes_append_u8 (key, 0);
  tall_bytes_append (key, tall_slice_str (origin->order->customer_number));
  tall_bytes_append_u8 (key, 0);
  tall_bytes_append (key, tall_slice_str (origin->order->order_number));
  g_ptr_array_add (origin->keys, g_steal_pointer (&key));
}

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  return tall_slice_compare (tall_slice_array (*(GByteArray *const *)a),
                             tall_slice_array (*(GByteArray *const *)b));
}

/* The keys of all lines, or locations, or of the order. A location without lines has the fields of
 * lines absent, and so has an order without locations those of both. */
static void
append_all (Origin *origin)
{
  gboolean of_lines = has_place (origin->template, IN_LINE, IN_LINE);
  gboolean of_locations = tall_template_is_of_lines (origin->template);
  gsize n_locations = of_locations ? origin->order->n_shipping_locations : 0;
  for (gsize i = 0; i < MAX (n_locations, 1); i++)
    {
      origin->location = i < n_locations ? origin->order->shipping_locations[i] : NULL;
      gsize n_lines = of_lines && i < n_locations ? origin->location->n_line_items : 0;
      for (gsize j = 0; j < MAX (n_lines, 1); j++)
        {
          origin->line = j < n_lines ? origin->location->line_items[j] : NULL;
          append_key (origin);
        }
    }
}

/**
 * tall_template_append_keys:
 * @before: the byte with which each key begins
 * @keys: (element-type GByteArray): with a function that frees them
 *
 * Appends the keys of an order, sorted, each once: one for each distinct combination of the fields
 * of its lines and locations; a line is taken with its location.
 */
void
tall_template_append_keys (const TallTemplate *self,
                           const TallOrder *order,
                           guint8 before,
                           GPtrArray *keys)
{
  g_autoptr (GPtrArray) own = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  Origin origin = { .template = self, .order = order, .before = before, .keys = own };
  append_all (&origin);
  g_ptr_array_sort (own, compare_keys);
  for (guint i = own->len; i-- > 1;)
    if (compare_keys (&own->pdata[i], &own->pdata[i - 1]) == 0)
      g_ptr_array_remove_index (own, i);
  g_ptr_array_extend_and_steal (keys, g_steal_pointer (&own));
}

/* What stands behind the last 00 of @key, which becomes shorter. NULL: it is not a number */
static char *
take_number (TallSlice *key)
{
  const guint8 *zero = key->len > 0 ? memrchr (key->data, 0, key->len) : NULL;
  if (zero == NULL)
    return NULL;
  gsize len = (gsize)(key->data + key->len - zero - 1);
  g_autofree char *number = g_strndup ((const char *)zero + 1, len);
  key->len -= len + 1;
  return tall_validate_number (number, "number", NULL) ? g_steal_pointer (&number) : NULL;
}

/**
 * tall_template_split_key:
 * @key: any bytes
 * @customer_number: (out) (transfer full): of the order that it leads to, as the next one
 *
 * Returns: FALSE if it is not the key of any template; nothing is set then
 */
gboolean
tall_template_split_key (TallSlice key, char **customer_number, char **order_number)
{
  g_autofree char *order = take_number (&key);
  g_autofree char *customer = order != NULL ? take_number (&key) : NULL;
  if (customer == NULL)
    return FALSE;
  *order_number = g_steal_pointer (&order);
  *customer_number = g_steal_pointer (&customer);
  return TRUE;
}

/* ---- Searching ---- */

/* @is_bound: a date may be as short as a year */
static gboolean
parse_date (const Part *self, const char *value, gboolean is_bound, gint64 *date, GError **error)
{
  if ((is_bound || strlen (value) >= forms[self->form].precision)
      && tall_date_parse_first (value, date, NULL))
    return TRUE;
  return tall_error_fail_invalid (error, "values",
                                  "“%s” is not a date as %s needs it, such as %.*s", value,
                                  self->text, (int)(is_bound ? 10 : forms[self->form].precision),
                                  "2026-11-28");
}

/* Characters that the part has of its field; 0: all */
static gsize
get_most (const Part *self)
{
  return self->form >= FORM_DAY ? forms[self->form].precision : self->n;
}

/* Returns: (transfer full): what the part has of @value, of its field, in UTF-8 */
static char *
cut_value (const Part *self, const char *value)
{
  char text[TALL_DATE_TEXT_SIZE];
  gint64 date;
  if (forms[self->form].precision == 0)
    {
      TallSlice cut = cut_text (self, value);
      return g_strndup ((const char *)cut.data, cut.len);
    }
  if (self->form < FORM_DAY || strlen (value) <= get_most (self)
      || !tall_date_parse_first (value, &date, NULL))
    return g_strdup (value);
  return g_strndup (tall_date_format (date, text), get_most (self));
}

/* What is longer would find all that shares a part with it. */
static gboolean
check_length (const Part *self, const char *value, GError **error)
{
  gsize most = get_most (self);
  if (most == 0 || g_utf8_strlen (value, -1) <= (glong)most)
    return TRUE;
  g_autofree char *cut = cut_value (self, value);
  return tall_error_fail_invalid (error, "values", "%s takes %u characters at most: %s", self->text,
                                  (guint)most, cut);
}

/* Without the 00 at its end: what begins with it is not less. */
static gboolean
append_wanted (
    const Part *self, const char *value, gboolean is_bound, GByteArray *key, GError **error)
{
  gboolean is_date = forms[self->form].precision > 0;
  gint64 date;
  if (!g_utf8_validate (value, -1, NULL))
    return tall_error_fail_invalid (error, "values", "A value of %s is not UTF-8", self->text);
  if ((is_date && !parse_date (self, value, is_bound, &date, error))
      || !check_length (self, value, error))
    return FALSE;
  if (!is_date)
    append_value (self, value, key);
  else /* the newest first: the bound itself lies on the other side of both ends */
    append_date (self, date - (is_bound && self->form == FORM_RTIME ? 1 : 0), key);
  return TRUE;
}

static gboolean
check_query (const TallTemplate *self, const TallTemplateQuery *query, GError **error)
{
  gboolean has_range = query->from != NULL || query->to != NULL;
  if (query->n_values + (has_range ? 1 : 0) > self->parts->len)
    tall_error_set_invalid (error, "values",
                            "the index has %u parts (%s), and there are %u values%s",
                            self->parts->len, self->text, query->n_values,
                            has_range ? " and a range" : "");
  else if (has_range && get_part (self, query->n_values)->form == FORM_MD5)
    tall_error_set_invalid (error, "from", "%s keeps no order, so that it has no range",
                            get_part (self, query->n_values)->text);
  else
    return TRUE;
  return FALSE;
}

/**
 * tall_template_append_range:
 * @start: begins with what each key begins with; its end is appended, as is that of @stop
 * @n_prefix: (out): bytes that all keys looked for begin with
 *
 * Appends between which keys those are that are looked for. A range has no orders without the
 * field.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if there are too many values, one is not of its part, or
 *   the range is empty
 */
gboolean
tall_template_append_range (const TallTemplate *self,
                            const TallTemplateQuery *query,
                            GByteArray *start,
                            GByteArray *stop,
                            gsize *n_prefix,
                            GError **error)
{
  if (!check_query (self, query, error))
    return FALSE;
  for (guint i = 0; i < query->n_values; i++)
    {
      if (!append_wanted (get_part (self, i), query->values[i], FALSE, start, error))
        return FALSE;
      end_part (get_part (self, i), start);
    }
  *n_prefix = start->len;
  tall_bytes_set (stop, tall_slice_array (start));
  if (query->from == NULL && query->to == NULL)
    {
      g_autoptr (TallArena) arena = tall_arena_new (0);
      tall_bytes_set (stop, tall_slice_after_prefix (arena, tall_slice_array (start)));
      return TRUE;
    }
  const Part *part = get_part (self, query->n_values);
  gboolean turns = part->form == FORM_RTIME;
  const char *first = turns ? query->to : query->from;
  const char *end = turns ? query->from : query->to;
  if ((first != NULL && !append_wanted (part, first, TRUE, start, error))
      || (end != NULL && !append_wanted (part, end, TRUE, stop, error)))
    return FALSE;
  if (end == NULL)
    tall_bytes_append_u8 (stop, ABSENT);
  if (tall_slice_compare (tall_slice_array (start), tall_slice_array (stop)) < 0)
    return TRUE;
  return tall_error_fail_invalid (error, "to",
                                  "The range is empty or the wrong way round: “to” is the first "
                                  "one no longer wanted and must be after “from”");
}

/* Returns: (nullable): the value, if @given is NAME=VALUE */
static const char *
find_value (const char *given, const char *name)
{
  gsize len = strlen (name);
  return strncmp (given, name, len) == 0 && given[len] == '=' ? given + len + 1 : NULL;
}

/* Whether the part tells a value of its field from all others; of a date, as far as that is given.
 */
static gboolean
is_just (const Part *self, const char *value)
{
  gsize precision = forms[self->form].precision;
  if (precision == 0)
    return !forms[self->form].has_number;
  return self->form >= FORM_DAY ? strlen (value) == precision : strlen (value) > precision;
}

/* Returns: (transfer full) (nullable): the value of the part, of @given
 * @is_all: (out): nothing more need be said of it */
static char *
choose_value (const Part *self, const char *given, gboolean *is_all)
{
  const char *of_field = find_value (given, self->name);
  const char *of_part = find_value (given, self->text);
  *is_all = of_field == NULL || is_just (self, of_field);
  if (of_part != NULL || of_field == NULL || !g_utf8_validate (of_field, -1, NULL))
    return g_strdup (of_part != NULL ? of_part : of_field);
  return cut_value (self, of_field);
}

/**
 * tall_template_choose_values:
 * @query: its values are FIELD=VALUE, or PART=VALUE, in any order
 *
 * Returns: (transfer full) (nullable) (element-type utf8): the values of the leading parts, as
 *   much as these have of a field; NULL if the template cannot find what has just these
 */
GPtrArray *
tall_template_choose_values (const TallTemplate *self, const TallTemplateQuery *query)
{
  g_autoptr (GPtrArray) chosen = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) used = g_hash_table_new (NULL, NULL);
  gboolean has_range = query->from != NULL || query->to != NULL;
  for (guint i = 0; i < self->parts->len && g_hash_table_size (used) < query->n_values; i++)
    {
      char *value = NULL;
      gboolean is_all;
      guint at = 0;
      while (at < query->n_values
             && (value = choose_value (get_part (self, i), query->values[at], &is_all)) == NULL)
        at++;
      if (value == NULL)
        return NULL;
      g_ptr_array_add (chosen, value);
      if (is_all)
        g_hash_table_add (used, GUINT_TO_POINTER (at));
    }
  gboolean fits =
      g_hash_table_size (used) == query->n_values && (!has_range || chosen->len < self->parts->len);
  return fits ? g_steal_pointer (&chosen) : NULL;
}

/**
 * tall_template_find_part:
 * @given: FIELD=VALUE
 *
 * Returns: (transfer full) (nullable): PART=VALUE, if the template begins with a part of that field
 *   and does not have all of the value
 */
char *
tall_template_find_part (const TallTemplate *self, const char *given)
{
  const Part *first = get_part (self, 0);
  const char *value = find_value (given, first->name);
  if (value == NULL || get_most (first) == 0 || !g_utf8_validate (value, -1, NULL))
    return NULL;
  for (guint i = 0; i < self->parts->len; i++)
    if (find_value (given, get_part (self, i)->name) != NULL && is_just (get_part (self, i), value))
      return NULL;
  g_autofree char *cut = cut_value (first, value);
  return g_strconcat (first->text, "=", cut, NULL);
}
