/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bulk.h"
#include "load/store/item.h"

G_BEGIN_DECLS

/**
 * TallLoadSettle:
 * @result: what became of @item
 *
 * Returns: FALSE if the item is to be put again
 */
typedef gboolean (*TallLoadSettle) (TallLoadItem *item,
                                    const TallBulkResult *result,
                                    gpointer data);

/**
 * TallLoadBatch:
 *
 * Orders, or customers, that are put together. Not thread-safe.
 */
typedef struct
{
  GPtrArray *items; /* of TallLoadItem, owned: those that are not settled */
  gsize bytes;      /* of the rows of all that were added */
} TallLoadBatch;

TallLoadBatch *tall_load_batch_new (void);
void tall_load_batch_free (TallLoadBatch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallLoadBatch, tall_load_batch_free)

void tall_load_batch_add (TallLoadBatch *self, TallLoadItem *item);
void tall_load_batch_put (
    TallLoadBatch *self, TallBulk *bulk, TallFront *front, TallLoadSettle settle, gpointer data);

G_END_DECLS
