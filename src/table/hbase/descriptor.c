/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/descriptor.h"

#include "wire/struct-reader.h"
#include "table/table-checks.h"
#include "table/table-ddl.h"
#include "wire/wire-output.h"

/* `TTableDescriptor.attributes` of the gateway's IDL: a map of bytes to bytes. */
#define ATTRIBUTES_ID 3

/* HBase's own attribute of a table that refuses writes. */
#define READONLY_ATTRIBUTE "READONLY"

/* Any id after which the compact protocol writes the next one in full. */
#define NO_ID G_MAXINT16

static TallTransport *
open_raw (const TallHbaseDescriptor *self)
{
  TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  options.compact = self->compact;
  return tall_transport_new_memory (self->raw, &options);
}

/* Where the input is: all of the bytes were there from the beginning. */
static gsize
tell (const TallHbaseDescriptor *self, const TallWireInput *input)
{
  return self->raw.len - input->left;
}

/* Reads bytes as a part of the raw ones. */
static gboolean
read_part (const TallHbaseDescriptor *self, TallWireInput *input, TallSlice *part, GError **error)
{
  TallSlice bytes;
  if (!tall_wire_input_bytes (input, &bytes, error))
    return FALSE;
  *part = tall_slice (self->raw.data + tell (self, input) - bytes.len, bytes.len);
  return TRUE;
}

static gboolean
read_attributes (TallHbaseDescriptor *self, TallWireInput *input, TallArena *arena, GError **error)
{
  TallWireType key_type, value_type;
  guint32 n;
  if (!tall_wire_input_begin_map (input, &key_type, &value_type, &n, error))
    return FALSE;
  if (n > 0 && (key_type != TALL_WIRE_STRING || value_type != TALL_WIRE_STRING))
    return tall_wire_input_reject (input, error, "a table's attributes have the wrong type");

  self->attributes = tall_arena_newa0 (arena, TallHbaseAttribute, n);
  self->n_attributes = n;
  for (guint32 i = 0; i < n; i++)
    if (!read_part (self, input, &self->attributes[i].key, error)
        || !read_part (self, input, &self->attributes[i].value, error))
      return FALSE;
  tall_wire_input_end (input);
  return TRUE;
}

static gboolean
find_attributes (TallHbaseDescriptor *self, TallArena *arena, GError **error)
{
  g_autoptr (TallTransport) transport = open_raw (self);
  TallWireInput input;
  TallWireField field = { 0 };
  tall_wire_input_init (&input, transport);
  if (!tall_wire_input_begin_struct (&input, error))
    return FALSE;
  for (;;)
    {
      gsize at = tell (self, &input);
      if (!tall_wire_input_next_field (&input, &field, error))
        return FALSE;
      gboolean found = field.id == ATTRIBUTES_ID && field.type == TALL_WIRE_MAP;
      if (field.type == TALL_WIRE_STOP || found)
        self->start = self->end = at;
      if (field.type == TALL_WIRE_STOP)
        return TRUE;
      if (!found && !tall_wire_input_skip (&input, field.type, error))
        return FALSE;
      if (!found)
        continue;
      gboolean read = read_attributes (self, &input, arena, error);
      self->end = tell (self, &input);
      return read;
    }
}

static gboolean
take_family (TallStructReader *reader,
             const TallStructType *type G_GNUC_UNUSED,
             gconstpointer family,
             GError **error G_GNUC_UNUSED)
{
  TallHbaseDescriptor *self = reader->sink;
  g_array_append_vals (self->families, family, 1);
  return TRUE;
}

static gboolean
read_families (TallHbaseDescriptor *self, TallArena *arena, GError **error)
{
  static const TallStructHandler handler = { NULL, take_family };
  g_autoptr (TallTransport) transport = open_raw (self);
  TallHbaseTTableDescriptor table = { NULL };
  TallStructReader reader;
  tall_struct_reader_init (&reader, transport, arena, NULL);
  reader.handler = &handler;
  reader.sink = self;
  return tall_struct_reader_read (&reader, &tall_hbase_t_table_descriptor_type, &table, error)
         && tall_struct_reader_finish (&reader, error);
}

/**
 * tall_hbase_descriptor_init:
 * @raw: what a gateway answered; must outlive @self
 * @compact: whether that is in the compact protocol
 * @arena: takes what is read
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if it is no descriptor of a table
 */
gboolean
tall_hbase_descriptor_init (
    TallHbaseDescriptor *self, TallSlice raw, gboolean compact, TallArena *arena, GError **error)
{
  *self = (TallHbaseDescriptor){
    .raw = raw,
    .compact = compact,
    .families = g_array_new (FALSE, FALSE, sizeof (TallHbaseTColumnFamilyDescriptor)),
  };
  return read_families (self, arena, error) && find_attributes (self, arena, error);
}

void
tall_hbase_descriptor_clear (TallHbaseDescriptor *self)
{
  g_clear_pointer (&self->families, g_array_unref);
}

static const TallHbaseAttribute *
find_attribute (const TallHbaseDescriptor *self, TallSlice key)
{
  for (guint i = 0; i < self->n_attributes; i++)
    if (tall_slice_equal (self->attributes[i].key, key))
      return &self->attributes[i];
  return NULL;
}

/**
 * tall_hbase_descriptor_is_read_only:
 *
 * Returns: whether the table refuses writes; Java's own reading of a truth value, in any case
 */
gboolean
tall_hbase_descriptor_is_read_only (const TallHbaseDescriptor *self)
{
  const TallHbaseAttribute *found = find_attribute (self, tall_slice_str (READONLY_ATTRIBUTE));
  return found != NULL && found->value.len == strlen ("true")
         && g_ascii_strncasecmp ((const char *)found->value.data, "true", found->value.len) == 0;
}

/**
 * tall_hbase_descriptor_get_seal:
 *
 * Returns: (nullable) (transfer full): the token under which the table is read-only; NULL if it is
 *   not, or under none of ours
 */
char *
tall_hbase_descriptor_get_seal (const TallHbaseDescriptor *self)
{
  const TallHbaseAttribute *found = find_attribute (self, tall_slice_str (TALL_SEAL_ATTRIBUTE));
  if (found == NULL || !tall_hbase_descriptor_is_read_only (self)
      || memchr (found->value.data, '\0', found->value.len) != NULL)
    return NULL;
  g_autofree char *seal = g_strndup ((const char *)found->value.data, found->value.len);
  return tall_table_is_seal (seal) ? g_steal_pointer (&seal) : NULL;
}

static gboolean
is_ours (const TallHbaseAttribute *attribute)
{
  return tall_slice_equal (attribute->key, tall_slice_str (READONLY_ATTRIBUTE))
         || tall_slice_equal (attribute->key, tall_slice_str (TALL_SEAL_ATTRIBUTE));
}

static void
put_attributes (const TallHbaseDescriptor *self, const char *seal, TallWireOutput *output)
{
  const TallHbaseAttribute ours[] = {
    { tall_slice_str (READONLY_ATTRIBUTE), tall_slice_str ("true") },
    { tall_slice_str (TALL_SEAL_ATTRIBUTE), tall_slice_str (seal == NULL ? "" : seal) },
  };
  const guint n_ours = seal == NULL ? 0 : G_N_ELEMENTS (ours);
  guint n = n_ours;
  gint16 last = NO_ID;
  for (guint i = 0; i < self->n_attributes; i++)
    n += !is_ours (&self->attributes[i]);

  tall_wire_put_field (output, &last, TALL_WIRE_MAP, ATTRIBUTES_ID);
  tall_wire_put_map (output, TALL_WIRE_STRING, TALL_WIRE_STRING, n);
  for (guint i = 0; i < self->n_attributes + n_ours; i++)
    {
      const TallHbaseAttribute *attribute =
          i < self->n_attributes ? &self->attributes[i] : &ours[i - self->n_attributes];
      if (i < self->n_attributes && is_ours (attribute))
        continue;
      tall_wire_put_bytes (output, attribute->key);
      tall_wire_put_bytes (output, attribute->value);
    }
}

/**
 * tall_hbase_descriptor_with_seal:
 * @seal: (nullable): the token; NULL: open
 *
 * The field of the attributes has its number in full: then the head of the next field is right
 * whether it counts from this one or not.
 *
 * Returns: (transfer full): the same bytes, but for the two attributes that shut the table
 */
GByteArray *
tall_hbase_descriptor_with_seal (const TallHbaseDescriptor *self, const char *seal)
{
  GByteArray *bytes = g_byte_array_new ();
  TallWireOutput output;
  tall_wire_output_init (&output, bytes, self->compact);
  tall_wire_put_raw (&output, tall_slice (self->raw.data, self->start));
  put_attributes (self, seal, &output);
  tall_wire_put_raw (&output, tall_slice (self->raw.data + self->end, self->raw.len - self->end));
  tall_wire_output_settle (&output);
  return bytes;
}

/**
 * tall_hbase_descriptor_keeps:
 * @sent: what was to become of the table
 *
 * Returns: whether all attributes are there as they were sent, and the table is as open or sealed.
 *   HBase adds some of its own
 */
gboolean
tall_hbase_descriptor_keeps (const TallHbaseDescriptor *self, const TallHbaseDescriptor *sent)
{
  for (guint i = 0; i < sent->n_attributes; i++)
    {
      const TallHbaseAttribute *due = &sent->attributes[i];
      const TallHbaseAttribute *is = find_attribute (self, due->key);
      if (is == NULL || !tall_slice_equal (is->value, due->value))
        return FALSE;
    }
  g_autofree char *seal = tall_hbase_descriptor_get_seal (self);
  g_autofree char *due = tall_hbase_descriptor_get_seal (sent);
  return tall_hbase_descriptor_is_read_only (self) == tall_hbase_descriptor_is_read_only (sent)
         && g_strcmp0 (seal, due) == 0;
}
