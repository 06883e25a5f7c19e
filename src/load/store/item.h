/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/reader.h"
#include "tall-customer.h"
#include "tall-front.h"
#include "tall-order.h"
#include "load/store/rejects.h"

G_BEGIN_DECLS

/**
 * TallLoadItem:
 *
 * An order or a customer made of rows of the file, and those rows, so that they can be rejected
 * together.
 */
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
} TallItemRow;

TallLoadItem *tall_load_item_new (void);
void tall_load_item_free (TallLoadItem *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallLoadItem, tall_load_item_free)

void tall_load_item_add_row (TallLoadItem *self, const TallCsvRow *row);
guint64 tall_load_item_get_line (const TallLoadItem *self);
guint tall_load_item_count_rows (const TallLoadItem *self);
gboolean tall_load_item_compare (const TallLoadItem *self,
                                 TallFront *front,
                                 gboolean *same,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_load_item_reject (TallLoadItem *self,
                            TallRejects *rejects,
                            const char *kind,
                            const char *reason);

G_END_DECLS
