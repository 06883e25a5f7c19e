/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-struct-type.h"

const ThriftType tall_field_wire_types[TALL_N_FIELD_KINDS] = {
  [TALL_FIELD_BOOL] = T_BOOL,      [TALL_FIELD_I32] = T_I32,      [TALL_FIELD_I64] = T_I64,
  [TALL_FIELD_TEXT] = T_STRING,    [TALL_FIELD_BYTES] = T_STRING, [TALL_FIELD_DECIMAL] = T_STRUCT,
  [TALL_FIELD_STRUCT] = T_STRUCT,  [TALL_FIELD_STRUCTS] = T_LIST, [TALL_FIELD_TEXTS] = T_LIST,
  [TALL_FIELD_ATTRIBUTES] = T_MAP,
};

/**
 * tall_field_is_there:
 * @object: a struct that has the field
 *
 * Returns: whether the field is to be sent; lists and maps always are
 */
gboolean
tall_field_is_there (const TallField *self, gconstpointer object)
{
  switch ((TallFieldKind)self->kind)
    {
    case TALL_FIELD_TEXT:
    case TALL_FIELD_STRUCT:
    case TALL_FIELD_BYTES: /* a slice begins with its pointer */
      return G_STRUCT_MEMBER (gconstpointer, object, self->offset) != NULL;
    case TALL_FIELD_STRUCTS:
    case TALL_FIELD_TEXTS:
    case TALL_FIELD_ATTRIBUTES:
      return TRUE;
    default:
      return self->beside == TALL_FIELD_ALWAYS || G_STRUCT_MEMBER (gboolean, object, self->beside);
    }
}
