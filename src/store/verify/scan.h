/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/operation.h"

#define TALL_VERIFY_MAX_TABLES 4

/**
 * tall_verify_deadline:
 *
 * Returns: until when one call of the table may take, in a verification, repair or erase
 */
static inline gint64
tall_verify_deadline (void)
{
  return g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
}

/**
 * TallVerifyStray:
 *
 * Rows of a table that are of nobody, or that cannot be read.
 */
typedef struct
{
  const char *table;
  GByteArray *row; /* owned: key of the first; with @cause: what is before it can be read */
  guint n_rows;    /* between those of one order; else 1 */
  GError *cause;   /* owned; NULL: no layout makes such keys */
} TallVerifyStray;

void tall_verify_stray_clear (TallVerifyStray *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallVerifyStray, tall_verify_stray_clear)

/**
 * TallVerifyPages:
 *
 * Rows of a table, page by page; goes on behind those that cannot be read.
 */
typedef struct
{
  TallTable *in;
  const char *table;
  GByteArray *next; /* owned: where the next page begins */
  TallSlice stop;   /* empty: the end of the table */
  guint limit;      /* rows of a page */
  gboolean ended;
} TallVerifyPages;

TallReadResult *tall_verify_pages_read (TallVerifyPages *self,
                                        TallVerifyStray *gap,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_verify_pages_clear (TallVerifyPages *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallVerifyPages, tall_verify_pages_clear)

/**
 * TallVerifyGroup:
 *
 * All rows of an order, or the row of a customer, in all tables of the layout. Valid until the next
 * step of the scan.
 */
typedef struct
{
  TallSlice customer; /* the parts of the row keys; empty: there are only strays */
  TallSlice order;    /* empty: a customer */
  guint n_tables;
  const char *tables[TALL_VERIFY_MAX_TABLES];
  GArray *rows[TALL_VERIFY_MAX_TABLES]; /* of TallRow, one array for each table */
  GArray *strays;                       /* of TallVerifyStray: what the scan has met */
} TallVerifyGroup;

/**
 * TallVerifyScan:
 *
 * Walks all tables of the layout side by side, order by order, as all have the same order of
 * customers and orders. It holds a page of each table, and the rows of one order.
 */
typedef struct _TallVerifyScan TallVerifyScan;

TallVerifyScan *tall_verify_scan_new (const TallStoreContext *context, TallSlice customer);
void tall_verify_scan_go_to (TallVerifyScan *self, TallReader *place);
void tall_verify_scan_append_place (const TallVerifyScan *self, GByteArray *place);
void tall_verify_scan_free (TallVerifyScan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallVerifyScan, tall_verify_scan_free)

const TallVerifyGroup *tall_verify_scan_next (TallVerifyScan *self,
                                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_verify_scan_skip_customer (TallVerifyScan *self, TallSlice customer);
TallVerifyScan *tall_verify_scan_read (const TallStoreContext *context,
                                       TallSlice customer,
                                       TallSlice order,
                                       const TallVerifyGroup **group,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
