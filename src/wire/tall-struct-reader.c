/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-struct-reader.h"

#include "tall-decimal.h"
#include "tall-error.h"

/* What a text takes in the arena beyond its bytes, at most. */
#define TEXT_OVERHEAD 8

/* The first block of an arena of its own. */
#define OWNER_SIZE 2200

/* A decimal as it travels; in an order it is a TallDecimal. */
typedef struct
{
  gint64 unscaled;
  gint32 scale;
  gboolean has_unscaled;
  gboolean has_scale;
} WireDecimal;

static const TallStructField wire_decimal_fields[] = {
  { "unscaled", 1, TALL_KIND_I64, G_STRUCT_OFFSET (WireDecimal, unscaled),
    G_STRUCT_OFFSET (WireDecimal, has_unscaled), NULL },
  { "scale", 2, TALL_KIND_I32, G_STRUCT_OFFSET (WireDecimal, scale),
    G_STRUCT_OFFSET (WireDecimal, has_scale), NULL },
};
static TALL_STRUCT_TYPE (wire_decimal, "Decimal", WireDecimal);

/* The place in the order, such as `shipping_locations[2].line_items[0].price`. */
static char *
reader_path (const TallStructReader *self)
{
  GString *path = g_string_new (NULL);

  for (guint i = 0; i < self->depth; i++)
    {
      const TallStructStep *step = &self->path[i];
      if (step->field->name == NULL)
        continue;
      if (path->len > 0)
        g_string_append_c (path, '.');
      g_string_append (path, step->field->name);
      if (step->index >= 0)
        g_string_append_printf (path, "[%" G_GINT64_FORMAT "]", step->index);
    }

  return g_string_free (path, FALSE);
}

static gboolean
refuse (TallStructReader *self, GError **error, const char *reason)
{
  g_autofree char *path = reader_path (self);
  self->refused = TRUE;
  tall_error_set_invalid (error, path, "%s: %s", path, reason);
  return FALSE;
}

static gboolean
refuse_size (TallStructReader *self, GError **error, guint limit, const char *what)
{
  g_autofree char *path = reader_path (self);
  self->refused = TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE, "%s: more than %u %s", path, limit, what);
  return FALSE;
}

/* Before memory is taken for the lists of a message, which may be much larger than their bytes. */
static gboolean
spend_memory (TallStructReader *self, gsize bytes, GError **error)
{
  if (self->spend == NULL || self->spend (self->memory, bytes, error))
    return TRUE;
  self->refused = TRUE;
  return FALSE;
}

static gboolean
spend_text (TallStructReader *self, gsize bytes, GError **error)
{
  if (bytes > self->text_budget)
    return refuse_size (self, error, self->limits->n_bytes, self->limits->bytes);
  self->text_budget -= bytes;
  return TRUE;
}

/* Texts are read as bytes: that tells their length, so that one with a NUL is not cut there. */
static gboolean
read_bytes (TallStructReader *self, TallSlice *slice, GError **error)
{
  return tall_struct_input_bytes (&self->input, self->arena, slice, error)
         && spend_text (self, slice->len + self->limits->text_bytes, error)
         && spend_memory (self, slice->len + TEXT_OVERHEAD, error);
}

static gboolean
read_text (TallStructReader *self, char **text, GError **error)
{
  TallSlice slice;

  if (!read_bytes (self, &slice, error))
    return FALSE;
  if (memchr (slice.data, '\0', slice.len) != NULL)
    return refuse (self, error, "holds U+0000, which no text may");
  if (!g_utf8_validate_len ((const char *)slice.data, slice.len, NULL))
    return refuse (self, error, "is not UTF-8");

  *text = (char *)slice.data;
  return TRUE;
}

static gboolean
read_decimal (TallStructReader *self, TallDecimal *decimal, GError **error)
{
  WireDecimal wire = { 0 };

  if (!tall_struct_reader_read (self, &wire_decimal, &wire, error))
    return FALSE;
  if (!wire.has_unscaled || !wire.has_scale)
    return refuse (self, error, "a decimal needs both unscaled and scale");
  if (wire.scale < 0 || wire.scale > TALL_DECIMAL_MAX_SCALE)
    return refuse (self, error, "the scale of a decimal is 0 to 18");

  *decimal = (TallDecimal){ wire.unscaled, (guint8)wire.scale };
  return TRUE;
}

/* One with an arena of its own; ours frees it, unless somebody takes it away. */
static gboolean
read_owner (TallStructReader *self, const TallStructField *field, gpointer *object, GError **error)
{
  TallArena *around = self->arena;

  if (!spend_memory (self, OWNER_SIZE, error))
    return FALSE;
  *object = field->type->create (&self->arena);
  tall_arena_own (around, object, field->type->clear);
  gboolean ok = tall_struct_reader_read (self, field->type, *object, error);
  self->arena = around;
  return ok;
}

/* A struct that the caller has provided is filled; else one is made in the arena. */
static gboolean
read_struct_pointer (TallStructReader *self,
                     const TallStructField *field,
                     gpointer *object,
                     GError **error)
{
  if (*object == NULL && field->type->create != NULL)
    return read_owner (self, field, object, error);
  if (*object == NULL)
    *object = tall_arena_alloc0 (self->arena, field->type->size);
  return tall_struct_reader_read (self, field->type, *object, error);
}

static gboolean
begin_list (TallStructReader *self, ThriftType expected, guint32 *size, GError **error)
{
  ThriftType type = T_STOP;

  if (!tall_struct_input_begin_list (&self->input, &type, size, error))
    return FALSE;
  if (*size > 0 && type != expected)
    return refuse (self, error, "its elements have the wrong type");
  return TRUE;
}

static gboolean
check_count (TallStructReader *self, const TallStructType *type, guint32 size, GError **error)
{
  if (type->max_elements > 0 && size > type->max_elements)
    return refuse_size (self, error, type->max_elements, "in one call");
  if (size > self->n_structs)
    return refuse_size (self, error, self->limits->shown_structs, self->limits->structs);
  self->n_structs -= size;
  return TRUE;
}

static gboolean
read_structs (TallStructReader *self,
              const TallStructField *field,
              gpointer *structs,
              guint *count,
              GError **error)
{
  guint32 size = 0;

  if (!begin_list (self, T_STRUCT, &size, error) || !check_count (self, field->type, size, error)
      || !spend_memory (self, size * field->type->size, error))
    return FALSE;

  guint8 *array = tall_arena_alloc0 (self->arena, size * field->type->size);
  TallStructStep *step = &self->path[self->depth - 1];
  for (guint32 i = 0; i < size; i++)
    {
      step->index = i;
      if (!tall_struct_reader_read (self, field->type, array + i * field->type->size, error))
        return FALSE;
    }

  *structs = array;
  *count = size;
  return tall_struct_input_end_list (&self->input, error);
}

static gboolean
read_texts (TallStructReader *self, char ***texts, guint *count, GError **error)
{
  guint32 size = 0;

  if (!begin_list (self, T_STRING, &size, error))
    return FALSE;
  if (size > self->text_budget / self->limits->text_bytes)
    return spend_text (self, G_MAXSIZE, error);
  if (!spend_memory (self, size * sizeof (char *), error))
    return FALSE;

  char **array = tall_arena_newa0 (self->arena, char *, size);
  TallStructStep *step = &self->path[self->depth - 1];
  for (guint32 i = 0; i < size; i++)
    {
      step->index = i;
      if (!read_text (self, &array[i], error))
        return FALSE;
    }

  *texts = array;
  *count = size;
  return tall_struct_input_end_list (&self->input, error);
}

static gboolean
read_pairs (TallStructReader *self, TallStructPair **pairs, guint *count, GError **error)
{
  ThriftType key_type = T_STOP, value_type = T_STOP;
  guint32 size = 0;

  if (!tall_struct_input_begin_map (&self->input, &key_type, &value_type, &size, error))
    return FALSE;
  if (size > 0 && (key_type != T_STRING || value_type != T_STRING))
    return refuse (self, error, "its keys and values must be texts");
  if (size > self->text_budget / self->limits->pair_bytes)
    return spend_text (self, G_MAXSIZE, error);
  if (!spend_memory (self, size * sizeof (TallStructPair), error))
    return FALSE;

  TallStructPair *array = tall_arena_newa0 (self->arena, TallStructPair, size);
  for (guint32 i = 0; i < size; i++)
    if (!read_text (self, &array[i].key, error) || !read_text (self, &array[i].value, error))
      return FALSE;

  *pairs = array;
  *count = size;
  return tall_struct_input_end_map (&self->input, error);
}

static gboolean
read_value (TallStructReader *self, const TallStructField *field, gpointer object, GError **error)
{
  gpointer value = G_STRUCT_MEMBER_P (object, field->offset);
  guint *beside =
      field->beside == TALL_STRUCT_ALWAYS ? NULL : G_STRUCT_MEMBER_P (object, field->beside);

  switch ((TallStructKind)field->kind)
    {
    case TALL_KIND_BOOL:
      return tall_struct_input_bool (&self->input, value, error);
    case TALL_KIND_I32:
      return tall_struct_input_i32 (&self->input, value, error);
    case TALL_KIND_I64:
      return tall_struct_input_i64 (&self->input, value, error);
    case TALL_KIND_TEXT:
      return read_text (self, value, error);
    case TALL_KIND_BYTES:
      return read_bytes (self, value, error);
    case TALL_KIND_DECIMAL:
      return read_decimal (self, value, error);
    case TALL_KIND_STRUCT:
      return read_struct_pointer (self, field, value, error);
    case TALL_KIND_STRUCTS:
      return read_structs (self, field, value, beside, error);
    case TALL_KIND_TEXTS:
      return read_texts (self, value, beside, error);
    case TALL_KIND_PAIRS:
      return read_pairs (self, value, beside, error);
    case TALL_N_KINDS:
      break;
    }
  g_assert_not_reached ();
}

static gboolean
has_flag (const TallStructField *field)
{
  return field->beside != TALL_STRUCT_ALWAYS && field->kind != TALL_KIND_STRUCTS
         && field->kind != TALL_KIND_TEXTS && field->kind != TALL_KIND_PAIRS;
}

/* A field sent twice is refused: the first could be anything, and its memory would be wasted. */
static gboolean
read_known_field (TallStructReader *self,
                  const TallStructField *field,
                  ThriftType type,
                  gpointer object,
                  guint32 *seen,
                  GError **error)
{
  if (self->depth == TALL_STRUCT_MAX_DEPTH)
    g_error ("a struct type is nested deeper than %d", TALL_STRUCT_MAX_DEPTH);
  self->path[self->depth++] = (TallStructStep){ field, -1 };

  if (type != tall_struct_wire_types[field->kind])
    return refuse (self, error, "has the wrong type");
  if (*seen & (1u << field->id))
    return refuse (self, error, "is sent twice");
  *seen |= 1u << field->id;
  if (!read_value (self, field, object, error))
    return FALSE;
  if (has_flag (field))
    G_STRUCT_MEMBER (gboolean, object, field->beside) = TRUE;

  self->depth--;
  return TRUE;
}

static const TallStructField *
find_field (const TallStructType *type, gint16 id)
{
  for (guint i = 0; i < type->n_fields; i++)
    if (type->fields[i].id == id)
      return &type->fields[i];
  return NULL;
}

/**
 * tall_struct_reader_init:
 * @protocol: one that has just read the beginning of a message
 * @arena: takes what is read
 */
void
tall_struct_reader_init (TallStructReader *self,
                         ThriftProtocol *protocol,
                         TallArena *arena,
                         const TallStructLimits *limits)
{
  tall_struct_input_init (&self->input, protocol);
  self->arena = arena;
  self->limits = limits;
  self->spend = NULL;
  self->memory = NULL;
  self->n_structs = limits->n_structs;
  self->text_budget = limits->n_bytes;
  self->refused = FALSE;
  self->depth = 0;
}

/**
 * tall_struct_reader_read:
 * @type: what to read
 * @object: zeroed, of that type's size; filled, also when the reading fails. It lives as long as
 * the arena if it may point to something that owns its own
 *
 * Reads one struct. Fields that the type does not know, from a newer sender, are skipped. When it
 * fails and `refused` is set, the error is one of %TALL_ERROR about a value that we do not take;
 * else the bytes are not Thrift, or could not be read. After any failure the rest of the message
 * must be thrown away, and the protocol's state with it.
 */
gboolean
tall_struct_reader_read (TallStructReader *self,
                         const TallStructType *type,
                         gpointer object,
                         GError **error)
{
  guint32 seen = 0;
  gboolean ok = TRUE;

  if (!tall_struct_input_begin_struct (&self->input, error))
    return FALSE;
  while (ok)
    {
      ThriftType field_type = T_STOP;
      gint16 id = 0;
      if (!tall_struct_input_begin_field (&self->input, &field_type, &id, error))
        return FALSE;
      if (field_type == T_STOP)
        break;

      const TallStructField *field = find_field (type, id);
      if (field != NULL)
        ok = read_known_field (self, field, field_type, object, &seen, error);
      else
        ok = tall_struct_input_skip (&self->input, field_type, error);
      ok = ok && tall_struct_input_end_field (&self->input, error);
    }
  return ok && tall_struct_input_end_struct (&self->input, error);
}

/**
 * tall_struct_reader_finish:
 *
 * Ends the message whose struct was read; nothing may be left of it.
 */
gboolean
tall_struct_reader_finish (TallStructReader *self, GError **error)
{
  return tall_struct_input_finish (&self->input, error);
}
