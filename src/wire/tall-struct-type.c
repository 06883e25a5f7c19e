/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-struct-type.h"

const ThriftType tall_struct_wire_types[TALL_N_KINDS] = {
  [TALL_KIND_BOOL] = T_BOOL,     [TALL_KIND_I32] = T_I32,      [TALL_KIND_I64] = T_I64,
  [TALL_KIND_TEXT] = T_STRING,   [TALL_KIND_BYTES] = T_STRING, [TALL_KIND_DECIMAL] = T_STRUCT,
  [TALL_KIND_STRUCT] = T_STRUCT, [TALL_KIND_STRUCTS] = T_LIST, [TALL_KIND_TEXTS] = T_LIST,
  [TALL_KIND_PAIRS] = T_MAP,
};

/**
 * tall_struct_field_is_there:
 * @object: a struct that has the field
 *
 * Returns: whether the field is to be sent; lists and maps always are
 */
gboolean
tall_struct_field_is_there (const TallStructField *self, gconstpointer object)
{
  switch ((TallStructKind)self->kind)
    {
    case TALL_KIND_TEXT:
    case TALL_KIND_STRUCT:
    case TALL_KIND_BYTES: /* a slice begins with its pointer */
      return G_STRUCT_MEMBER (gconstpointer, object, self->offset) != NULL;
    case TALL_KIND_STRUCTS:
    case TALL_KIND_TEXTS:
    case TALL_KIND_PAIRS:
      return TRUE;
    default:
      return self->beside == TALL_STRUCT_ALWAYS || G_STRUCT_MEMBER (gboolean, object, self->beside);
    }
}
