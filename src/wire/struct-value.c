/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/struct-reader-private.h"

#include "tall-error.h"
#include "base/text.h"

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
gboolean
tall_struct_reader_refuse (TallStructReader *self, GError **error, const char *reason)
{
  if (self->strict)
    return tall_transport_reject (self->transport, error, "%s %s",
                                  self->path[self->depth - 1].field->name, reason);

  g_autofree char *path = reader_path (self);
  self->refused = TRUE;
  tall_error_set_invalid (error, path, "%s: %s", path, reason);
  return FALSE;
}

gboolean
tall_struct_reader_refuse_size (TallStructReader *self,
                                GError **error,
                                guint limit,
                                const char *what)
{
  g_autofree char *path = reader_path (self);
  self->refused = TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE, "%s: more than %u %s", path, limit, what);
  return FALSE;
}

/* Before memory is taken for the lists of a message, which may be much larger than their bytes. */
gboolean
tall_struct_reader_spend_memory (TallStructReader *self, gsize bytes, GError **error)
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
    return tall_struct_reader_refuse_size (self, error, self->limits->n_bytes, self->limits->bytes);
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
          || !tall_struct_reader_spend_memory (self, bytes.len + TEXT_OVERHEAD, error)))
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
    return tall_struct_reader_refuse (self, error, "holds U+0000, which no text may");
  if (!g_utf8_validate_len ((const char *)slice.data, slice.len, NULL))
    return tall_struct_reader_refuse (self, error, "is not UTF-8");

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

gboolean
tall_struct_reader_begin_list (TallStructReader *self,
                               ThriftType expected,
                               guint32 *size,
                               GError **error)
{
  ThriftType type = T_STOP;

  if (thrift_protocol_read_list_begin (self->protocol, &type, size, error) < 0)
    return FALSE;
  if (*size == 0 || type == expected)
    return TRUE;
  return tall_struct_reader_refuse (
      self, error, self->strict ? "has the wrong type" : "its elements have the wrong type");
}

static gboolean
read_texts (TallStructReader *self, char ***texts, gsize *count, GError **error)
{
  guint32 size = 0;

  if (!tall_struct_reader_begin_list (self, T_STRING, &size, error))
    return FALSE;
  if (size > self->text_budget / self->limits->text_bytes)
    return spend_text (self, G_MAXSIZE, error);
  if (!tall_struct_reader_spend_memory (self, size * sizeof (char *), error))
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
    return tall_struct_reader_refuse (self, error, "its keys and values must be texts");
  if (size > self->text_budget / self->limits->pair_bytes)
    return spend_text (self, G_MAXSIZE, error);
  if (!tall_struct_reader_spend_memory (self, size * (sizeof (gpointer) + type->size), error))
    return FALSE;

  const TallStructField *fields = type->fields;
  gpointer *array = tall_arena_newa0 (self->arena, gpointer, size);
  for (guint32 i = 0; i < size; i++)
    {
      array[i] = tall_struct_reader_new (self, type);
      if (!read_text (self, &G_STRUCT_MEMBER (char *, array[i], fields[0].offset), error)
          || !read_text (self, &G_STRUCT_MEMBER (char *, array[i], fields[1].offset), error))
        return FALSE;
    }

  *pairs = array;
  *count = size;
  return thrift_protocol_read_map_end (self->protocol, error) >= 0;
}

/**
 * tall_struct_reader_read_value:
 *
 * Reads what a field holds into the struct in memory, if it holds no struct.
 */
gboolean
tall_struct_reader_read_value (TallStructReader *self,
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
