/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/commit/root.h"

/* The short names of the tables that hold hints by date, and entries; layout/FORMAT.md draws their
 * rows. */
#define TALL_INDEX_TABLE "index"
#define TALL_ENTRIES_TABLE "entries"

/* The column of a hint, for people: which order it leads to. */
#define TALL_INDEX_QUALIFIER tall_slice_str ("order_number")

/* The column in place of that where a row by date is exact: see tall_index_add_dated(). */
#define TALL_DATED_QUALIFIER TALL_SUMMARY_QUALIFIER

/* Bytes of the date in a row key. */
#define TALL_INDEX_DATE_SIZE 8

void tall_index_append_row (TallSlice customer, gint64 sales_date, GByteArray *row);

gboolean tall_index_split (const TallStoreContext *context,
                           TallSlice row,
                           TallSlice *customer,
                           TallSlice *order) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallHint:
 *
 * A row that leads to an order, by its date or as an entry of another index.
 */
typedef struct
{
  const char *table; /* static */
  GByteArray *row;   /* owned: key */
} TallHint;

GArray *
tall_index_list (const TallStoreContext *context, const TallOrderKey *key, const TallOrder *order);
const TallHint *tall_index_get (const GArray *hints, guint i);
gboolean tall_index_has (const GArray *hints, const char *table, TallSlice row);
gboolean tall_index_leads_to (TallSlice row, const TallOrderKey *key, gint64 sales_date);
void tall_index_put_hint (const TallHint *hint,
                          const char *order_number,
                          gint64 revision,
                          TallBatch *batch);

const TallCell *tall_index_find_dated (const TallRow *row);
void tall_index_add_dated (const TallOperation *operation,
                           const TallState *committed,
                           TallSlice summary,
                           TallBatch *batch);
void tall_index_add_undated (const TallOperation *operation,
                             const TallState *replaced,
                             const TallState *committed,
                             TallBatch *batch);

void tall_index_remember (TallOperation *operation, const TallOrder *order, gint64 revision);
void
tall_index_prepare (TallOperation *operation, const TallOrder *order, const TallState *replaced);
void tall_index_prepare_hints (TallOperation *operation, const TallOrder *order);
gboolean tall_index_goes_before (const TallOperation *operation);
void tall_index_add_hints (const TallOperation *operation, gint64 revision, TallBatch *batch);
void tall_index_add_removals (const TallOperation *operation, gint64 replaced, TallBatch *batch);
gboolean tall_index_write (TallOperation *operation,
                           const TallRoot *root,
                           gint64 revision,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
