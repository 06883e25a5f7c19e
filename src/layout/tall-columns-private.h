/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-cell.h"
#include "tall-customer.h"
#include "tall-mutation.h"
#include "tall-order.h"

G_BEGIN_DECLS

/**
 * TallColumnType:
 *
 * How a field becomes the value of a cell; see FORMAT.md for the bytes.
 *
 * @TALL_COLUMN_TEXT: `char *`, NULL = no cell
 * @TALL_COLUMN_DATE: `gint64` with its `has_…` flag
 * @TALL_COLUMN_DECIMAL: `TallDecimal` with its `has_…` flag
 * @TALL_COLUMN_NUMBER: `gint32`, always a cell
 * @TALL_COLUMN_ATTRIBUTES: `TallAttributes`, none = no cell
 * @TALL_COLUMN_PHONES: `char **` with its count, none = no cell
 * @TALL_COLUMN_ADDRESS: a cell only if the address is present and has no text
 * @TALL_COLUMN_ADDRESS_TEXT: `char *` within the address
 */
typedef enum
{
  TALL_COLUMN_TEXT,
  TALL_COLUMN_DATE,
  TALL_COLUMN_DECIMAL,
  TALL_COLUMN_NUMBER,
  TALL_COLUMN_ATTRIBUTES,
  TALL_COLUMN_PHONES,
  TALL_COLUMN_ADDRESS,
  TALL_COLUMN_ADDRESS_TEXT,
} TallColumnType;

typedef struct
{
  TallSlice qualifier;
  TallColumnType type;
  gsize offset;    /* bytes from the start of the struct (address texts: of TallAddress) */
  gsize companion; /* where the `has_…` flag or the count is, for types that have one */
} TallColumn;

/**
 * TallColumns:
 *
 * The columns that one kind of row keeps the fields of one struct in.
 */
typedef struct
{
  const TallColumn *columns; /* n_columns of them, sorted by qualifier */
  guint n_columns;
  gsize address; /* offset of the struct's `TallAddress *`, if it has address columns */
} TallColumns;

extern const TallColumns tall_columns_order;       /* of TallOrder: root rows */
extern const TallColumns tall_columns_location;    /* of TallShippingLocation */
extern const TallColumns tall_columns_ship_to;     /* the same under other names, for lines' rows */
extern const TallColumns tall_columns_ship_number; /* of these nothing but the number */
extern const TallColumns tall_columns_line;        /* of TallLineItem */
extern const TallColumns tall_columns_customer;    /* of TallCustomer */

/**
 * TallColumnsReader:
 *
 * What is needed to read the rows of one order or customer.
 */
typedef struct
{
  const char *table; /* for error messages */
  gint64 revision;   /* cells with other timestamps do not count */
  TallArena *arena;  /* where the fields go */
} TallColumnsReader;

void tall_columns_append (const TallColumns *self,
                          gconstpointer fields,
                          gint64 revision,
                          TallBatch *batch,
                          TallMutation *mutation);
gboolean tall_columns_read (const TallColumns *self,
                            const TallColumnsReader *reader,
                            const TallRow *row,
                            gpointer fields,
                            guint *n_cells,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean
tall_columns_set_damaged (GError **error, const char *table, TallSlice row, const char *format, ...)
    G_GNUC_PRINTF (4, 5);

G_END_DECLS
