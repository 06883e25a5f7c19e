/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "layout/columns.h"
#include "layout/layout.h"
#include "tall-order.h"

/**
 * TallRowParts:
 *
 * Names the parts of a row key from left to right. Once a part is not there, the rest of the key
 * becomes one part `unexpected`, and all later steps do nothing.
 */
typedef struct
{
  const TallKeyStrategy *strategy;
  TallSlice rest;
  GArray *parts; /* of TallRowPart; not owned */
  gboolean failed;
} TallRowParts;

static inline TallRowParts
tall_row_parts (const TallKeyStrategy *strategy, TallSlice row, GArray *parts)
{
  return (TallRowParts){ strategy, row, parts, FALSE };
}

void tall_row_parts_take (TallRowParts *self, const char *name, gssize len);
void tall_row_parts_take_customer (TallRowParts *self);
void tall_row_parts_take_order (TallRowParts *self);
int tall_row_parts_take_type (TallRowParts *self, guint8 first, guint8 last);
void tall_row_parts_end (TallRowParts *self);

/**
 * Root rows of orders. Each function that has the name of a slot of #TallLayout fills it, for
 * layouts whose root rows have the row key C O in a table of their own (locate, find, tables with
 * that of the customers), whose orders are nothing but that row (plan, name_parts), or that have a
 * column a field (append_columns).
 */
#define TALL_ORDERS "orders"

extern const TallLayoutTable tall_root_rows_tables[];

const char *tall_root_rows_locate (const TallOrderKey *key, GByteArray *row);
const TallRow *tall_root_rows_find (const TallFoundRows *found, GError **error);
void tall_root_rows_plan (const TallOrderKey *key, TallReadPlan *plan);
void tall_root_rows_name_parts (const TallKeyStrategy *strategy,
                                const char *table,
                                TallSlice row,
                                GArray *parts);
void tall_root_rows_append_columns (const TallOrder *order,
                                    TallSlice canonical,
                                    gint64 revision,
                                    TallBatch *batch,
                                    TallMutation *root);

/**
 * Customers in a table of their own: row key C, and either a column a field, or the canonical form
 * in column `customer`. Each function fills the slot of #TallLayout that it is named after.
 */
#define TALL_CUSTOMERS "customers"

const char *tall_customer_rows_locate (const TallOrderKey *key, GByteArray *row);

void tall_customer_columns_append (const TallCustomer *customer,
                                   TallSlice canonical,
                                   gint64 revision,
                                   TallBatch *batch,
                                   TallMutation *row);
TallCustomer *tall_customer_columns_decode (const char *number,
                                            const TallRow *row,
                                            gint64 revision,
                                            GError **error);

/* Also for rows of customers in another table. */
TallCustomer *tall_customer_columns_read (
    const char *table, const char *number, const TallRow *row, gint64 revision, GError **error);

void tall_customer_blob_append (const TallCustomer *customer,
                                TallSlice canonical,
                                gint64 revision,
                                TallBatch *batch,
                                TallMutation *row);
TallCustomer *
tall_customer_blob_decode (const char *number, const TallRow *row, gint64 revision, GError **error);

/* Also for other cells that hold a canonical form. */
const TallCell *tall_blob_find (
    const char *table, const TallRow *row, const char *column, gint64 revision, GError **error);
gboolean tall_blob_set_damaged (
    GError **error, const char *table, TallSlice row, const char *column, GError *why);

/**
 * TallOrderLines:
 *
 * Lines on their way to the locations of an order under construction. They come sorted by location,
 * and all locations are there before them; so each line belongs to the location of the line before
 * it or to a later one.
 */
typedef struct
{
  TallOrder *order; /* not owned */
  gsize at;         /* index of the location that the last line belongs to */
} TallOrderLines;

void tall_order_lines_add_location (TallOrderLines *self, TallShippingLocation *location);
gboolean tall_order_lines_add (TallOrderLines *self,
                               TallLineItem *line,
                               guint32 location_number) G_GNUC_WARN_UNUSED_RESULT;

/* The byte after the order part, where rows of several types share a table. */
enum
{
  TALL_ROW_ROOT = 1,
  TALL_ROW_LOCATION = 2,
  TALL_ROW_LINE = 3,
};

/**
 * TallRowPlace:
 *
 * Where rows of one type lie: the numbers follow the prefix, 4 bytes each.
 */
typedef struct
{
  const char *table;
  TallSlice prefix;
} TallRowPlace;

/**
 * TallOrderRows:
 *
 * An order under construction, whose locations (prefix + location) and lines (prefix + location +
 * line) have rows of their own. Rows are read in the order of their keys, locations before lines.
 */
typedef struct
{
  TallColumnsReader reader;
  TallRowPlace locations;
  TallRowPlace lines;
  TallOrderLines order_lines;
} TallOrderRows;

void tall_order_rows_append (const TallOrder *order,
                             TallRowPlace locations,
                             TallRowPlace lines,
                             gint64 revision,
                             TallBatch *batch);

void tall_order_rows_plan_location (TallRowPlace locations,
                                    TallRowPlace lines,
                                    gint32 location,
                                    TallReadPlan *plan);

gboolean tall_order_rows_read_location (TallOrderRows *self, const TallRow *row, GError **error);
gboolean tall_order_rows_read_line (TallOrderRows *self, const TallRow *row, GError **error);

gboolean tall_order_rows_check_number (const TallColumnsReader *reader,
                                       const TallRow *row,
                                       const char *column,
                                       gint32 number,
                                       guint32 expected,
                                       GError **error);
gboolean tall_order_rows_check_unexpected (const TallColumnsReader *reader,
                                           const TallRow *row,
                                           GError **error);

/* TRUE if @key is one of that place with @n_numbers numbers behind the prefix. */
static inline gboolean
tall_row_place_has (const TallRowPlace *self, TallSlice key, guint n_numbers)
{
  return key.len == self->prefix.len + 4 * n_numbers && tall_slice_has_prefix (key, self->prefix);
}
