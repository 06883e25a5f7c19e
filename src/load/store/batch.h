/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/reader.h"
#include "load/store/rejects.h"
#include "tall-bulk.h"
#include "tall-customer.h"
#include "tall-front.h"
#include "tall-order.h"

G_BEGIN_DECLS

/* An order or a customer made of rows of the file, and those rows, so that they can be rejected
 * together. */
typedef struct
{
  TallOrder *order;       /* owned; NULL if it is a customer */
  TallCustomer *customer; /* owned; NULL if it is an order */
  GArray *rows;           /* of TallItemRow */
  GByteArray *raw;        /* the bytes of all rows */
  GError *unknown;        /* owned; of the first put after which it may be stored; NULL: none */
} TallLoadItem;

typedef struct
{
  guint file; /* as in #TallCsvRow */
  guint64 line;
  gsize offset; /* in @raw */
  gsize len;
  gboolean is_repeated; /* an earlier row of the customer, or in an earlier file one of the order,
                         * is the same */
} TallItemRow;

TallLoadItem *tall_load_item_new (void);
void tall_load_item_free (TallLoadItem *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallLoadItem, tall_load_item_free)

void tall_load_item_add_row (TallLoadItem *self, const TallCsvRow *row);
guint64 tall_load_item_get_line (const TallLoadItem *self);
gboolean tall_load_item_is_repeated (const TallLoadItem *self);
guint tall_load_item_count_rows (const TallLoadItem *self);
char *tall_load_item_compare (const TallLoadItem *self,
                              TallFront *front,
                              gboolean *same,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_load_item_reject (TallLoadItem *self,
                            TallRejects *rejects,
                            const char *kind,
                            const char *reason);

/**
 * TallLoadEnd:
 * @TALL_LOAD_STORED: it is stored; and, of a count that is reported, safe from a crash
 * @TALL_LOAD_REVIVED: the same, of one that had been deleted
 * @TALL_LOAD_UNCHANGED: the same was stored before
 * @TALL_LOAD_SKIPPED: another content was stored before, and was left
 * @TALL_LOAD_OVERTAKEN: another program has written it at the same time
 * @TALL_LOAD_REPEATED: only of rows, and of customers of such a row: an earlier one is the same
 *
 * What becomes of an order or a customer that is not rejected.
 */
typedef enum
{
  TALL_LOAD_STORED,
  TALL_LOAD_REVIVED,
  TALL_LOAD_UNCHANGED,
  TALL_LOAD_SKIPPED,
  TALL_LOAD_OVERTAKEN,
  TALL_LOAD_REPEATED,
  TALL_LOAD_N_ENDS
} TallLoadEnd;

/* Orders, or customers, that had one end. */
typedef struct
{
  guint64 items;
  guint64 rows;  /* of all files, of these */
  guint64 lines; /* of these orders */
} TallLoadTally;

/* Counts orders or customers by their end, and their rows also by their file. Not thread-safe. */
typedef struct
{
  TallLoadTally ends[TALL_LOAD_N_ENDS];
  GArray *files; /* of guint64[TALL_LOAD_N_ENDS]: rows, by number of the file; perhaps not of all */
} TallLoadLedger;

void tall_load_ledger_init (TallLoadLedger *self);
void tall_load_ledger_clear (TallLoadLedger *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallLoadLedger, tall_load_ledger_clear)

void tall_load_ledger_add (TallLoadLedger *self, const TallLoadItem *item, TallLoadEnd end);
void tall_load_ledger_move (TallLoadLedger *self, TallLoadLedger *from);
guint64 tall_load_ledger_count_rows (const TallLoadLedger *self, guint file, TallLoadEnd end);

char *tall_load_item_find_namesake (const TallLoadItem *self,
                                    TallFront *front,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* @result: what became of @item. Returns: FALSE if the item is to be put again */
typedef gboolean (*TallLoadSettle) (TallLoadItem *item,
                                    const TallBulkResult *result,
                                    gpointer data);

/* Orders, or customers, that are put together. Not thread-safe. */
typedef struct
{
  GPtrArray *items; /* of TallLoadItem, owned: those that are not settled */
  gsize bytes;      /* of the rows of all that were added */
  gboolean unique;  /* an order is refused if another customer has one of its number */
} TallLoadBatch;

TallLoadBatch *tall_load_batch_new (void);
void tall_load_batch_free (TallLoadBatch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallLoadBatch, tall_load_batch_free)

void tall_load_batch_add (TallLoadBatch *self, TallLoadItem *item);
void tall_load_batch_put (
    TallLoadBatch *self, TallBulk *bulk, TallFront *front, TallLoadSettle settle, gpointer data);

G_END_DECLS
