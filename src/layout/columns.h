/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cell/cell.h"
#include "model/model-type.h"

/**
 * TallColumn:
 *
 * A field as a column; see FORMAT.md for the bytes of its cell. An absent field has none. The texts
 * of an address are columns of their own; the address is one, too, for one that has no text.
 */
typedef struct
{
  TallSlice qualifier;
  const TallModelField *field;
  const TallModelField *address; /* of the struct, that @field belongs to; NULL: to none */
} TallColumn;

/* Made once, out of the fields. */
typedef struct
{
  gsize made;
  TallColumn *columns; /* n_columns of them, sorted by qualifier */
  guint n_columns;
} TallColumnList;

/**
 * TallColumns:
 *
 * The columns that one kind of row keeps the fields of one struct in: a column a field, of its
 * name. Numbers of customers and orders are in the row key, lists in rows of their own.
 */
typedef struct
{
  const TallModelType *type;
  const char *prefix;   /* of all qualifiers; then `ship_date` is `date` */
  gboolean only_number; /* no other field than the number */
  TallColumnList *list;
} TallColumns;

#define TALL_SHIP "ship"
#define TALL_SHIP_PREFIX TALL_SHIP "." /* of the qualifiers of a ship-to */

extern const TallColumns tall_columns_order;       /* of TallOrder: root rows */
extern const TallColumns tall_columns_location;    /* of TallShippingLocation */
extern const TallColumns tall_columns_ship_to;     /* the same under other names, for lines' rows */
extern const TallColumns tall_columns_ship_number; /* of these nothing but the number */
extern const TallColumns tall_columns_line;        /* of TallLineItem */
extern const TallColumns tall_columns_customer;    /* of TallCustomer */

const TallColumnList *tall_columns_list (const TallColumns *self);

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
