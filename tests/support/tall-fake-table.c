/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-fake-table.h"

#include "tall-bytes.h"

/* Numbers of fields in `TTableDescriptor`. */
enum
{
  NAME = 1,
  FAMILIES = 2,
  ATTRIBUTES = 3,
  DURABILITY = 4,
};

void
tall_fake_table_clear (TallFakeTable *self)
{
  g_clear_pointer (&self->attributes, g_ptr_array_unref);
}

gboolean
tall_fake_table_is_disabled (TallFakeTable *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->disabled;
}

void
tall_fake_table_set_disabled (TallFakeTable *self, gboolean disabled)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->disabled = disabled;
}

void
tall_fake_table_set_attributes (TallFakeTable *self, GPtrArray *attributes)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  g_clear_pointer (&self->attributes, g_ptr_array_unref);
  self->attributes = g_ptr_array_ref (attributes);
}

/* Returns: (transfer full): "key=value key=value" */
char *
tall_fake_table_get_attributes (TallFakeTable *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  GString *text = g_string_new (NULL);
  for (guint i = 0; self->attributes != NULL && i < self->attributes->len; i++)
    {
      g_autofree char *part =
          tall_slice_to_debug (tall_slice_bytes (g_ptr_array_index (self->attributes, i)));
      g_string_append_printf (text, "%s%s", i == 0 ? "" : i % 2 == 1 ? "=" : " ", part);
    }
  return g_string_free (text, FALSE);
}

static void
write_bytes (ThriftProtocol *protocol, TallSlice bytes)
{
  thrift_protocol_write_binary (protocol, (gpointer)bytes.data, (guint32)bytes.len, NULL);
}

static void
write_text_field (ThriftProtocol *protocol, gint16 id, const char *text)
{
  thrift_protocol_write_field_begin (protocol, "", T_STRING, id, NULL);
  write_bytes (protocol, tall_slice_str (text));
}

static void
write_number_field (ThriftProtocol *protocol, gint16 id, gint32 number)
{
  thrift_protocol_write_field_begin (protocol, "", T_I32, id, NULL);
  thrift_protocol_write_i32 (protocol, number, NULL);
}

static void
end_struct (ThriftProtocol *protocol)
{
  thrift_protocol_write_field_stop (protocol, NULL);
  thrift_protocol_write_struct_end (protocol, NULL);
}

/* With fields that no struct of ours has. */
static void
write_family (ThriftProtocol *protocol)
{
  thrift_protocol_write_struct_begin (protocol, "TColumnFamilyDescriptor", NULL);
  write_text_field (protocol, 1, "d");
  thrift_protocol_write_field_begin (protocol, "attributes", T_MAP, 2, NULL);
  thrift_protocol_write_map_begin (protocol, T_STRING, T_STRING, 1, NULL);
  write_bytes (protocol, tall_slice ("\x00\xff", 2));
  write_bytes (protocol, tall_slice_str ("x"));
  thrift_protocol_write_map_end (protocol, NULL);
  write_number_field (protocol, 10, 3);
  write_number_field (protocol, 13, G_MAXINT32);
  thrift_protocol_write_field_begin (protocol, "inMemory", T_BOOL, 20, NULL);
  thrift_protocol_write_bool (protocol, TRUE, NULL);
  end_struct (protocol);
}

static void
write_attributes (ThriftProtocol *protocol, const GPtrArray *attributes)
{
  thrift_protocol_write_field_begin (protocol, "attributes", T_MAP, ATTRIBUTES, NULL);
  thrift_protocol_write_map_begin (protocol, T_STRING, T_STRING, (gint32)attributes->len / 2, NULL);
  for (guint i = 0; i < attributes->len; i++)
    write_bytes (protocol, tall_slice_bytes (g_ptr_array_index (attributes, i)));
  thrift_protocol_write_map_end (protocol, NULL);
}

/**
 * tall_fake_table_write:
 *
 * Writes the table's descriptor.
 */
void
tall_fake_table_write (TallFakeTable *self, ThriftProtocol *protocol)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  thrift_protocol_write_struct_begin (protocol, "TTableDescriptor", NULL);
  thrift_protocol_write_field_begin (protocol, "tableName", T_STRUCT, NAME, NULL);
  thrift_protocol_write_struct_begin (protocol, "TTableName", NULL);
  write_text_field (protocol, 2, "tallorder.orders");
  end_struct (protocol);
  thrift_protocol_write_field_begin (protocol, "columns", T_LIST, FAMILIES, NULL);
  thrift_protocol_write_list_begin (protocol, T_STRUCT, 1, NULL);
  write_family (protocol);
  thrift_protocol_write_list_end (protocol, NULL);
  if (self->attributes != NULL)
    write_attributes (protocol, self->attributes);
  write_number_field (protocol, DURABILITY, 0);
  end_struct (protocol);
}

static void
read_map (ThriftProtocol *protocol, GPtrArray *attributes, GError **error)
{
  ThriftType key_type, value_type;
  guint32 n = 0;
  thrift_protocol_read_map_begin (protocol, &key_type, &value_type, &n, error);
  for (guint32 i = 0; i < 2 * n && *error == NULL; i++)
    {
      gpointer data;
      guint32 len;
      if (thrift_protocol_read_binary (protocol, &data, &len, error) >= 0)
        g_ptr_array_add (attributes, g_bytes_new_take (data, len));
    }
  thrift_protocol_read_map_end (protocol, error);
}

/* Reads a struct, and @take of its field @wanted; skips the others. */
static void
read_field (ThriftProtocol *protocol,
            gint16 wanted,
            void (*take) (ThriftProtocol *protocol, GPtrArray *attributes, GError **error),
            GPtrArray *attributes,
            GError **error)
{
  g_autofree char *name = NULL;
  thrift_protocol_read_struct_begin (protocol, &name, error);
  while (*error == NULL)
    {
      g_autofree char *field = NULL;
      ThriftType type = T_STOP;
      gint16 id = 0;
      thrift_protocol_read_field_begin (protocol, &field, &type, &id, error);
      if (type == T_STOP)
        break;
      if (id == wanted)
        take (protocol, attributes, error);
      else
        thrift_protocol_skip (protocol, type, error);
    }
  thrift_protocol_read_struct_end (protocol, error);
}

static void
read_descriptor (ThriftProtocol *protocol, GPtrArray *attributes, GError **error)
{
  read_field (protocol, ATTRIBUTES, read_map, attributes, error);
}

/**
 * tall_fake_table_read_attributes:
 * @attributes: gets those of the descriptor that is the call's argument
 *
 * Reads the arguments of `modifyTable`.
 */
void
tall_fake_table_read_attributes (ThriftProtocol *protocol, GPtrArray *attributes, GError **error)
{
  read_field (protocol, 1, read_descriptor, attributes, error);
}
