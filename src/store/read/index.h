/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/commit/root.h"
#include "store/record/indexes.h"

G_BEGIN_DECLS

/* The column of an entry, for people: which order it leads to. */
#define TALL_INDEX_QUALIFIER tall_slice_str ("order_number")

/* Bytes of the date in a row key of the index by date. */
#define TALL_INDEX_DATE_SIZE 8

/**
 * TallEntry:
 *
 * A row of an index that leads to an order.
 */
typedef struct
{
  const TallIndex *index;
  GByteArray *row; /* owned: its key */
} TallEntry;

void tall_index_append_row (TallSlice customer, gint64 sales_date, GByteArray *row);

const TallIndex *tall_index_split (const TallStoreContext *context,
                                   const char *table,
                                   TallSlice row,
                                   TallSlice *customer,
                                   TallSlice *order);

GPtrArray *tall_entries_of_order (const TallStoreContext *context,
                                  const TallOrderKey *key,
                                  const TallOrder *order);
gboolean tall_entry_counts (const TallIndex *index,
                            TallSlice row,
                            const TallOrderKey *key,
                            const TallState *state,
                            const TallOrderSummary *summary);
GPtrArray *tall_entries_of_state (const TallOperation *operation, const TallState *state);
const TallEntry *tall_entries_find (const GPtrArray *self, const char *table, TallSlice row);
TallMutation *tall_entry_add (const TallEntry *self,
                              const TallOperation *operation,
                              gint64 revision,
                              TallBatch *batch);

void
tall_entries_prepare (TallOperation *operation, const TallOrder *order, const TallState *replaced);
gboolean tall_entries_go_before (const TallOperation *operation);
void tall_entries_add (const TallOperation *operation, gint64 revision, TallBatch *batch);
void tall_entries_add_removal (const TallOperation *operation, gint64 replaced, TallBatch *batch);
gboolean tall_entries_write (TallOperation *operation,
                             const TallRoot *root,
                             gint64 revision,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
