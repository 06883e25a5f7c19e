/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/operation.h"

G_BEGIN_DECLS

#define TALL_VERIFY_MAX_TABLES 4

/**
 * TallVerifyGroup:
 *
 * All rows of an order, or the row of a customer, in all tables of the layout. Valid until the next
 * step of the scan.
 */
typedef struct
{
  TallSlice customer; /* the parts of the row keys */
  TallSlice order;    /* empty: a customer */
  guint n_tables;
  const char *tables[TALL_VERIFY_MAX_TABLES];
  GArray *rows[TALL_VERIFY_MAX_TABLES]; /* of TallRow, one array for each table */
} TallVerifyGroup;

/**
 * TallVerifyScan:
 *
 * Walks all tables of the layout side by side, order by order, as all have the same order of
 * customers and orders. It holds a page of each table, and the rows of one order.
 */
typedef struct _TallVerifyScan TallVerifyScan;

/* A row whose key no layout makes; the first of @n_rows such rows between those of one order; or
 * (@error) where a table cannot be read any further. Returns: FALSE to pause the scan after it;
 * between the rows of an order it goes on. */
typedef gboolean (*TallVerifyStray) (
    const char *table, TallSlice row, guint n_rows, const GError *error, gpointer data);

TallVerifyScan *tall_verify_scan_new (const TallStoreContext *context,
                                      TallSlice customer,
                                      TallVerifyStray on_stray,
                                      gpointer data);
gboolean tall_verify_scan_go_to (TallVerifyScan *self, TallReader *place) G_GNUC_WARN_UNUSED_RESULT;
void tall_verify_scan_append_place (const TallVerifyScan *self, GByteArray *place);
void tall_verify_scan_free (TallVerifyScan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallVerifyScan, tall_verify_scan_free)

const TallVerifyGroup *tall_verify_scan_next (TallVerifyScan *self,
                                              gboolean *paused,
                                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_verify_scan_skip_customer (TallVerifyScan *self, TallSlice customer);

/**
 * TallVerifyRows:
 *
 * All rows of an order, or the row of a customer, read by themselves. All zero: nothing was read.
 */
typedef struct
{
  TallVerifyScan *scan; /* owned */
  TallVerifyGroup group;
} TallVerifyRows;

gboolean tall_verify_rows_read (TallVerifyRows *self,
                                const TallStoreContext *context,
                                TallSlice customer,
                                TallSlice order,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_verify_rows_clear (TallVerifyRows *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallVerifyRows, tall_verify_rows_clear)

G_END_DECLS
