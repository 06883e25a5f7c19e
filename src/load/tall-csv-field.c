/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-csv-field.h"
#include "tall-error.h"
#include "tall-json.h"

#define ORDER_NUMBER "order_number"
#define ATTRIBUTE "attribute."

static const TallModelType *const types[TALL_N_SCOPES] = {
  &tall_model_order,
  &tall_model_location,
  &tall_model_line,
  &tall_model_customer,
};

static void
add_field (GArray *fields, TallCsvScope scope, const TallModelField *field)
{
  TallCsvField added = { scope, field->name, field, NULL };
  if (field->kind == TALL_MODEL_ATTRIBUTES)
    added.name = ATTRIBUTE "NAME";
  if (field->kind != TALL_MODEL_LIST && field->kind != TALL_MODEL_STRUCT)
    g_array_append_val (fields, added);

  for (guint i = 0; field->kind == TALL_MODEL_STRUCT && i < field->type->n_fields; i++)
    {
      const TallModelField *inner = &field->type->fields[i];
      char *name = g_strconcat (field->name, ".", inner->name, NULL);
      added = (TallCsvField){ scope, name, inner, field };
      g_array_append_val (fields, added);
    }
}

static gpointer
make_fields (gpointer data G_GNUC_UNUSED)
{
  GArray *fields = g_array_new (FALSE, FALSE, sizeof (TallCsvField));
  for (guint scope = 0; scope < TALL_N_SCOPES; scope++)
    for (guint i = 0; i < types[scope]->n_fields; i++)
      add_field (fields, scope, &types[scope]->fields[i]);
  return fields;
}

/**
 * tall_csv_fields:
 * @n: (out): how many
 *
 * Returns: (transfer none): all fields, by scope; any thread may call it
 */
const TallCsvField *
tall_csv_fields (guint *n)
{
  static GOnce once = G_ONCE_INIT;
  const GArray *fields = g_once (&once, make_fields, NULL);
  *n = fields->len;
  return (const TallCsvField *)(gpointer)fields->data;
}

/**
 * tall_csv_field_find:
 * @name: such as `sales_date` or `attribute.freight`
 *
 * Returns: (transfer none) (nullable): the field; NULL if there is none of that name
 */
const TallCsvField *
tall_csv_field_find (TallCsvScope scope, const char *name)
{
  gboolean is_attribute = g_str_has_prefix (name, ATTRIBUTE) && name[strlen (ATTRIBUTE)] != '\0';
  guint n;
  const TallCsvField *fields = tall_csv_fields (&n);
  for (guint i = 0; i < n; i++)
    if (fields[i].scope == scope
        && (fields[i].field->kind == TALL_MODEL_ATTRIBUTES ? is_attribute
                                                           : g_str_equal (fields[i].name, name)))
      return &fields[i];
  return NULL;
}

gboolean
tall_csv_field_is_order_number (const TallCsvField *self)
{
  return self->field->kind == TALL_MODEL_NUMBER && g_str_equal (self->name, ORDER_NUMBER);
}

/* The number of an order's customer, or of a customer. */
gboolean
tall_csv_field_is_customer_number (const TallCsvField *self)
{
  return self->field->kind == TALL_MODEL_NUMBER && !g_str_equal (self->name, ORDER_NUMBER);
}

const char *
tall_csv_field_scope_name (TallCsvScope scope)
{
  static const char *const names[TALL_N_SCOPES] = { "order", "location", "line", "customer" };
  return names[scope];
}

/**
 * tall_csv_field_fault:
 *
 * Returns: (transfer none): what a text is that does not fit the field, whatever it says
 */
const char *
tall_csv_field_fault (const TallCsvField *self)
{
  switch (self->field->kind)
    {
    case TALL_MODEL_POSITION:
      return "is not the number of a location or line";
    case TALL_MODEL_DATE:
      return "is not a date of the form that the mapping names";
    case TALL_MODEL_DECIMAL:
      return "is not a number";
    case TALL_MODEL_RATE:
      return "is not a discount";
    default:
      return "is not valid";
    }
}

static gboolean
take_number (const char **text, guint max_digits, guint *number)
{
  guint digits = 0;
  *number = 0;
  while (digits < max_digits && g_ascii_isdigit (**text))
    {
      *number = *number * 10 + (guint)g_ascii_digit_value (**text);
      (*text)++;
      digits++;
    }
  return digits > 0;
}

static gboolean
take_char (const char **text, const char *allowed)
{
  if (**text == '\0' || strchr (allowed, **text) == NULL)
    return FALSE;
  (*text)++;
  return TRUE;
}

/* Nothing, or a space and H:M or H:M:S. */
static gboolean
take_time (const char **text, guint *hour, guint *minute, guint *second)
{
  *hour = *minute = *second = 0;
  if (**text == '\0')
    return TRUE;
  if (!take_char (text, " T") || !take_number (text, 2, hour) || !take_char (text, ":")
      || !take_number (text, 2, minute))
    return FALSE;
  if (take_char (text, ":") && !take_number (text, 2, second))
    return FALSE;
  return **text == '\0' && *hour < 24 && *minute < 60 && *second < 60;
}

/* Day and month as @dates says, then a year of four digits; midnight unless a time follows. */
static gboolean
parse_numeric_date (const char *text, TallDates dates, gint64 *date)
{
  guint day, month, year, hour, minute, second;
  const char *rest = text;
  if (!take_number (&rest, 2, &day) || !take_char (&rest, "/.-") || !take_number (&rest, 2, &month)
      || !take_char (&rest, "/.-"))
    return FALSE;
  const char *year_start = rest;
  if (!take_number (&rest, 4, &year) || rest - year_start != 4
      || !take_time (&rest, &hour, &minute, &second))
    return FALSE;
  if (dates == TALL_DATES_MDY)
    {
      guint swap = day;
      day = month;
      month = swap;
    }
  if (year < 1 || month < 1 || month > 12
      || !g_date_valid_dmy ((GDateDay)day, (GDateMonth)month, (GDateYear)year))
    return FALSE;

  g_autoptr (GDateTime) time =
      g_date_time_new_utc ((gint)year, (gint)month, (gint)day, (gint)hour, (gint)minute, second);
  *date = g_date_time_to_unix (time) * 1000;
  return TRUE;
}

/* Also with a space before the time, and without an offset after it. */
static gboolean
parse_iso_date (const char *text, gint64 *date)
{
  gboolean has_time = strlen (text) > 11;
  gboolean has_offset = has_time && strpbrk (text + 11, "Zz+-") != NULL;
  g_autofree char *iso = g_strconcat (text, has_time && !has_offset ? "Z" : "", NULL);
  if (has_time && iso[10] == ' ' && g_ascii_isdigit (iso[11]))
    iso[10] = 'T';
  return tall_date_parse (iso, date, NULL);
}

/**
 * tall_parse_date:
 * @date: (out): milliseconds since the epoch; what names no offset is UTC
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if @text is no date of that form
 */
gboolean
tall_parse_date (const char *text, TallDates dates, gint64 *date, GError **error)
{
  if (dates == TALL_DATES_ISO)
    {
      if (parse_iso_date (text, date))
        return TRUE;
      tall_error_set_invalid (error, NULL, "“%s” is not a date of the form 1996-07-04", text);
      return FALSE;
    }
  if (parse_numeric_date (text, dates, date))
    return TRUE;
  tall_error_set_invalid (error, NULL, "“%s” is not a date of the form %s", text,
                          dates == TALL_DATES_DMY ? "day/month/year, such as 31/12/2010"
                                                  : "month/day/year, such as 12/31/2010");
  return FALSE;
}

/**
 * tall_parse_position:
 * @number: (out): number of a location or a line
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if @text is not 1 … 2147483647
 */
gboolean
tall_parse_position (const char *text, gint32 *number, GError **error)
{
  guint64 value;
  if (!g_ascii_string_to_unsigned (text, 10, 1, G_MAXINT32, &value, NULL))
    {
      tall_error_set_invalid (error, NULL, "“%s” is not a whole number from 1 to %d", text,
                              G_MAXINT32);
      return FALSE;
    }
  *number = (gint32)value;
  return TRUE;
}

static gboolean
parse_decimal (const char *text, gboolean comma, TallDecimal *decimal, GError **error)
{
  g_autofree char *copy = g_strdup (text);
  gboolean right_point = !comma || strchr (copy, '.') == NULL;
  if (comma)
    g_strdelimit (copy, ",", '.');
  if (right_point && tall_decimal_parse (copy, -1, decimal, NULL))
    return TRUE;
  tall_error_set_invalid (error, NULL,
                          "“%s” is not a number of the form %s with at most 18 decimals", text,
                          comma ? "1234,5" : "1234.5");
  return FALSE;
}

static gboolean
parse_discount (const char *text,
                const TallValueFormat *format,
                TallDecimal *discount,
                GError **error)
{
  g_autofree char *copy = g_strdup (text);
  gsize len = strlen (copy);
  if (format->discount_percent && len > 0 && copy[len - 1] == '%')
    copy[len - 1] = '\0';
  if (!parse_decimal (copy, format->decimal_comma, discount, error))
    return FALSE;
  if (format->discount_percent)
    {
      if (discount->scale > TALL_DECIMAL_MAX_SCALE - 2)
        {
          tall_error_set_invalid (error, NULL, "discount “%s” has more than 16 decimals", text);
          return FALSE;
        }
      discount->scale += 2;
    }
  if (tall_decimal_compare (*discount, (TallDecimal){ 0, 0 }) >= 0
      && tall_decimal_compare (*discount, (TallDecimal){ 1, 0 }) <= 0)
    return TRUE;
  tall_error_set_invalid (error, NULL,
                          format->discount_percent
                              ? "discount “%s” is not from 0 to 100 percent"
                              : "discount “%s” is not a rate from 0 to 1; for percents, write "
                                "“discount = percent” in the mapping",
                          text);
  return FALSE;
}

static void
add_text (const TallModelField *field, TallArena *arena, gpointer base, const char *text)
{
  guint *n = tall_model_count (field, base);
  char **texts = tall_arena_newa0 (arena, char *, *n + 1);
  if (*n > 0)
    memcpy (texts, tall_model_get_pointer (field, base), *n * sizeof (char *));
  texts[(*n)++] = tall_arena_strdup (arena, text);
  tall_model_set_pointer (field, base, texts);
}

/* The address that the field belongs to, made if there is none yet. */
static gpointer
get_address (const TallModelField *field, TallArena *arena, gpointer target)
{
  gpointer address = tall_model_get_pointer (field, target);
  if (address == NULL)
    {
      address = tall_arena_alloc0 (arena, field->type->size);
      tall_model_set_pointer (field, target, address);
    }
  return address;
}

/**
 * tall_csv_field_set:
 * @arena: where texts go
 * @target: the struct of the field's scope
 * @text: what the column holds
 *
 * Gives one field its value. Numbers of orders, customers, locations and lines, and attributes, are
 * their caller's.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if @text does not fit the field
 */
gboolean
tall_csv_field_set (const TallCsvField *self,
                    const TallValueFormat *format,
                    TallArena *arena,
                    gpointer target,
                    const char *text,
                    GError **error)
{
  const TallModelField *field = self->field;
  gpointer base = self->address != NULL ? get_address (self->address, arena, target) : target;
  switch (field->kind)
    {
    case TALL_MODEL_TEXT:
      tall_model_set_pointer (field, base, tall_arena_strdup (arena, text));
      return TRUE;
    case TALL_MODEL_TEXTS:
      add_text (field, arena, base, text);
      return TRUE;
    case TALL_MODEL_DATE:
      *tall_model_flag (field, base) = TRUE;
      return tall_parse_date (text, format->dates, tall_model_date (field, base), error);
    case TALL_MODEL_DECIMAL:
      *tall_model_flag (field, base) = TRUE;
      return parse_decimal (text, format->decimal_comma, tall_model_decimal (field, base), error);
    case TALL_MODEL_RATE:
      *tall_model_flag (field, base) = TRUE;
      return parse_discount (text, format, tall_model_decimal (field, base), error);
    default:
      g_return_val_if_reached (FALSE);
    }
}
