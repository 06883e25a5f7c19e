/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-field.h"
#include "tall-error.h"
#include "tall-json.h"

#include <stddef.h>
#include <stdio.h>

#define ADDRESS(scope)                                                                             \
  { scope, "address.line1", TALL_FIELD_ADDRESS, offsetof (TallAddress, line1), 0 },                \
      { scope, "address.line2", TALL_FIELD_ADDRESS, offsetof (TallAddress, line2), 0 },            \
      { scope, "address.city", TALL_FIELD_ADDRESS, offsetof (TallAddress, city), 0 },              \
      { scope, "address.state", TALL_FIELD_ADDRESS, offsetof (TallAddress, state), 0 },            \
      { scope, "address.zip", TALL_FIELD_ADDRESS, offsetof (TallAddress, zip), 0 },                \
  {                                                                                                \
    scope, "address.country", TALL_FIELD_ADDRESS, offsetof (TallAddress, country), 0               \
  }

static const TallField fields[] = {
  { TALL_SCOPE_ORDER, "customer_number", TALL_FIELD_CUSTOMER_NUMBER, 0, 0 },
  { TALL_SCOPE_ORDER, "order_number", TALL_FIELD_ORDER_NUMBER, 0, 0 },
  { TALL_SCOPE_ORDER, "sales_date", TALL_FIELD_DATE, offsetof (TallOrder, sales_date),
    offsetof (TallOrder, has_sales_date) },
  { TALL_SCOPE_ORDER, "currency", TALL_FIELD_TEXT, offsetof (TallOrder, currency), 0 },
  { TALL_SCOPE_ORDER, "attribute.NAME", TALL_FIELD_ATTRIBUTE, 0, 0 },

  { TALL_SCOPE_LOCATION, "number", TALL_FIELD_POSITION, 0, 0 },
  { TALL_SCOPE_LOCATION, "name", TALL_FIELD_TEXT, offsetof (TallShippingLocation, name), 0 },
  ADDRESS (TALL_SCOPE_LOCATION),
  { TALL_SCOPE_LOCATION, "ship_date", TALL_FIELD_DATE, offsetof (TallShippingLocation, ship_date),
    offsetof (TallShippingLocation, has_ship_date) },

  { TALL_SCOPE_LINE, "number", TALL_FIELD_POSITION, 0, 0 },
  { TALL_SCOPE_LINE, "item_number", TALL_FIELD_TEXT, offsetof (TallLineItem, item_number), 0 },
  { TALL_SCOPE_LINE, "description", TALL_FIELD_TEXT, offsetof (TallLineItem, description), 0 },
  { TALL_SCOPE_LINE, "quantity", TALL_FIELD_DECIMAL, offsetof (TallLineItem, quantity),
    offsetof (TallLineItem, has_quantity) },
  { TALL_SCOPE_LINE, "price", TALL_FIELD_DECIMAL, offsetof (TallLineItem, price),
    offsetof (TallLineItem, has_price) },
  { TALL_SCOPE_LINE, "discount", TALL_FIELD_DISCOUNT, offsetof (TallLineItem, discount),
    offsetof (TallLineItem, has_discount) },

  { TALL_SCOPE_CUSTOMER, "number", TALL_FIELD_CUSTOMER_NUMBER, 0, 0 },
  { TALL_SCOPE_CUSTOMER, "name", TALL_FIELD_TEXT, offsetof (TallCustomer, name), 0 },
  ADDRESS (TALL_SCOPE_CUSTOMER),
  { TALL_SCOPE_CUSTOMER, "phones", TALL_FIELD_PHONES, 0, 0 },
  { TALL_SCOPE_CUSTOMER, "email", TALL_FIELD_TEXT, offsetof (TallCustomer, email), 0 },
  { TALL_SCOPE_CUSTOMER, "attribute.NAME", TALL_FIELD_ATTRIBUTE, 0, 0 },
};

/**
 * tall_fields:
 * @n: (out): how many
 *
 * Returns: (transfer none): all fields, by scope
 */
const TallField *
tall_fields (guint *n)
{
  *n = G_N_ELEMENTS (fields);
  return fields;
}

/**
 * tall_field_find:
 * @name: such as `sales_date` or `attribute.freight`
 *
 * Returns: (transfer none) (nullable): the field; NULL if there is none of that name
 */
const TallField *
tall_field_find (TallFieldScope scope, const char *name)
{
  gboolean is_attribute =
      g_str_has_prefix (name, "attribute.") && name[strlen ("attribute.")] != '\0';
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    if (fields[i].scope == scope
        && (fields[i].type == TALL_FIELD_ATTRIBUTE ? is_attribute
                                                   : g_str_equal (fields[i].name, name)))
      return &fields[i];
  return NULL;
}

const char *
tall_field_scope_name (TallFieldScope scope)
{
  static const char *const names[TALL_N_SCOPES] = { "order", "location", "line", "customer" };
  return names[scope];
}

/**
 * tall_field_fault:
 *
 * Returns: (transfer none): what a text is that does not fit the field, whatever it says
 */
const char *
tall_field_fault (const TallField *self)
{
  switch (self->type)
    {
    case TALL_FIELD_POSITION:
      return "is not the number of a location or line";
    case TALL_FIELD_DATE:
      return "is not a date of the form that the mapping names";
    case TALL_FIELD_DECIMAL:
      return "is not a number";
    case TALL_FIELD_DISCOUNT:
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
add_phone (TallCustomer *customer, const char *text)
{
  char **phones = tall_arena_newa0 (customer->arena, char *, customer->n_phones + 1);
  if (customer->n_phones > 0)
    memcpy (phones, customer->phones, customer->n_phones * sizeof (char *));
  phones[customer->n_phones++] = tall_arena_strdup (customer->arena, text);
  customer->phones = phones;
}

#define MEMBER(type, base, offset) ((type *)(gpointer)((guint8 *)(base) + (offset)))

/**
 * tall_field_set:
 * @arena: where texts go
 * @target: the struct of the field's scope
 * @address: (inout): the target's address, made if the field belongs to it
 * @text: what the column holds
 *
 * Gives one field its value. Numbers of orders, customers, locations and lines, and attributes, are
 * their caller's.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if @text does not fit the field
 */
gboolean
tall_field_set (const TallField *self,
                const TallValueFormat *format,
                TallArena *arena,
                gpointer target,
                TallAddress **address,
                const char *text,
                GError **error)
{
  switch (self->type)
    {
    case TALL_FIELD_TEXT:
      *MEMBER (char *, target, self->offset) = tall_arena_strdup (arena, text);
      return TRUE;
    case TALL_FIELD_ADDRESS:
      if (*address == NULL)
        *address = tall_arena_new0 (arena, TallAddress);
      *MEMBER (char *, *address, self->offset) = tall_arena_strdup (arena, text);
      return TRUE;
    case TALL_FIELD_PHONES:
      add_phone (target, text);
      return TRUE;
    case TALL_FIELD_DATE:
      *MEMBER (gboolean, target, self->has_offset) = TRUE;
      return tall_parse_date (text, format->dates, MEMBER (gint64, target, self->offset), error);
    case TALL_FIELD_DECIMAL:
      *MEMBER (gboolean, target, self->has_offset) = TRUE;
      return parse_decimal (text, format->decimal_comma, MEMBER (TallDecimal, target, self->offset),
                            error);
    case TALL_FIELD_DISCOUNT:
      *MEMBER (gboolean, target, self->has_offset) = TRUE;
      return parse_discount (text, format, MEMBER (TallDecimal, target, self->offset), error);
    default:
      g_return_val_if_reached (FALSE);
    }
}
