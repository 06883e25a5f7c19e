/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-columns-private.h"

G_BEGIN_DECLS

/**
 * TallColumnTypeClass:
 *
 * How a type of column is encoded and decoded. @fields points to the struct that the column's
 * offsets refer to: for the two types of address columns, a #TallAddress.
 */
typedef struct
{
  /* FALSE if the field is absent; else @value, pointing into @fields or allocated in @arena. */
  gboolean (*encode) (const TallColumn *column,
                      gconstpointer fields,
                      TallArena *arena,
                      TallSlice *value);

  /* Sets the field, allocating in @arena; FALSE with TALL_ERROR_DAMAGED if @value cannot be one.
   * @value can be any bytes. */
  gboolean (*decode) (
      const TallColumn *column, TallSlice value, TallArena *arena, gpointer fields, GError **error);
} TallColumnTypeClass;

const TallColumnTypeClass *tall_column_type_get (TallColumnType type);

G_END_DECLS
