/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "wire/wire-input.h"

/* Values that nobody asked for, from a newer sender. They meet the same limits as all others. */

static gboolean
skip_struct (TallWireInput *self, GError **error)
{
  TallWireField field = { 0 };
  if (!tall_wire_input_begin_struct (self, error))
    return FALSE;
  for (;;)
    {
      if (!tall_wire_input_next_field (self, &field, error))
        return FALSE;
      if (field.type == TALL_WIRE_STOP)
        break;
      if (!tall_wire_input_skip (self, field.type, error))
        return FALSE;
    }
  tall_wire_input_end (self);
  return TRUE;
}

static gboolean
skip_list (TallWireInput *self, GError **error)
{
  TallWireType type = TALL_WIRE_STOP;
  guint32 size = 0;

  if (!tall_wire_input_begin_list (self, &type, &size, error))
    return FALSE;
  for (guint32 i = 0; i < size; i++)
    if (!tall_wire_input_skip (self, type, error))
      return FALSE;
  tall_wire_input_end (self);
  return TRUE;
}

static gboolean
skip_map (TallWireInput *self, GError **error)
{
  TallWireType key_type = TALL_WIRE_STOP, value_type = TALL_WIRE_STOP;
  guint32 size = 0;

  if (!tall_wire_input_begin_map (self, &key_type, &value_type, &size, error))
    return FALSE;
  for (guint32 i = 0; i < size; i++)
    if (!tall_wire_input_skip (self, key_type, error)
        || !tall_wire_input_skip (self, value_type, error))
      return FALSE;
  tall_wire_input_end (self);
  return TRUE;
}

/* A value of a fixed size, or a number of variable length. */
static gboolean
skip_scalar (TallWireInput *self, TallWireType type, GError **error)
{
  gint64 number;
  guint size = tall_wire_min_size (self->compact, type);
  if (size == 0)
    return tall_wire_input_reject (self, error, "a value of an unknown type");
  if (self->compact && (type == TALL_WIRE_I16 || type == TALL_WIRE_I32 || type == TALL_WIRE_I64))
    return tall_wire_input_i64 (self, &number, error);
  return tall_wire_input_pass (self, size, error);
}

/**
 * tall_wire_input_skip:
 *
 * Skips a value of an unknown field, however it is nested, within the transport's limits.
 */
gboolean
tall_wire_input_skip (TallWireInput *self, TallWireType type, GError **error)
{
  TallSlice bytes;
  gboolean truth;

  switch (type)
    {
    case TALL_WIRE_STRUCT:
      return skip_struct (self, error);
    case TALL_WIRE_LIST:
    case TALL_WIRE_SET:
      return skip_list (self, error);
    case TALL_WIRE_MAP:
      return skip_map (self, error);
    case TALL_WIRE_STRING:
      return tall_wire_input_bytes (self, &bytes, error);
    case TALL_WIRE_BOOL:
      return tall_wire_input_bool (self, &truth, error);
    default:
      return skip_scalar (self, type, error);
    }
}
