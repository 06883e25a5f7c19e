/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/sql/query-private.h"

#include "base/fail.h"
#include "load/mapping/value.h"
#include "tall-json.h"

#include <string.h>

__extension__ typedef __int128 Wide;

#define RATE_PLACES 9 /* of a discount */
#define SCALE_UNSAID (-1)

/* What SQLite hands to a function. */
typedef struct
{
  TallQuery *query;
  char operation; /* of dec() */
} Function;

static TallQuery *
get_query (sqlite3_context *context)
{
  return ((const Function *)sqlite3_user_data (context))->query;
}

static Wide
get_power (guint exponent)
{
  Wide power = 1;
  while (exponent-- > 0)
    power *= 10;
  return power;
}

static gboolean
is_nothing (sqlite3_value *value)
{
  return sqlite3_value_type (value) == SQLITE_NULL || sqlite3_value_bytes (value) == 0;
}

static void
set_text (sqlite3_context *context, const char *text)
{
  sqlite3_result_text (context, text, -1, SQLITE_TRANSIENT);
}

static void
set_decimal (sqlite3_context *context, TallDecimal decimal)
{
  char text[TALL_DECIMAL_TEXT_SIZE];
  set_text (context, tall_decimal_format (decimal, text));
}

/* A value that a function does not take rejects the row: what it gives says why, wherever the query
 * hands it on to. */
static void G_GNUC_PRINTF (2, 3) refuse (sqlite3_context *context, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *why = g_strdup_vprintf (format, args);
  va_end (args);
  g_autofree char *text = g_strconcat (TALL_QUERY_FAULT, why, NULL);
  tall_query_note_refused (get_query (context), why);
  set_text (context, text);
}

static gboolean
is_fault (const char *text)
{
  return text != NULL && g_str_has_prefix (text, TALL_QUERY_FAULT);
}

/* FALSE if one is nothing, or not a number: then what the function gives is set. */
static gboolean
read_decimals (sqlite3_context *context, guint n, sqlite3_value **values, TallDecimal *decimals)
{
  for (guint i = 0; i < n; i++)
    if (is_nothing (values[i]))
      return FALSE;
  for (guint i = 0; i < n; i++)
    {
      const char *text = (const char *)sqlite3_value_text (values[i]);
      gboolean is_float = sqlite3_value_type (values[i]) == SQLITE_FLOAT;
      if (!is_float && text != NULL && tall_decimal_parse (text, -1, &decimals[i], NULL))
        continue;
      if (is_float)
        refuse (context, "“%s” is a floating-point number, which is not exact", text);
      else if (is_fault (text))
        set_text (context, text);
      else
        refuse (context, "“%s” is not a number such as -1234.50; number() reads others", text);
      return FALSE;
    }
  return TRUE;
}

static gboolean
fits (Wide value)
{
  return value >= G_MININT64 && value <= G_MAXINT64;
}

/* Rounds halves away from zero. */
static Wide
divide_rounding (Wide value, Wide by)
{
  Wide half = by / 2;
  return (value < 0 ? value - half : value + half) / by;
}

/* Makes a decimal of so many places, or, unless they are said, of as many as are needed. */
static gboolean
narrow (Wide value, guint scale, int wanted, TallDecimal *decimal)
{
  if (wanted >= 0 && (guint)wanted < scale)
    value = divide_rounding (value, get_power (scale - (guint)wanted));
  for (; wanted > (int)scale && fits (value); scale++)
    value *= 10;
  while (wanted < 0 && scale > 0 && value % 10 == 0
         && (scale > TALL_DECIMAL_MAX_SCALE || !fits (value)))
    {
      value /= 10;
      scale--;
    }
  scale = wanted >= 0 ? (guint)wanted : scale;
  *decimal = TALL_DECIMAL ((gint64)value, scale);
  return fits (value) && scale <= TALL_DECIMAL_MAX_SCALE;
}

/* Of at most so many places. Returns FALSE if it does not fit, or, with unsaid places, if it does
 * not come out. */
static gboolean
divide (TallDecimal a, TallDecimal b, int wanted, TallDecimal *result)
{
  gboolean negative = (a.unscaled < 0) != (b.unscaled < 0);
  Wide up = a.unscaled, down = b.unscaled;
  up = (up < 0 ? -up : up) * get_power (b.scale > a.scale ? b.scale - a.scale : 0);
  down = (down < 0 ? -down : down) * get_power (a.scale > b.scale ? a.scale - b.scale : 0);
  Wide value = up / down, rest = up % down;
  guint scale = 0, most = wanted >= 0 ? (guint)wanted : TALL_DECIMAL_MAX_SCALE;
  for (; scale < most && rest != 0 && fits (value); scale++)
    {
      value = value * 10 + rest * 10 / down;
      rest = rest * 10 % down;
    }
  if (wanted >= 0 && rest * 2 >= down)
    value++;
  *result = TALL_DECIMAL ((gint64)(negative ? -value : value), scale);
  return fits (value) && (rest == 0 || (wanted >= 0 && scale == most));
}

/* What dec_add() and its like do. */
static gboolean
compute (char operation, TallDecimal a, TallDecimal b, int wanted, TallDecimal *result)
{
  guint scale = MAX (a.scale, b.scale);
  Wide left = (Wide)a.unscaled * get_power (scale - a.scale);
  Wide right = (Wide)b.unscaled * get_power (scale - b.scale);
  if (operation == '*')
    return narrow ((Wide)a.unscaled * b.unscaled, a.scale + b.scale, wanted, result);
  if (operation == '/')
    return divide (a, b, wanted, result);
  return narrow (operation == '+' ? left + right : left - right, scale, wanted, result);
}

static void
dec (sqlite3_context *context, int n, sqlite3_value **values)
{
  char operation = ((const Function *)sqlite3_user_data (context))->operation;
  TallDecimal of[2], result;
  if (!read_decimals (context, 2, values, of))
    return;
  int wanted =
      n < 3 ? SCALE_UNSAID : CLAMP (sqlite3_value_int (values[2]), 0, TALL_DECIMAL_MAX_SCALE);
  if (operation == '/' && of[1].unscaled == 0)
    refuse (context, "%s is divided by 0", sqlite3_value_text (values[0]));
  else if (compute (operation, of[0], of[1], wanted, &result))
    set_decimal (context, result);
  else
    refuse (context,
            "%s %c %s has more digits than a number holds; say how many places it gets, as in "
            "dec_mul(a, b, 2)",
            sqlite3_value_text (values[0]), operation, sqlite3_value_text (values[1]));
}

/* Less than 0, 0, or more: texts compare as texts, and 9 comes after 10 then. */
static void
dec_cmp (sqlite3_context *context, int n G_GNUC_UNUSED, sqlite3_value **values)
{
  TallDecimal of[2];
  if (read_decimals (context, 2, values, of))
    sqlite3_result_int (context, tall_decimal_compare (of[0], of[1]));
}

/* Rejects the row, as the query says why. */
static void
reject (sqlite3_context *context, int n G_GNUC_UNUSED, sqlite3_value **values)
{
  const char *why = (const char *)sqlite3_value_text (values[0]);
  refuse (context, "%s", why != NULL ? why : "the query says so");
}

/* Which part of price × quantity an amount is. With more places the total of an order would have
 * more digits than a number holds; with these it is exact to the cent up to a million. */
static void
discount_rate (sqlite3_context *context, int n G_GNUC_UNUSED, sqlite3_value **values)
{
  TallDecimal of[3], total, rate;
  if (!read_decimals (context, 3, values, of))
    return;
  if (of[0].unscaled == 0)
    set_text (context, "0");
  else if (compute ('*', of[1], of[2], SCALE_UNSAID, &total) && total.unscaled != 0
           && divide (of[0], total, RATE_PLACES, &rate))
    set_decimal (context, rate);
  else
    refuse (context, "%s is not a part of %s × %s", sqlite3_value_text (values[0]),
            sqlite3_value_text (values[1]), sqlite3_value_text (values[2]));
}

/* How numbers, or dates, are written: what a function's other arguments say. */
typedef struct
{
  TallValueFormat format;
  gboolean is_percent;
  TallArena *arena; /* of the texts of @format */
} Form;

static void
form_free (gpointer data)
{
  Form *self = data;
  g_clear_pointer (&self->format.zone, g_time_zone_unref);
  tall_arena_free (self->arena);
  g_free (self);
}

/* What stands before, or after, the number of a form: a sign of a currency. */
static void
add_sign (Form *self, const char *start, const char *end)
{
  const char *before = self->format.signs;
  g_autofree char *sign = g_strstrip (g_strndup (start, (gsize)(end - start)));
  if (*sign != '\0')
    self->format.signs = tall_arena_printf (self->arena, "%s%s%s", before != NULL ? before : "",
                                            before != NULL ? " " : "", sign);
}

/* Reads a form such as `($1,234.5)`. */
static gboolean
read_number_form (Form *self, const char *text)
{
  const char *end = text + strlen (text);
  const char *one = strchr (text, '1'), *many = one != NULL ? strstr (one, "234") : NULL;
  const char *point = many != NULL ? many + strlen ("234") : "";
  if ((*point != '.' && *point != ',') || point[1] != '5')
    return FALSE;
  self->format.decimal_comma = *point == ',';
  if (many > one + 1)
    self->format.thousands = tall_arena_strndup (self->arena, one + 1, (gsize)(many - one - 1));
  if (*text == '(' && end[-1] == ')')
    {
      self->format.negative = TALL_NEGATIVE_PARENTHESES;
      text++;
      end--;
    }
  else if (end[-1] == '-')
    {
      self->format.negative = TALL_NEGATIVE_TRAILING;
      end--;
    }
  self->is_percent = end[-1] == '%';
  add_sign (self, text, one);
  add_sign (self, point + 2, end - self->is_percent);
  return g_strcmp0 (self->format.thousands, *point == ',' ? "," : ".") != 0;
}

static gboolean
read_number_arguments (Form *self, int n G_GNUC_UNUSED, sqlite3_value **values, GError **error)
{
  const char *text = (const char *)sqlite3_value_text (values[1]);
  return (text != NULL && read_number_form (self, text))
         || tall_error_fail_invalid (error, NULL,
                                     "number() takes 1234.5 in the form of the file, such as "
                                     "'1.234,5' or '($1,234.5)', not “%s”",
                                     text);
}

/* Reads the forms of dates, a zone, and the first year that two digits mean. */
static gboolean
read_date_arguments (Form *self, int n, sqlite3_value **values, GError **error)
{
  const char *forms = (const char *)sqlite3_value_text (values[1]);
  const char *zone = n > 2 ? (const char *)sqlite3_value_text (values[2]) : NULL;
  self->format.first_year = n > 3 ? (guint)CLAMP (sqlite3_value_int (values[3]), 0, 9900) : 0;
  forms = tall_arena_strdup (self->arena, forms != NULL ? forms : "");
  if (!tall_value_format_set_dates (&self->format, forms, error))
    {
      g_prefix_error (error, "date_of(): ");
      return FALSE;
    }
  if (zone != NULL && *zone != '\0')
    self->format.zone = g_time_zone_new_identifier (zone);
  if (zone != NULL && *zone != '\0' && self->format.zone == NULL)
    return tall_error_fail_invalid (error, NULL,
                                    "date_of(): there is no time zone “%s”; write one such as "
                                    "Europe/Berlin, or +01:00",
                                    zone);
  return !self->format.needs_year || self->format.first_year != 0
         || tall_error_fail_invalid (error, NULL,
                                     "date_of(): %%y needs the first year that two digits mean: "
                                     "date_of(text, '%s', 'UTC', 1970)",
                                     forms);
}

/* SQLite keeps the form for all rows of which it is the same. */
static const Form *
get_form (sqlite3_context *context,
          int n,
          sqlite3_value **values,
          gboolean (*read) (Form *self, int n, sqlite3_value **values, GError **error))
{
  g_autoptr (GError) error = NULL;
  Form *form = sqlite3_get_auxdata (context, 1);
  if (form != NULL)
    return form;
  form = g_new0 (Form, 1);
  form->arena = tall_arena_new (0);
  if (read (form, n, values, &error))
    {
      sqlite3_set_auxdata (context, 1, form, form_free);
      return sqlite3_get_auxdata (context, 1);
    }
  form_free (form);
  sqlite3_result_error (context, error->message, -1);
  return NULL;
}

static void
number (sqlite3_context *context, int n, sqlite3_value **values)
{
  static const Form plain = { 0 };
  TallDecimal decimal;
  const Form *form = n == 2 ? get_form (context, n, values, read_number_arguments) : &plain;
  const char *given = (const char *)sqlite3_value_text (values[0]);
  if (form == NULL || given == NULL)
    return;
  if (is_fault (given))
    {
      set_text (context, given);
      return;
    }
  if (n == 1 && sqlite3_value_type (values[0]) == SQLITE_TEXT
      && tall_decimal_parse (given, -1, &decimal, NULL))
    {
      sqlite3_result_value (context, values[0]);
      return;
    }
  g_autofree char *text = g_strstrip (g_strdup (given));
  gsize len = strlen (text);
  if (len == 0)
    return;
  if (form->is_percent && text[len - 1] == '%')
    text[len - 1] = '\0';
  gboolean ok = sqlite3_value_type (values[0]) != SQLITE_FLOAT
                && tall_parse_decimal (g_strchomp (text), &form->format, &decimal, NULL);
  if (ok && form->is_percent)
    decimal.scale += 2;
  if (ok && decimal.scale <= TALL_DECIMAL_MAX_SCALE)
    set_decimal (context, decimal);
  else
    refuse (context, "number(): “%s” is not a number of the form %s", given,
            n == 2 ? (const char *)sqlite3_value_text (values[1]) : "1234.5");
}

static void
date_of (sqlite3_context *context, int n, sqlite3_value **values)
{
  g_autoptr (GError) error = NULL;
  gint64 date;
  char text[TALL_DATE_TEXT_SIZE];
  const Form *form = get_form (context, n, values, read_date_arguments);
  if (form == NULL || is_nothing (values[0]))
    return;
  const char *given = (const char *)sqlite3_value_text (values[0]);
  if (is_fault (given))
    set_text (context, given);
  else if (!tall_parse_date (given, &form->format, &date, &error))
    refuse (context, "date_of(): %s", error->message);
  else if (form->format.dates == TALL_DATES_ISO && form->format.zone == NULL)
    sqlite3_result_value (context, values[0]);
  else
    set_text (context, tall_date_format (date, text));
}

/* The last value of a window that is not empty. */
typedef struct
{
  sqlite3_value *value; /* NULL: there was none */
  guint64 at;           /* its place among those that came */
  guint64 n_in;         /* that came … */
  guint64 n_out;        /* … and went */
} Filled;

static void
filled_step (sqlite3_context *context, int n G_GNUC_UNUSED, sqlite3_value **values)
{
  Filled *self = sqlite3_aggregate_context (context, sizeof *self);
  if (self == NULL)
    return;
  self->n_in++;
  if (is_nothing (values[0]))
    return;
  sqlite3_value_free (self->value);
  self->value = sqlite3_value_dup (values[0]);
  self->at = self->n_in;
}

static void
filled_inverse (sqlite3_context *context, int n G_GNUC_UNUSED, sqlite3_value **values G_GNUC_UNUSED)
{
  Filled *self = sqlite3_aggregate_context (context, sizeof *self);
  if (self != NULL)
    self->n_out++;
}

static void
filled_value (sqlite3_context *context)
{
  Filled *self = sqlite3_aggregate_context (context, 0);
  if (self != NULL && self->value != NULL && self->at > self->n_out)
    sqlite3_result_value (context, self->value);
}

static void
filled_final (sqlite3_context *context)
{
  Filled *self = sqlite3_aggregate_context (context, 0);
  filled_value (context);
  if (self != NULL)
    sqlite3_value_free (self->value);
}

/* The text of a row by its place, and, without one, the text and the place of the row that is read:
 * they go along where rows are sorted. */
static void
row_text (sqlite3_context *context, int n, sqlite3_value **values)
{
  TallQuery *self = get_query (context);
  TallSlice text = self->current.raw;
  sqlite3_stmt *found =
      n == 1 ? tall_query_find_text (self, sqlite3_value_int64 (values[0])) : NULL;
  if (found != NULL)
    sqlite3_result_value (context, sqlite3_column_value (found, 0));
  else if (n == 0 && self->is_at_row)
    sqlite3_result_blob64 (context, text.data, text.len, SQLITE_TRANSIENT);
}

static void
row_place (sqlite3_context *context, int n G_GNUC_UNUSED, sqlite3_value **values G_GNUC_UNUSED)
{
  const TallQuery *self = get_query (context);
  if (self->is_at_row)
    sqlite3_result_int64 (context, tall_query_get_place (&self->current));
}

/* Returns: FALSE if there is no memory */
gboolean
tall_query_add_functions (TallQuery *self)
{
  static const struct
  {
    const char *name;
    int least, most; /* arguments */
    void (*run) (sqlite3_context *context, int n, sqlite3_value **values);
    char operation; /* of dec() */
  } functions[] = {
    { "date_of", 2, 4, date_of },
    { "number", 1, 2, number },
    { "dec_add", 2, 3, dec, '+' },
    { "dec_sub", 2, 3, dec, '-' },
    { "dec_mul", 2, 3, dec, '*' },
    { "dec_div", 2, 3, dec, '/' },
    { "dec_cmp", 2, 2, dec_cmp },
    { "discount_rate", 3, 3, discount_rate },
    { "reject", 1, 1, reject },
    { "tallorder_text", 0, 1, row_text },
    { "tallorder_place", 0, 0, row_place },
  };
  const int pure = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  sqlite3 *db = tall_temp_db_get (self->temp);
  int code = SQLITE_OK;
  for (guint i = 0; i < G_N_ELEMENTS (functions) && code == SQLITE_OK; i++)
    {
      gboolean is_of_row = functions[i].run == row_text || functions[i].run == row_place;
      for (int n = functions[i].least; n <= functions[i].most && code == SQLITE_OK; n++)
        {
          const Function data = { self, functions[i].operation };
          code =
              sqlite3_create_function_v2 (db, functions[i].name, n, is_of_row ? SQLITE_UTF8 : pure,
                                          g_memdup2 (&data, sizeof data), functions[i].run, NULL,
                                          NULL, g_free);
        }
    }
  return code == SQLITE_OK
         && sqlite3_create_window_function (db, "last_filled", 1, pure, NULL, filled_step,
                                            filled_final, filled_value, filled_inverse, NULL)
                == SQLITE_OK;
}
