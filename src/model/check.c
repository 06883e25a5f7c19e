/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/check.h"
#include "tall-error.h"
#include "tall-limits.h"
#include "base/text.h"

/* Bytes at most of a tag and a length or a varint, of a decimal and of a nested message's frame. */
#define MAX_HEADER 11
#define MAX_DECIMAL 16

/**
 * tall_check_path:
 * @field: (nullable): the field at the present place, NULL for the place itself
 *
 * Returns: (transfer full): such as `shipping_locations[2].line_items[0].price`
 */
char *
tall_check_path (const TallCheck *self, const char *field)
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
  g_autofree char *path = tall_check_path (self, field);
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  tall_error_set_invalid (self->error, path, "%s: %s", path, what);
  return FALSE;
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
 * A customer or order number: UTF-8, 1 to %TALL_MAX_NUMBER_BYTES bytes, no control characters.
 */
gboolean
tall_check_number (TallCheck *self, const char *field, const char *text)
{
  if (text == NULL)
    return tall_check_fail (self, field, "the number is missing");
  if (text[0] == '\0')
    return tall_check_fail (self, field, "a number must not be empty");

  gsize len = strlen (text);
  self->size += len + MAX_HEADER;
  if (len > TALL_MAX_NUMBER_BYTES)
    {
      g_autofree char *path = tall_check_path (self, field);
      g_set_error (self->error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
                   "%s: a number has at most %d bytes, this one has %" G_GSIZE_FORMAT, path,
                   TALL_MAX_NUMBER_BYTES, len);
      return FALSE;
    }
  if (!tall_text_is_utf8 (tall_slice (text, len)))
    return tall_check_fail (self, field, "the number is not valid UTF-8");
  if (has_control (text, len))
    return tall_check_fail (self, field, "a number must not contain control characters");
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

/* The number of the location or line where the check is. */
static gboolean
check_position (TallCheck *self, const char *field, gint32 number)
{
  self->size += 2 * MAX_HEADER; /* with the frame of the location or line */
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

/* @decimal: (nullable): absent is fine */
static gboolean
check_decimal (TallCheck *self, const char *field, TallDecimal *decimal)
{
  if (decimal == NULL)
    return TRUE;

  self->size += MAX_DECIMAL;
  decimal->base.descriptor = &tall_model_decimal;
  if (decimal->scale > TALL_DECIMAL_MAX_SCALE)
    return tall_check_fail (self, field, "scale %u is more than %d", decimal->scale,
                            TALL_DECIMAL_MAX_SCALE);
  return TRUE;
}

static gboolean
check_rate (TallCheck *self, const char *field, TallDecimal *rate)
{
  if (!check_decimal (self, field, rate))
    return FALSE;
  if (rate == NULL || rate->unscaled == 0)
    return TRUE;
  if (rate->unscaled < 0 || tall_decimal_compare (*rate, TALL_DECIMAL (1, 0)) > 0)
    return tall_check_fail (self, field, "a %s is a rate from 0 to 1, such as 0.15", field);
  return TRUE;
}

static gboolean
check_address_size (const TallCheck *self, gsize size)
{
  if (size <= TALL_MAX_ADDRESS_BYTES)
    return TRUE;

  g_autofree char *path = tall_check_path (self, NULL);
  g_set_error (self->error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
               "%s: the texts of an address have at most %d bytes together, these have "
               "%" G_GSIZE_FORMAT,
               path, TALL_MAX_ADDRESS_BYTES, size);
  return FALSE;
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
check_texts (TallCheck *self, const TallModelField *field, gconstpointer base)
{
  char *const *texts = tall_model_get_pointer (field, base);
  gsize n = *tall_model_count (field, base);
  int singular = (int)strlen (field->name) - 1;

  self->parent = field->name;
  for (self->index = 0; self->index < n; self->index++)
    {
      if (texts[self->index] == NULL)
        return tall_check_fail (self, NULL, "a %.*s must be there, it may be empty", singular,
                                field->name);
      if (!tall_check_text (self, NULL, texts[self->index]))
        return FALSE;
    }
  self->parent = NULL;
  self->index = TALL_NOWHERE;
  return TRUE;
}

static gboolean
check_attributes (TallCheck *self, const TallModelField *field, gconstpointer base)
{
  TallAttribute *const *items = tall_model_get_pointer (field, base);
  gsize n = *tall_model_count (field, base);
  self->parent = field->name;
  for (self->index = 0; self->index < n; self->index++)
    {
      TallAttribute *item = items[self->index];
      self->size += MAX_HEADER;
      item->base.descriptor = &tall_model_attribute;
      if (item->key == NULL || item->key[0] == '\0')
        return tall_check_fail (self, "key", "the key of an attribute must not be empty");
      if (item->value == NULL)
        return tall_check_fail (self, "value", "the value of an attribute must be there");
      if (!tall_check_text (self, "key", item->key)
          || !tall_check_text (self, "value", item->value))
        return FALSE;
    }
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
      return check_position (self, field->name, *tall_model_position (field, base));
    case TALL_MODEL_TEXT:
      return tall_check_text (self, field->name, tall_model_get_pointer (field, base));
    case TALL_MODEL_DATE:
      return !*tall_model_flag (field, base)
             || check_date (self, field->name, *tall_model_date (field, base));
    case TALL_MODEL_DECIMAL:
      return check_decimal (self, field->name, tall_model_get_pointer (field, base));
    case TALL_MODEL_RATE:
      return check_rate (self, field->name, tall_model_get_pointer (field, base));
    case TALL_MODEL_STRUCT:
      return check_struct (self, field, tall_model_get_pointer (field, base));
    case TALL_MODEL_TEXTS:
      return check_texts (self, field, base);
    case TALL_MODEL_ATTRIBUTES:
      return check_attributes (self, field, base);
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

  g_set_error (self->error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
               "%s has at most %d bytes in canonical form, this one has %" G_GSIZE_FORMAT "%s",
               what, TALL_MAX_CANONICAL_BYTES, size, advice);
  return FALSE;
}
