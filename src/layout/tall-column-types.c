/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-column-types-private.h"

#include "customer.pb-c.h"
#include "tall-canonical.h"
#include "tall-error.h"
#include "tall-limits.h"

#define SHOWN_BYTES 40 /* of a bad value in a message */

static inline gconstpointer
at (gconstpointer fields, gsize offset)
{
  return (const char *)fields + offset;
}

static inline gpointer
at_mutable (gpointer fields, gsize offset)
{
  return (char *)fields + offset;
}

static gboolean
set_bad_value (GError **error, TallSlice value, const char *why)
{
  TallSlice head = tall_slice (value.data, MIN (value.len, SHOWN_BYTES));
  g_autofree char *shown = tall_slice_to_debug (head);
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "“%s%s” (%" G_GSIZE_FORMAT " bytes) %s",
               shown, head.len < value.len ? "…" : "", value.len, why);
  return FALSE;
}

static gboolean
encode_text (const TallColumn *column,
             gconstpointer fields,
             TallArena *arena G_GNUC_UNUSED,
             TallSlice *value)
{
  const char *text = *(char *const *)at (fields, column->offset);
  if (text == NULL)
    return FALSE;

  *value = tall_slice_str (text);
  return TRUE;
}

static gboolean
decode_text (
    const TallColumn *column, TallSlice value, TallArena *arena, gpointer fields, GError **error)
{
  const char *text = (const char *)value.data;
  if (value.len > 0 && !g_utf8_validate_len (text, value.len, NULL))
    return set_bad_value (error, value, "is not UTF-8, or holds a NUL");

  *(char **)at_mutable (fields, column->offset) = tall_arena_strndup (arena, text, value.len);
  return TRUE;
}

static TallSlice
encode_integer (gint64 integer, TallArena *arena)
{
  guint64 *big = tall_arena_alloc (arena, sizeof *big);
  *big = GUINT64_TO_BE ((guint64)integer);
  return tall_slice (big, sizeof *big);
}

static gboolean
decode_integer (TallSlice value, gint64 min, gint64 max, gint64 *integer)
{
  TallReader reader = tall_reader (value);
  *integer = (gint64)tall_reader_u64 (&reader);
  return tall_reader_done (&reader) && *integer >= min && *integer <= max;
}

static gboolean
encode_date (const TallColumn *column, gconstpointer fields, TallArena *arena, TallSlice *value)
{
  if (!*(const gboolean *)at (fields, column->companion))
    return FALSE;

  *value = encode_integer (*(const gint64 *)at (fields, column->offset), arena);
  return TRUE;
}

static gboolean
decode_date (const TallColumn *column,
             TallSlice value,
             TallArena *arena G_GNUC_UNUSED,
             gpointer fields,
             GError **error)
{
  gint64 *date = at_mutable (fields, column->offset);
  if (!decode_integer (value, TALL_MIN_DATE, TALL_MAX_DATE, date))
    return set_bad_value (error, value, "is not a date: 8 bytes, of the years 1 to 9999");

  *(gboolean *)at_mutable (fields, column->companion) = TRUE;
  return TRUE;
}

static gboolean
encode_number (const TallColumn *column, gconstpointer fields, TallArena *arena, TallSlice *value)
{
  *value = encode_integer (*(const gint32 *)at (fields, column->offset), arena);
  return TRUE;
}

static gboolean
decode_number (const TallColumn *column,
               TallSlice value,
               TallArena *arena G_GNUC_UNUSED,
               gpointer fields,
               GError **error)
{
  gint64 number;
  if (!decode_integer (value, 1, G_MAXINT32, &number))
    return set_bad_value (error, value, "is not a number: 8 bytes, 1 to 2147483647");

  *(gint32 *)at_mutable (fields, column->offset) = number;
  return TRUE;
}

static gboolean
encode_decimal (const TallColumn *column, gconstpointer fields, TallArena *arena, TallSlice *value)
{
  if (!*(const gboolean *)at (fields, column->companion))
    return FALSE;

  char *text = tall_arena_alloc (arena, TALL_DECIMAL_TEXT_SIZE);
  *value = tall_slice_str (
      tall_decimal_format (*(const TallDecimal *)at (fields, column->offset), text));
  return TRUE;
}

static gboolean
decode_decimal (const TallColumn *column,
                TallSlice value,
                TallArena *arena G_GNUC_UNUSED,
                gpointer fields,
                GError **error)
{
  TallDecimal *decimal = at_mutable (fields, column->offset);
  if (!tall_decimal_parse ((const char *)value.data, value.len, decimal, NULL))
    return set_bad_value (error, value, "is not a decimal such as 12, -3 or 9.80");

  *(gboolean *)at_mutable (fields, column->companion) = TRUE;
  return TRUE;
}

static gboolean
encode_attributes (const TallColumn *column,
                   gconstpointer fields,
                   TallArena *arena,
                   TallSlice *value)
{
  const TallAttributes *attributes = at (fields, column->offset);
  if (attributes->n_items == 0)
    return FALSE;

  *value = tall_attributes_to_canonical (attributes, arena);
  return TRUE;
}

static gboolean
decode_attributes (
    const TallColumn *column, TallSlice value, TallArena *arena, gpointer fields, GError **error)
{
  g_autoptr (GError) why = NULL;
  TallAttributes *attributes = at_mutable (fields, column->offset);
  if (!tall_attributes_from_canonical (value, arena, attributes, &why))
    return set_bad_value (error, value, why->message);
  return TRUE;
}

static gboolean
encode_phones (const TallColumn *column, gconstpointer fields, TallArena *arena, TallSlice *value)
{
  TallPb__Phones message = TALL_PB__PHONES__INIT;
  message.n_phones = *(const guint *)at (fields, column->companion);
  message.phones = *(char **const *)at (fields, column->offset);
  if (message.n_phones == 0)
    return FALSE;

  guint8 *bytes = tall_arena_alloc (arena, tall_pb__phones__get_packed_size (&message));
  *value = tall_slice (bytes, tall_pb__phones__pack (&message, bytes));
  return TRUE;
}

typedef TallPb__Phones PhonesMessage;

static void
phones_message_free (PhonesMessage *message)
{
  tall_pb__phones__free_unpacked (message, NULL);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhonesMessage, phones_message_free)

static gboolean
decode_phones (
    const TallColumn *column, TallSlice value, TallArena *arena, gpointer fields, GError **error)
{
  g_autoptr (PhonesMessage) message = tall_pb__phones__unpack (NULL, value.len, value.data);
  /* protobuf-c cuts a text at a NUL, which makes the message shorter */
  if (message == NULL || tall_pb__phones__get_packed_size (message) != value.len)
    return set_bad_value (error, value, "is not a message Phones");

  char **phones = tall_arena_newa0 (arena, char *, message->n_phones);
  for (guint i = 0; i < message->n_phones; i++)
    {
      if (!g_utf8_validate (message->phones[i], -1, NULL))
        return set_bad_value (error, value, "holds a phone that is not UTF-8");
      phones[i] = tall_arena_strdup (arena, message->phones[i]);
    }

  *(char ***)at_mutable (fields, column->offset) = phones;
  *(guint *)at_mutable (fields, column->companion) = message->n_phones;
  return TRUE;
}

static gboolean
encode_address (const TallColumn *column G_GNUC_UNUSED,
                gconstpointer fields,
                TallArena *arena G_GNUC_UNUSED,
                TallSlice *value)
{
  const TallAddress *address = fields;
  *value = tall_slice (NULL, 0);
  return address->line1 == NULL && address->line2 == NULL && address->city == NULL
         && address->state == NULL && address->zip == NULL && address->country == NULL;
}

static gboolean
decode_address (const TallColumn *column G_GNUC_UNUSED,
                TallSlice value,
                TallArena *arena G_GNUC_UNUSED,
                gpointer fields G_GNUC_UNUSED,
                GError **error)
{
  if (value.len > 0)
    return set_bad_value (error, value, "should be empty");
  return TRUE;
}

/**
 * tall_column_type_get:
 *
 * Returns: (transfer none): the functions of a type of column
 */
const TallColumnTypeClass *
tall_column_type_get (TallColumnType type)
{
  static const TallColumnTypeClass types[] = {
    [TALL_COLUMN_TEXT] = { encode_text, decode_text },
    [TALL_COLUMN_DATE] = { encode_date, decode_date },
    [TALL_COLUMN_DECIMAL] = { encode_decimal, decode_decimal },
    [TALL_COLUMN_NUMBER] = { encode_number, decode_number },
    [TALL_COLUMN_ATTRIBUTES] = { encode_attributes, decode_attributes },
    [TALL_COLUMN_PHONES] = { encode_phones, decode_phones },
    [TALL_COLUMN_ADDRESS] = { encode_address, decode_address },
    [TALL_COLUMN_ADDRESS_TEXT] = { encode_text, decode_text },
  };
  return &types[type];
}
