/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/struct.h"

#include "base/text.h"
#include "tall-decimal.h"
#include "base/fail.h"

static gpointer struct_reader_new (TallStructReader *self, const TallStructType *type);

/* What a text takes in the arena beyond its bytes, at most. */
#define TEXT_OVERHEAD 8

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

/* The value of the field at the end of the path is not taken. */
static gboolean
struct_reader_refuse (TallStructReader *self, GError **error, const char *reason)
{
  if (self->strict)
    return tall_transport_reject (self->transport, error, "%s %s",
                                  self->path[self->depth - 1].field->name, reason);

  g_autofree char *path = reader_path (self);
  self->refused = TRUE;
  return tall_error_fail_invalid (error, path, "%s: %s", path, reason);
}

static gboolean
struct_reader_refuse_size (TallStructReader *self, GError **error, guint limit, const char *what)
{
  g_autofree char *path = reader_path (self);
  self->refused = TRUE;
  return tall_error_fail (error, TALL_ERROR_TOO_LARGE, "%s: more than %u %s", path, limit, what);
}

/* Before memory is taken for the lists of a message, which may be much larger than their bytes. */
static gboolean
struct_reader_spend_memory (TallStructReader *self, gsize bytes, GError **error)
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
    return struct_reader_refuse_size (self, error, self->limits->n_bytes, self->limits->bytes);
  self->text_budget -= bytes;
  return TRUE;
}

/* Texts are read as bytes: that tells their length, so that one with a NUL is not cut there. */
static gboolean
read_bytes (TallStructReader *self, TallSlice *slice, GError **error)
{
  TallSlice bytes;
  if (!tall_protocol_lend_bytes (self->protocol, &bytes, error))
    return FALSE;
  if (!self->strict
      && (!spend_text (self, bytes.len + self->limits->text_bytes, error)
          || !struct_reader_spend_memory (self, bytes.len + TEXT_OVERHEAD, error)))
    return FALSE;
  *slice =
      tall_slice (tall_arena_strndup (self->arena, (const char *)bytes.data, bytes.len), bytes.len);
  return TRUE;
}

/* A struct that is only passed on. */
static gboolean
read_raw (TallStructReader *self, TallSlice *raw, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  tall_transport_set_tee (self->transport, bytes);
  gboolean skipped = tall_protocol_skip (self->protocol, T_STRUCT, error);
  tall_transport_set_tee (self->transport, NULL);
  if (skipped)
    *raw = tall_slice (tall_arena_memdup (self->arena, bytes->data, bytes->len), bytes->len);
  return skipped;
}

static gboolean
read_text (TallStructReader *self, char **text, GError **error)
{
  TallSlice slice;

  if (!read_bytes (self, &slice, error))
    return FALSE;
  if (memchr (slice.data, '\0', slice.len) != NULL)
    return struct_reader_refuse (self, error, "holds U+0000, which no text may");
  if (!g_utf8_validate_len ((const char *)slice.data, slice.len, NULL))
    return struct_reader_refuse (self, error, "is not UTF-8");

  *text = (char *)slice.data;
  return TRUE;
}

/* NULs are shown as `\\x00`: HBase puts row keys into its reasons. */
static gboolean
read_reason (TallStructReader *self, char **text, GError **error)
{
  TallSlice bytes;
  if (!tall_protocol_lend_bytes (self->protocol, &bytes, error)
      || !spend_text (self, bytes.len + self->limits->text_bytes, error))
    return FALSE;
  g_autofree char *shown = tall_text_from_bytes (bytes);
  *text = tall_arena_strdup (self->arena, shown);
  return TRUE;
}

static gboolean
struct_reader_begin_list (TallStructReader *self,
                          ThriftType expected,
                          guint32 *size,
                          GError **error)
{
  ThriftType type = T_STOP;

  if (thrift_protocol_read_list_begin (self->protocol, &type, size, error) < 0)
    return FALSE;
  if (*size == 0 || type == expected)
    return TRUE;
  return struct_reader_refuse (
      self, error, self->strict ? "has the wrong type" : "its elements have the wrong type");
}

static gboolean
read_texts (TallStructReader *self, char ***texts, gsize *count, GError **error)
{
  guint32 size = 0;

  if (!struct_reader_begin_list (self, T_STRING, &size, error))
    return FALSE;
  if (size > self->text_budget / self->limits->text_bytes)
    return spend_text (self, G_MAXSIZE, error);
  if (!struct_reader_spend_memory (self, size * sizeof (char *), error))
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
  return thrift_protocol_read_list_end (self->protocol, error) >= 0;
}

static gboolean
read_pairs (TallStructReader *self,
            const TallStructType *type,
            gpointer **pairs,
            gsize *count,
            GError **error)
{
  ThriftType key_type = T_STOP, value_type = T_STOP;
  guint32 size = 0;

  if (thrift_protocol_read_map_begin (self->protocol, &key_type, &value_type, &size, error) < 0)
    return FALSE;
  if (size > 0 && (key_type != T_STRING || value_type != T_STRING))
    return struct_reader_refuse (self, error, "its keys and values must be texts");
  if (size > self->text_budget / self->limits->pair_bytes)
    return spend_text (self, G_MAXSIZE, error);
  if (!struct_reader_spend_memory (self, size * (sizeof (gpointer) + type->size), error))
    return FALSE;

  const TallStructField *fields = type->fields;
  gpointer *array = tall_arena_newa0 (self->arena, gpointer, size);
  for (guint32 i = 0; i < size; i++)
    {
      array[i] = struct_reader_new (self, type);
      if (!read_text (self, &G_STRUCT_MEMBER (char *, array[i], fields[0].offset), error)
          || !read_text (self, &G_STRUCT_MEMBER (char *, array[i], fields[1].offset), error))
        return FALSE;
    }

  *pairs = array;
  *count = size;
  return thrift_protocol_read_map_end (self->protocol, error) >= 0;
}

/* Reads what a field holds into the struct in memory, if it holds no struct. */
static gboolean
struct_reader_read_value (TallStructReader *self,
                          const TallStructField *field,
                          gpointer object,
                          GError **error)
{
  gpointer value = G_STRUCT_MEMBER_P (object, field->offset);

  switch ((TallStructKind)field->kind)
    {
    case TALL_KIND_BOOL:
      return thrift_protocol_read_bool (self->protocol, value, error) >= 0;
    case TALL_KIND_I32:
      return thrift_protocol_read_i32 (self->plain, value, error) >= 0;
    case TALL_KIND_I64:
      return thrift_protocol_read_i64 (self->plain, value, error) >= 0;
    case TALL_KIND_TEXT:
      return read_text (self, value, error);
    case TALL_KIND_REASON:
      return read_reason (self, value, error);
    case TALL_KIND_BYTES:
      return read_bytes (self, value, error);
    case TALL_KIND_RAW:
      return read_raw (self, value, error);
    case TALL_KIND_TEXTS:
      return read_texts (self, value, G_STRUCT_MEMBER_P (object, field->beside), error);
    case TALL_KIND_PAIRS:
      return read_pairs (self, field->type, value, G_STRUCT_MEMBER_P (object, field->beside),
                         error);
    default:
      g_assert_not_reached (); /* a kind that is only written */
    }
}

/* Of a strict case: the message itself is limited. */
static const TallStructLimits no_limits = {
  .n_structs = G_MAXUINT, .n_bytes = G_MAXUINT, .text_bytes = 1, .pair_bytes = 1
};

/* Bytes in memory of a struct that is handed on. */
#define MAX_EACH 128

/* The first block of an arena of its own. */
#define OWNER_SIZE 2200

/* A decimal as it travels. */
typedef struct
{
  gint64 unscaled;
  gint32 scale;
} WireDecimal;

static const TallStructField wire_decimal_fields[] = {
  { "unscaled", TALL_DECIMAL_UNSCALED_ID, TALL_KIND_I64, G_STRUCT_OFFSET (WireDecimal, unscaled),
    TALL_STRUCT_ALWAYS, NULL },
  { "scale", TALL_DECIMAL_SCALE_ID, TALL_KIND_I32, G_STRUCT_OFFSET (WireDecimal, scale),
    TALL_STRUCT_ALWAYS, NULL },
};
static TALL_STRUCT_TYPE (wire_decimal,
                         "Decimal",
                         WireDecimal,
                         .required = TALL_STRUCT_BIT (TALL_DECIMAL_UNSCALED_ID)
                                     | TALL_STRUCT_BIT (TALL_DECIMAL_SCALE_ID),
                         .lacking = "a decimal needs both unscaled and scale");

static gboolean
check_scale (TallStructReader *self, guint32 scale, GError **error)
{
  return scale <= TALL_DECIMAL_MAX_SCALE
         || struct_reader_refuse (self, error, "the scale of a decimal is 0 to 18");
}

static gboolean
read_decimal (TallStructReader *self, TallDecimal *decimal, GError **error)
{
  WireDecimal wire = { 0 };

  if (!tall_struct_reader_read (self, &wire_decimal, &wire, error)
      || !check_scale (self, (guint32)wire.scale, error))
    return FALSE;

  *decimal = TALL_DECIMAL (wire.unscaled, (guint32)wire.scale);
  return TRUE;
}

/* One with an arena of its own; ours frees it, unless somebody takes it away. */
static gboolean
read_owner (TallStructReader *self, const TallStructField *field, gpointer *object, GError **error)
{
  TallArena *around = self->arena;

  if (!struct_reader_spend_memory (self, OWNER_SIZE, error))
    return FALSE;
  *object = field->type->create (&self->arena);
  tall_arena_own (around, object, field->type->clear);
  gboolean ok = tall_struct_reader_read (self, field->type, *object, error);
  self->arena = around;
  return ok;
}

/* Returns: a struct in the arena */
static gpointer
struct_reader_new (TallStructReader *self, const TallStructType *type)
{
  gpointer object = tall_arena_alloc0 (self->arena, type->size);
  if (type->head != NULL)
    *(gconstpointer *)object = type->head;
  return object;
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
    {
      if (!struct_reader_spend_memory (self, field->type->size, error))
        return FALSE;
      *object = struct_reader_new (self, field->type);
    }
  return tall_struct_reader_read (self, field->type, *object, error)
         && (field->type->head != &tall_pb__decimal__descriptor
             || check_scale (self, ((const TallDecimal *)*object)->scale, error));
}

static gboolean
check_count (TallStructReader *self, const TallStructType *type, guint32 size, GError **error)
{
  if (type->max_elements > 0 && size > type->max_elements)
    return struct_reader_refuse_size (self, error, type->max_elements, "in one call");
  if (size > self->n_structs)
    return struct_reader_refuse_size (self, error, self->limits->shown_structs,
                                      self->limits->structs);
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

  if (!struct_reader_begin_list (self, T_STRUCT, &size, error)
      || !check_count (self, field->type, size, error)
      || !struct_reader_spend_memory (self, size * field->type->size, error))
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
  return thrift_protocol_read_list_end (self->protocol, error) >= 0;
}

static gboolean
read_objects (TallStructReader *self,
              const TallStructField *field,
              gpointer **structs,
              gsize *count,
              GError **error)
{
  guint32 size = 0;
  gsize each = sizeof (gpointer) + field->type->size;

  if (!struct_reader_begin_list (self, T_STRUCT, &size, error)
      || !check_count (self, field->type, size, error)
      || !struct_reader_spend_memory (self, size * each, error))
    return FALSE;

  gpointer *array = tall_arena_newa0 (self->arena, gpointer, size);
  TallStructStep *step = &self->path[self->depth - 1];
  for (guint32 i = 0; i < size; i++)
    {
      step->index = i;
      array[i] = struct_reader_new (self, field->type);
      if (!tall_struct_reader_read (self, field->type, array[i], error))
        return FALSE;
    }

  *structs = array;
  *count = size;
  return thrift_protocol_read_list_end (self->protocol, error) >= 0;
}

/* One struct that is handed on. */
static gboolean
read_each (TallStructReader *self, const TallStructType *type, GError **error)
{
  guint64 element[MAX_EACH / sizeof (guint64)];

  g_assert (type->size <= sizeof element);
  memset (element, 0, type->size);
  const TallStructHandler *handler = self->handler;
  return (handler->begin == NULL || handler->begin (self, type, error))
         && tall_struct_reader_read (self, type, element, error)
         && handler->end (self, type, element, error);
}

static gboolean
read_list (TallStructReader *self, const TallStructType *type, GError **error)
{
  guint32 size = 0;

  if (!struct_reader_begin_list (self, T_STRUCT, &size, error))
    return FALSE;
  for (guint32 i = 0; i < size; i++)
    if (!read_each (self, type, error))
      return FALSE;
  return thrift_protocol_read_list_end (self->protocol, error) >= 0;
}

static gboolean
read_value (TallStructReader *self, const TallStructField *field, gpointer object, GError **error)
{
  gpointer value = G_STRUCT_MEMBER_P (object, field->offset);

  switch ((TallStructKind)field->kind)
    {
    case TALL_KIND_DECIMAL:
      return read_decimal (self, value, error);
    case TALL_KIND_STRUCT:
      return read_struct_pointer (self, field, value, error);
    case TALL_KIND_STRUCTS:
      return read_structs (self, field, value, G_STRUCT_MEMBER_P (object, field->beside), error);
    case TALL_KIND_OBJECTS:
      return read_objects (self, field, value, G_STRUCT_MEMBER_P (object, field->beside), error);
    case TALL_KIND_EACH:
      return read_list (self, field->type, error);
    case TALL_KIND_ONE:
      return read_each (self, field->type, error);
    default:
      return struct_reader_read_value (self, field, object, error);
    }
}

/* Of lists and maps, what is beside them is their length. */
static gboolean
has_flag (const TallStructField *field)
{
  static const guint with_length = 1 << TALL_KIND_STRUCTS | 1 << TALL_KIND_OBJECTS
                                   | 1 << TALL_KIND_TEXTS | 1 << TALL_KIND_SLICES
                                   | 1 << TALL_KIND_PAIRS;
  return tall_struct_field_has_beside (field) && (with_length >> field->kind & 1) == 0;
}

/* A field sent twice is refused: the first could be anything, and its memory would be wasted. */
static gboolean
note_field (
    TallStructReader *self, const TallStructType *type, gint16 id, guint64 *seen, GError **error)
{
  guint64 bit = TALL_STRUCT_BIT (id);
  if (*seen & bit)
    return self->strict
               ? tall_transport_reject (self->transport, error, "%s has a field twice", type->name)
               : struct_reader_refuse (self, error, "is sent twice");
  *seen |= bit;
  return TRUE;
}

static gboolean
read_known_field (TallStructReader *self,
                  const TallStructType *type,
                  const TallStructField *field,
                  ThriftType wire_type,
                  gpointer object,
                  guint64 *seen,
                  GError **error)
{
  if (self->depth == TALL_STRUCT_MAX_DEPTH)
    g_error ("a struct type is nested deeper than %d", TALL_STRUCT_MAX_DEPTH);
  self->path[self->depth++] = (TallStructStep){ field, -1 };

  if (wire_type != tall_struct_wire_types[field->kind])
    return struct_reader_refuse (self, error, "has the wrong type");
  if (!note_field (self, type, field->id, seen, error) || !read_value (self, field, object, error))
    return FALSE;
  if (has_flag (field))
    G_STRUCT_MEMBER (gboolean, object, field->beside) = TRUE;

  self->depth--;
  return TRUE;
}

static gboolean
read_unknown_field (TallStructReader *self,
                    const TallStructType *type,
                    ThriftType wire_type,
                    gint16 id,
                    guint64 *seen,
                    GError **error)
{
  if (self->strict && id >= 0 && id < 64 && !note_field (self, type, id, seen, error))
    return FALSE;
  return tall_protocol_skip (self->protocol, wire_type, error);
}

/* @next: (inout): where it is most likely: fields come by ascending id */
static const TallStructField *
find_field (const TallStructType *type, gint16 id, guint *next)
{
  if (*next < type->n_fields && type->fields[*next].id == id)
    return &type->fields[(*next)++];
  for (guint i = 0; i < type->n_fields; i++)
    if (type->fields[i].id == id)
      {
        *next = i + 1;
        return &type->fields[i];
      }
  return NULL;
}

static gboolean
end_struct (TallStructReader *self, const TallStructType *type, guint64 seen, GError **error)
{
  if (thrift_protocol_read_struct_end (self->protocol, error) < 0)
    return FALSE;
  self->seen = seen;
  if ((seen & type->required) == type->required)
    return TRUE;
  return self->strict
             ? tall_transport_reject (self->transport, error, "%s %s", type->name, type->lacking)
             : struct_reader_refuse (self, error, type->lacking);
}

/**
 * tall_struct_reader_init:
 * @transport: where a message was begun
 * @arena: takes what is read
 * @limits: (nullable): NULL: the case is strict, and only the message's own size limits it
 */
void
tall_struct_reader_init (TallStructReader *self,
                         TallTransport *transport,
                         TallArena *arena,
                         const TallStructLimits *limits)
{
  self->protocol = tall_protocol_get_reader (transport);
  self->plain = tall_protocol_get_plain (transport);
  self->transport = transport;
  self->arena = arena;
  self->limits = limits != NULL ? limits : &no_limits;
  self->strict = limits == NULL;
  self->handler = NULL;
  self->sink = NULL;
  self->spend = NULL;
  self->memory = NULL;
  self->n_structs = self->limits->n_structs;
  self->text_budget = self->limits->n_bytes;
  self->refused = FALSE;
  self->seen = 0;
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
 * must be thrown away.
 */
gboolean
tall_struct_reader_read (TallStructReader *self,
                         const TallStructType *type,
                         gpointer object,
                         GError **error)
{
  gchar *name; /* Thrift's protocols know none */
  guint64 seen = 0;
  guint next = 0;

  if (thrift_protocol_read_struct_begin (self->protocol, &name, error) < 0)
    return FALSE;
  for (;;)
    {
      ThriftType wire_type = T_STOP;
      gint16 id = 0;
      if (thrift_protocol_read_field_begin (self->plain, &name, &wire_type, &id, error) < 0)
        return FALSE;
      if (wire_type == T_STOP)
        return end_struct (self, type, seen, error);

      const TallStructField *field = find_field (type, id, &next);
      if (field == NULL ? !read_unknown_field (self, type, wire_type, id, &seen, error)
                        : !read_known_field (self, type, field, wire_type, object, &seen, error))
        return FALSE;
    }
}

/**
 * tall_struct_reader_finish:
 *
 * Ends the message whose struct was read; nothing may be left of it.
 */
gboolean
tall_struct_reader_finish (TallStructReader *self, GError **error)
{
  return tall_transport_end_message (self->transport, error);
}
