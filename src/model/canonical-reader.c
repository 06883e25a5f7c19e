/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical-private.h"
#include "tall-error.h"

/* Messages are read straight into the model, because the program mostly reads: protobuf-c and a
 * copy of its structs took 2.5 times as long. In the tests protobuf-c reads what this reader reads.
 */

gboolean
tall_canonical_fail (GError **error, const char *what, const char *why)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED, "stored %s: %s", what, why);
  return FALSE;
}

/* Stored data that the model refuses is damaged. */
gboolean
tall_canonical_finish (gboolean valid, GError *invalid, const char *what, GError **error)
{
  if (!valid)
    tall_canonical_fail (error, what, invalid->message);
  g_clear_error (&invalid);
  return valid;
}

/* Skips the rest of a message, the present field included if it is not known: what is added by a
 * newer schema has greater numbers. */
static gboolean
skip_unknown (TallPbReader in, guint32 last_known)
{
  if (in.field > last_known)
    tall_pb_reader_skip (&in);
  while (tall_pb_reader_step (&in))
    if (in.field <= last_known)
      tall_pb_reader_fail (&in);
    else
      tall_pb_reader_skip (&in);
  return !in.failed;
}

/* By value, so that the readers of messages stay in registers. */
static inline gboolean
finish_message (TallPbReader in, guint32 last_known)
{
  if (in.at == in.end && in.field <= last_known)
    return !in.failed;
  return skip_unknown (in, last_known);
}

gboolean
tall_pb_read_decimal (TallSlice message, TallDecimal *decimal)
{
  TallPbReader in = tall_pb_reader (message);
  if (!tall_pb_reader_step (&in) || in.field != 1)
    return FALSE;
  decimal->unscaled = tall_pb_reader_signed (&in);
  if (!tall_pb_reader_step (&in) || in.field != 2)
    return FALSE;

  guint64 scale = tall_pb_reader_number (&in);
  decimal->scale = MIN (scale, G_MAXUINT8);
  return scale <= TALL_DECIMAL_MAX_SCALE && finish_message (in, 2);
}

/* Returns: room for the present field and all that follow with its number */
static gpointer
make_array (TallPbReader rest, TallArena *arena, gsize size)
{
  tall_pb_reader_bytes (&rest);
  guint n = 1 + tall_pb_reader_count (rest, rest.field);
  return tall_arena_alloc0 (arena, tall_arena_array_size (size, n));
}

/* Appends the present field of @outer to @attributes, which is allocated at the first. */
gboolean
tall_pb_read_attribute (TallPbReader outer, TallArena *arena, TallAttributes *attributes)
{
  if (attributes->items == NULL)
    attributes->items = make_array (outer, arena, sizeof (TallAttribute));

  TallAttribute *item = &attributes->items[attributes->n_items++];
  TallPbReader in = tall_pb_reader (tall_pb_reader_bytes (&outer));
  if (tall_pb_reader_step (&in) && in.field == 1)
    item->key = tall_pb_reader_text (&in, arena);
  if (tall_pb_reader_step (&in) && in.field == 2)
    item->value = tall_pb_reader_text (&in, arena);
  return item->key != NULL && item->value != NULL && finish_message (in, 2)
         && (item == attributes->items || strcmp (item[-1].key, item->key) < 0);
}

static void
read_attribute (TallPbReader *in, TallArena *arena, TallAttributes *attributes)
{
  if (!tall_pb_read_attribute (*in, arena, attributes))
    tall_pb_reader_fail (in);
  else
    tall_pb_reader_bytes (in);
}

/* Appends the present field to a list, whose elements ascend. */
static void
read_element (TallPbReader *in, const TallModelField *field, TallArena *arena, gpointer base)
{
  const TallModelType *type = field->type;
  guint *n = tall_model_count (field, base);
  if (*n == 0)
    tall_model_set_pointer (field, base, make_array (*in, arena, type->size));

  char *element = (char *)tall_model_get_pointer (field, base) + *n * type->size;
  if (!tall_pb_read_message (type, tall_pb_reader_bytes (in), arena, element)
      || (*n > 0
          && *tall_model_position (&type->fields[0], element - type->size)
                 >= *tall_model_position (&type->fields[0], element)))
    tall_pb_reader_fail (in);
  ++*n;
}

/* Appends the present field to @texts, which are allocated at the first. */
void
tall_pb_read_text (TallPbReader *in, TallArena *arena, char ***texts, guint *n)
{
  if (*n == 0)
    *texts = make_array (*in, arena, sizeof (char *));
  (*texts)[(*n)++] = tall_pb_reader_text (in, arena);
}

static void
read_struct (TallPbReader *in, const TallModelField *field, TallArena *arena, gpointer base)
{
  gpointer value = tall_arena_alloc0 (arena, field->type->size);
  tall_model_set_pointer (field, base, value);
  if (!tall_pb_read_message (field->type, tall_pb_reader_bytes (in), arena, value))
    tall_pb_reader_fail (in);
}

static void
read_position (TallPbReader *in, gint32 *position)
{
  guint64 value = tall_pb_reader_number (in);
  *position = (gint32)value;
  if (value < 1 || value > G_MAXINT32)
    tall_pb_reader_fail (in);
}

static void
read_field (TallPbReader *in, const TallModelField *field, TallArena *arena, gpointer base)
{
  switch (field->kind)
    {
    case TALL_MODEL_NUMBER:
    case TALL_MODEL_TEXT:
      tall_model_set_pointer (field, base, tall_pb_reader_text (in, arena));
      break;
    case TALL_MODEL_POSITION:
      read_position (in, tall_model_position (field, base));
      break;
    case TALL_MODEL_DATE:
      *tall_model_date (field, base) = tall_pb_reader_signed (in);
      *tall_model_flag (field, base) = TRUE;
      break;
    case TALL_MODEL_DECIMAL:
    case TALL_MODEL_RATE:
      *tall_model_flag (field, base) = TRUE;
      if (!tall_pb_read_decimal (tall_pb_reader_bytes (in), tall_model_decimal (field, base)))
        tall_pb_reader_fail (in);
      break;
    case TALL_MODEL_STRUCT:
      read_struct (in, field, arena, base);
      break;
    case TALL_MODEL_LIST:
      read_element (in, field, arena, base);
      break;
    case TALL_MODEL_TEXTS:
      tall_pb_read_text (in, arena, &G_STRUCT_MEMBER (char **, base, field->offset),
                         tall_model_count (field, base));
      break;
    case TALL_MODEL_ATTRIBUTES:
      read_attribute (in, arena, tall_model_attributes (field, base));
      break;
    default:
      g_assert_not_reached ();
    }
}

/* Fields that must be there come first. */
static gboolean
has_required (const TallModelType *type, gconstpointer base)
{
  for (guint i = 0; i < type->n_fields; i++)
    {
      const TallModelField *field = &type->fields[i];
      if (!tall_model_field_is_required (field))
        break;
      if (field->kind == TALL_MODEL_NUMBER ? tall_model_get_pointer (field, base) == NULL
                                           : *tall_model_position (field, base) == 0)
        return FALSE;
    }
  return TRUE;
}

/* Reads a message into @base, which is zeroed.
 * Returns: FALSE if model/canonical.c does not write it so, fields of a newer schema aside */
gboolean
tall_pb_read_message (const TallModelType *type, TallSlice message, TallArena *arena, gpointer base)
{
  TallPbReader in = tall_pb_reader (message);
  guint32 before = 0;
  while (tall_pb_reader_step (&in) && in.field <= type->n_fields)
    {
      const TallModelField *field = &type->fields[in.field - 1];
      if (in.field == before && !tall_model_field_is_list (field))
        return FALSE;
      read_field (&in, field, arena, base);
      before = in.field;
    }
  return finish_message (in, type->n_fields) && has_required (type, base);
}
