/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/model-type.h"

/* What `proto/` does not say: these decimals are rates. */
static const char *const rates[] = { "discount" };

static TallModelKind
text_kind (const TallModelField *self)
{
  if (self->label == PROTOBUF_C_LABEL_REPEATED)
    return TALL_MODEL_TEXTS;
  return self->label == PROTOBUF_C_LABEL_REQUIRED ? TALL_MODEL_NUMBER : TALL_MODEL_TEXT;
}

static TallModelKind
decimal_kind (const TallModelField *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (rates); i++)
    if (strcmp (rates[i], self->name) == 0)
      return TALL_MODEL_RATE;
  return TALL_MODEL_DECIMAL;
}

static TallModelKind
message_kind (const TallModelField *self)
{
  if (self->descriptor == &tall_model_decimal)
    return decimal_kind (self);
  if (self->descriptor == &tall_model_attribute)
    return TALL_MODEL_ATTRIBUTES;
  if (self->label != PROTOBUF_C_LABEL_REPEATED)
    return TALL_MODEL_STRUCT;
  return tall_model_field_type (self)->fields[0].type == PROTOBUF_C_TYPE_INT32 ? TALL_MODEL_LIST
                                                                               : TALL_MODEL_STRUCTS;
}

TallModelKind
tall_model_kind (const TallModelField *self)
{
  switch (self->type)
    {
    case PROTOBUF_C_TYPE_STRING:
      return text_kind (self);
    case PROTOBUF_C_TYPE_INT32:
      return TALL_MODEL_POSITION;
    case PROTOBUF_C_TYPE_SINT64:
      return TALL_MODEL_DATE;
    case PROTOBUF_C_TYPE_MESSAGE:
      return message_kind (self);
    default:
      g_assert_not_reached ();
    }
}

/**
 * tall_model_new:
 *
 * Returns: (transfer none): a struct in @arena with nothing in it
 */
gpointer
tall_model_new (const TallModelType *self, TallArena *arena)
{
  ProtobufCMessage *message = tall_arena_alloc (arena, self->sizeof_message);
  protobuf_c_message_init (self, message);
  return message;
}

/**
 * tall_model_alloc_owner:
 * @arena: (transfer full): for everything below an order or customer
 * @size: of its struct
 *
 * Returns: room for it; in front of it is the arena that owns it
 */
gpointer
tall_model_alloc_owner (TallArena *arena, gsize size)
{
  TallArena **owner = tall_arena_alloc (arena, sizeof *owner + size);
  *owner = arena;
  return owner + 1;
}

TallArena *
tall_model_get_owner (gconstpointer message)
{
  return ((TallArena *const *)message)[-1];
}

/**
 * tall_model_new_owner:
 *
 * Returns: (transfer full): an order or customer with nothing in it, in @arena
 */
gpointer
tall_model_new_owner (const TallModelType *self, TallArena *arena)
{
  ProtobufCMessage *message = tall_model_alloc_owner (arena, self->sizeof_message);
  protobuf_c_message_init (self, message);
  return message;
}

/**
 * tall_model_describe:
 *
 * Returns: (transfer full): the name of the struct for people: `line item`
 */
char *
tall_model_describe (const TallModelType *self)
{
  GString *words = g_string_new (NULL);
  for (const char *at = self->short_name; *at != '\0'; at++)
    {
      if (g_ascii_isupper (*at) && words->len > 0)
        g_string_append_c (words, ' ');
      g_string_append_c (words, g_ascii_tolower (*at));
    }
  return g_string_free (words, FALSE);
}

/**
 * tall_model_find_field:
 *
 * Returns: (nullable): the field of that name
 */
const TallModelField *
tall_model_find_field (const TallModelType *self, const char *name)
{
  for (guint i = 0; i < self->n_fields; i++)
    if (strcmp (self->fields[i].name, name) == 0)
      return &self->fields[i];
  return NULL;
}

/**
 * tall_model_list_fields:
 *
 * Returns: (transfer full): which fields there are, for people: `(line item) are number, price`
 */
char *
tall_model_list_fields (const TallModelType *self)
{
  g_autofree char *what = tall_model_describe (self);
  GString *text = g_string_new (NULL);
  g_string_printf (text, "(%s) are ", what);
  for (guint i = 0; i < self->n_fields; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", self->fields[i].name);
  return g_string_free (text, FALSE);
}

/**
 * tall_model_measure_texts:
 *
 * Returns: bytes of the texts in a struct and in the structs that it points to; not those of
 *   numbers, lists and attributes
 */
gsize
tall_model_measure_texts (const TallModelType *self, gconstpointer base)
{
  gsize size = 0;
  for (guint i = 0; i < self->n_fields; i++)
    {
      const TallModelField *field = &self->fields[i];
      TallModelKind kind = tall_model_kind (field);
      if (kind != TALL_MODEL_TEXT && kind != TALL_MODEL_STRUCT)
        continue;
      gconstpointer value = tall_model_get_pointer (field, base);
      if (value != NULL)
        size += kind == TALL_MODEL_STRUCT ? tall_model_measure_texts (field->descriptor, value)
                                          : strlen (value);
    }
  return size;
}
