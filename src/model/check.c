/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/check.h"

#include "base/fail.h"
#include "base/text.h"
#include "tall-limits.h"

static char *check_path (const TallCheck *self, const char *field);

/* Where a location or line with a number stands in the lists as they were given. */
typedef struct
{
  gint32 number;
  guint location;
  guint line; /* TALL_NOWHERE: the location itself */
} Place;

static gboolean
check_counts (const TallOrder *self, GError **error)
{
  guint64 n = self->n_shipping_locations + self->n_adjustments;
  for (guint i = 0; i < self->n_shipping_locations; i++)
    n += self->shipping_locations[i]->n_line_items;
  if (n <= TALL_MAX_LINES_AND_LOCATIONS)
    return TRUE;

  return tall_error_fail (error, TALL_ERROR_TOO_LARGE,
                          "an order has at most %d lines, locations and adjustments together, this "
                          "one has %" G_GUINT64_FORMAT ": split it",
                          TALL_MAX_LINES_AND_LOCATIONS, n);
}

static gboolean
check_location (TallCheck *check, TallShippingLocation *location)
{
  if (!tall_check_fields (check, &tall_model_location, location))
    return FALSE;

  for (check->line = 0; check->line < location->n_line_items; check->line++)
    if (!tall_check_fields (check, &tall_model_line, location->line_items[check->line]))
      return FALSE;
  check->line = TALL_NOWHERE;
  return TRUE;
}

static gboolean
check_order (TallOrder *self, TallCheck *check)
{
  if (!tall_check_fields (check, &tall_model_order, self))
    return FALSE;

  for (check->location = 0; check->location < self->n_shipping_locations; check->location++)
    if (!check_location (check, self->shipping_locations[check->location]))
      return FALSE;
  check->location = TALL_NOWHERE;
  return TRUE;
}

/* TRUE if the numbers of locations, and those of all lines together, strictly ascend, as they
 * nearly always do. Then no number is there twice either. */
static gboolean
is_ascending (const TallOrder *self)
{
  gint32 last_location = 0;
  gint32 last_line = 0;
  for (guint i = 0; i < self->n_shipping_locations; i++)
    {
      const TallShippingLocation *location = self->shipping_locations[i];
      if (location->number <= last_location)
        return FALSE;
      last_location = location->number;

      for (guint k = 0; k < location->n_line_items; k++)
        {
          if (location->line_items[k]->number <= last_line)
            return FALSE;
          last_line = location->line_items[k]->number;
        }
    }
  return TRUE;
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const Place *left = a;
  const Place *right = b;
  if (left->number != right->number)
    return left->number < right->number ? -1 : 1;
  if (left->location != right->location)
    return left->location < right->location ? -1 : 1;
  return (left->line > right->line) - (left->line < right->line);
}

/* Sorts @places and refuses a number that is there twice. */
static gboolean
check_unique (GArray *places, GError **error)
{
  g_array_sort (places, compare_places);
  for (guint i = 1; i < places->len; i++)
    {
      const Place *first = &g_array_index (places, Place, i - 1);
      const Place *second = &g_array_index (places, Place, i);
      if (first->number != second->number)
        continue;

      TallCheck check = TALL_CHECK_INIT (error);
      check.location = first->location;
      check.line = first->line;
      g_autofree char *other = check_path (&check, NULL);
      check.location = second->location;
      check.line = second->line;
      if (second->line == TALL_NOWHERE)
        return tall_check_fail (
            &check, "number",
            "%s has the same number %d; a location’s number is unique in the order", other,
            second->number);
      return tall_check_fail (
          &check, "number",
          "%s has the same number %d; a line’s number is unique in the whole order", other,
          second->number);
    }
  return TRUE;
}

static gboolean
check_duplicates (const TallOrder *self, GError **error)
{
  g_autoptr (GArray) locations = g_array_new (FALSE, FALSE, sizeof (Place));
  g_autoptr (GArray) lines = g_array_new (FALSE, FALSE, sizeof (Place));
  for (guint i = 0; i < self->n_shipping_locations; i++)
    {
      const TallShippingLocation *location = self->shipping_locations[i];
      Place place = { location->number, i, TALL_NOWHERE };
      g_array_append_val (locations, place);
      for (guint k = 0; k < location->n_line_items; k++)
        {
          Place line = { location->line_items[k]->number, i, k };
          g_array_append_val (lines, line);
        }
    }
  return check_unique (locations, error) && check_unique (lines, error);
}

static int
compare_locations (gconstpointer a, gconstpointer b)
{
  gint32 left = (*(TallShippingLocation *const *)a)->number;
  gint32 right = (*(TallShippingLocation *const *)b)->number;
  return (left > right) - (left < right);
}

static int
compare_lines (gconstpointer a, gconstpointer b)
{
  gint32 left = (*(TallLineItem *const *)a)->number;
  gint32 right = (*(TallLineItem *const *)b)->number;
  return (left > right) - (left < right);
}

static void
sort_lists (TallOrder *self)
{
  for (guint i = 0; i < self->n_shipping_locations; i++)
    {
      TallShippingLocation *location = self->shipping_locations[i];
      if (location->n_line_items > 1)
        qsort (location->line_items, location->n_line_items, sizeof (TallLineItem *),
               compare_lines);
    }
  if (self->n_shipping_locations > 1)
    qsort (self->shipping_locations, self->n_shipping_locations, sizeof (TallShippingLocation *),
           compare_locations);
}

/**
 * tall_order_normalize:
 *
 * Checks everything that an order promises (`tall-limits.h` and the comments of the fields), and
 * sorts locations and lines by number and attributes by the bytes of the key. Every order must have
 * passed before it is encoded, stored or compared. Fields are checked before anything is sorted, so
 * that paths in errors count positions as they were given.
 *
 * Returns: FALSE with %TALL_ERROR_TOO_LARGE that names the limit, or with %TALL_ERROR_INVALID and
 *   the field's path
 */
gboolean
tall_order_normalize (TallOrder *self, GError **error)
{
  TallCheck check = TALL_CHECK_INIT (error);
  if (!check_counts (self, error) || !check_order (self, &check))
    return FALSE;

  if (!is_ascending (self))
    {
      if (!check_duplicates (self, error))
        return FALSE;
      sort_lists (self);
    }
  return tall_attributes_sort (self->attributes, self->n_attributes, error)
         && tall_check_size (&check, &self->base, "an order", ": split it");
}

/* Bytes at most of a tag and a length or a varint, of a decimal and of a nested message's frame. */
#define MAX_HEADER 11
#define MAX_DECIMAL 16

/* @field: (nullable): the field at the present place, NULL for the place itself
 *
 * Returns: (transfer full): such as `shipping_locations[2].line_items[0].price` */
static char *
check_path (const TallCheck *self, const char *field)
{
  GString *path = g_string_new (NULL);
  if (self->location != TALL_NOWHERE)
    g_string_append_printf (path, "shipping_locations[%u]", self->location);
  if (self->line != TALL_NOWHERE)
    g_string_append_printf (path, ".line_items[%u]", self->line);
  if (self->parent != NULL)
    g_string_append_printf (path, "%s%s", path->len > 0 ? "." : "", self->parent);
  if (self->index != TALL_NOWHERE)
    g_string_append_printf (path, "[%u]", self->index);
  if (field != NULL)
    g_string_append_printf (path, "%s%s", path->len > 0 ? "." : "", field);
  return g_string_free (path, FALSE);
}

/**
 * tall_check_fail:
 *
 * Sets %TALL_ERROR_INVALID with the path of @field, which the message begins with.
 *
 * Returns: FALSE
 */
gboolean
tall_check_fail (const TallCheck *self, const char *field, const char *format, ...)
{
  g_autofree char *path = check_path (self, field);
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  return tall_error_fail_invalid (self->error, path, "%s: %s", path, what);
}

/* U+0000–001F, U+007F and U+0080–009F; @text is UTF-8. */
static gboolean
has_control (const char *text, gsize len)
{
  const guint8 *bytes = (const guint8 *)text;
  for (gsize i = 0; i < len; i++)
    if (bytes[i] < 0x20 || bytes[i] == 0x7f || (bytes[i] == 0xc2 && bytes[i + 1] < 0xa0))
      return TRUE;
  return FALSE;
}

/**
 * tall_check_number:
 *
 * A customer or order number, or a kind of adjustments: UTF-8, 1 to %TALL_MAX_NUMBER_BYTES bytes,
 * no control characters.
 */
gboolean
tall_check_number (TallCheck *self, const char *field, const char *text)
{
  if (text == NULL)
    return tall_check_fail (self, field, "it is missing");
  if (text[0] == '\0')
    return tall_check_fail (self, field, "it must not be empty");

  gsize len = strlen (text);
  self->size += len + MAX_HEADER;
  if (len > TALL_MAX_NUMBER_BYTES)
    {
      g_autofree char *path = check_path (self, field);
      return tall_error_fail (self->error, TALL_ERROR_TOO_LARGE,
                              "%s: it may have at most %d bytes, and has %" G_GSIZE_FORMAT, path,
                              TALL_MAX_NUMBER_BYTES, len);
    }
  if (!tall_text_is_utf8 (tall_slice (text, len)))
    return tall_check_fail (self, field, "it is not valid UTF-8");
  if (has_control (text, len))
    return tall_check_fail (self, field, "it must not contain control characters");
  return TRUE;
}

/**
 * tall_validate_number:
 * @field: the field's path, for the error
 *
 * Returns: FALSE with %TALL_ERROR_INVALID or %TALL_ERROR_TOO_LARGE if @text cannot be a customer
 *   number or order number
 */
gboolean
tall_validate_number (const char *text, const char *field, GError **error)
{
  TallCheck check = TALL_CHECK_INIT (error);
  return tall_check_number (&check, field, text);
}

/* @text: (nullable): absent is fine */
gboolean
tall_check_text (TallCheck *self, const char *field, const char *text)
{
  if (text == NULL)
    return TRUE;

  gsize len = strlen (text);
  self->size += len + MAX_HEADER;
  if (!tall_text_is_utf8 (tall_slice (text, len)))
    return tall_check_fail (self, field, "the text is not valid UTF-8");
  return TRUE;
}

static gboolean
check_position (TallCheck *self, const char *field, gint32 number)
{
  self->size += 2 * MAX_HEADER; /* with the frame of the location or line whose number it is */
  if (number < 1)
    return tall_check_fail (self, field, "%d is out of range, numbers start at 1", number);
  return TRUE;
}

static gboolean
check_date (TallCheck *self, const char *field, gint64 date)
{
  self->size += MAX_HEADER;
  if (date < TALL_MIN_DATE || date > TALL_MAX_DATE)
    return tall_check_fail (self, field,
                            "%" G_GINT64_FORMAT " ms since 1970 lies outside the years 1 to 9999",
                            date);
  return TRUE;
}

/* @decimal: (nullable) */
static gboolean
check_decimal (TallCheck *self, const TallModelField *field, TallDecimal *decimal)
{
  if (decimal == NULL)
    return !tall_model_field_is_required (field)
           || tall_check_fail (self, field->name, "it is missing");

  self->size += MAX_DECIMAL;
  decimal->base.descriptor = &tall_model_decimal;
  if (decimal->scale > TALL_DECIMAL_MAX_SCALE)
    return tall_check_fail (self, field->name, "scale %u is more than %d", decimal->scale,
                            TALL_DECIMAL_MAX_SCALE);
  return TRUE;
}

static gboolean
check_rate (TallCheck *self, const TallModelField *field, TallDecimal *rate)
{
  if (!check_decimal (self, field, rate))
    return FALSE;
  if (rate == NULL || rate->unscaled == 0)
    return TRUE;
  if (rate->unscaled < 0 || tall_decimal_compare (*rate, TALL_DECIMAL (1, 0)) > 0)
    return tall_check_fail (self, field->name, "a %s is a rate from 0 to 1, such as 0.15",
                            field->name);
  return TRUE;
}

static gboolean
check_address_size (const TallCheck *self, gsize size)
{
  if (size <= TALL_MAX_ADDRESS_BYTES)
    return TRUE;

  g_autofree char *path = check_path (self, NULL);
  return tall_error_fail (
      self->error, TALL_ERROR_TOO_LARGE,
      "%s: the texts of an address have at most %d bytes together, these have %" G_GSIZE_FORMAT,
      path, TALL_MAX_ADDRESS_BYTES, size);
}

/* An address, which may be absent. */
static gboolean
check_struct (TallCheck *self, const TallModelField *field, gpointer value)
{
  if (value == NULL)
    return TRUE;

  self->parent = field->name;
  self->size += MAX_HEADER;
  if (!tall_check_fields (self, field->descriptor, value)
      || !check_address_size (self, tall_model_measure_texts (field->descriptor, value)))
    return FALSE;
  self->parent = NULL;
  return TRUE;
}

static gboolean
check_attribute (TallCheck *self, TallAttribute *item)
{
  item->base.descriptor = &tall_model_attribute;
  if (item->key == NULL || item->key[0] == '\0')
    return tall_check_fail (self, "key", "the key of an attribute must not be empty");
  if (item->value == NULL)
    return tall_check_fail (self, "value", "the value of an attribute must be there");
  return tall_check_text (self, "key", item->key) && tall_check_text (self, "value", item->value);
}

static gboolean
check_element (TallCheck *self, const TallModelField *field, gpointer element)
{
  if (field->type != PROTOBUF_C_TYPE_STRING)
    {
      self->size += MAX_HEADER;
      return field->descriptor == &tall_model_attribute
                 ? check_attribute (self, element)
                 : tall_check_fields (self, field->descriptor, element);
    }
  if (element == NULL)
    return tall_check_fail (self, NULL, "a %.*s must be there, it may be empty",
                            (int)strlen (field->name) - 1, field->name);
  return tall_check_text (self, NULL, element);
}

/* Texts, attributes or structs. */
static gboolean
check_elements (TallCheck *self, const TallModelField *field, gconstpointer base)
{
  gpointer const *elements = tall_model_get_pointer (field, base);
  gsize n = *tall_model_count (field, base);
  self->parent = field->name;
  for (self->index = 0; self->index < n; self->index++)
    if (!check_element (self, field, elements[self->index]))
      return FALSE;
  self->parent = NULL;
  self->index = TALL_NOWHERE;
  return TRUE;
}

gboolean
tall_check_field (TallCheck *self, const TallModelField *field, gpointer base)
{
  switch (tall_model_kind (field))
    {
    case TALL_MODEL_NUMBER:
      return tall_check_number (self, field->name, tall_model_get_pointer (field, base));
    case TALL_MODEL_POSITION:
      return !tall_model_has_position (field, base)
             || check_position (self, field->name, *tall_model_position (field, base));
    case TALL_MODEL_TEXT:
      return tall_check_text (self, field->name, tall_model_get_pointer (field, base));
    case TALL_MODEL_DATE:
      return !*tall_model_flag (field, base)
             || check_date (self, field->name, *tall_model_date (field, base));
    case TALL_MODEL_DECIMAL:
      return check_decimal (self, field, tall_model_get_pointer (field, base));
    case TALL_MODEL_RATE:
      return check_rate (self, field, tall_model_get_pointer (field, base));
    case TALL_MODEL_STRUCT:
      return check_struct (self, field, tall_model_get_pointer (field, base));
    case TALL_MODEL_STRUCTS:
    case TALL_MODEL_TEXTS:
    case TALL_MODEL_ATTRIBUTES:
      return check_elements (self, field, base);
    case TALL_MODEL_LIST:
      return TRUE;
    default:
      g_assert_not_reached ();
    }
}

/**
 * tall_check_fields:
 *
 * Checks the fields of a struct. Lists are its caller's, which knows the place of each element.
 * A struct that was only zeroed becomes a message by it.
 */
gboolean
tall_check_fields (TallCheck *self, const TallModelType *type, gpointer base)
{
  ((ProtobufCMessage *)base)->descriptor = type;
  for (guint i = 0; i < type->n_fields; i++)
    if (!tall_check_field (self, &type->fields[i], base))
      return FALSE;
  return TRUE;
}

/**
 * tall_check_size:
 * @what: `an order`, for people
 * @advice: what to do if it is too large, after a colon; or nothing
 *
 * Checks the size of the canonical form, once all fields are checked. It is only computed where the
 * upper bound does not settle it.
 *
 * Returns: FALSE with %TALL_ERROR_TOO_LARGE
 */
gboolean
tall_check_size (const TallCheck *self,
                 const ProtobufCMessage *message,
                 const char *what,
                 const char *advice)
{
  gsize size = self->size;
  if (size > TALL_MAX_CANONICAL_BYTES)
    size = protobuf_c_message_get_packed_size (message);
  if (size <= TALL_MAX_CANONICAL_BYTES)
    return TRUE;

  return tall_error_fail (self->error, TALL_ERROR_TOO_LARGE,
                          "%s has at most %d bytes in canonical form, this one has %" G_GSIZE_FORMAT
                          "%s",
                          what, TALL_MAX_CANONICAL_BYTES, size, advice);
}
