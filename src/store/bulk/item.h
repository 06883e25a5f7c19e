/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bulk.h"
#include "store/commit/content.h"
#include "store/commit/root.h"

G_BEGIN_DECLS

/**
 * TallBulkStep:
 * @TALL_BULK_DECIDED: its result is known
 * @TALL_BULK_FRESH: it is taken for new
 * @TALL_BULK_ORDINARY: it is put as any other: something is there
 * @TALL_BULK_MET: it was sent, and others have written to its row, too
 */
typedef enum
{
  TALL_BULK_DECIDED,
  TALL_BULK_FRESH,
  TALL_BULK_ORDINARY,
  TALL_BULK_MET,
} TallBulkStep;

/**
 * TallBulkItem:
 *
 * An order or a customer that a load puts.
 */
typedef struct
{
  TallOperation operation;
  TallContent content;
  TallBulkResult *result; /* not owned */
  TallBulkStep step;
  gboolean is_twice; /* the same came before it in this batch, and goes first */
} TallBulkItem;

gboolean tall_bulk_item_init_order (TallBulkItem *self,
                                    const TallStoreContext *context,
                                    TallOrder *order,
                                    TallBulkResult *result);
gboolean tall_bulk_item_init_customer (TallBulkItem *self,
                                       const TallStoreContext *context,
                                       TallCustomer *customer,
                                       TallBulkResult *result);
void tall_bulk_item_clear (TallBulkItem *self);

void tall_bulk_item_decide (TallBulkItem *self, TallBulkOutcome outcome, gint64 revision);
void tall_bulk_item_refuse (TallBulkItem *self, GError *cause);
void tall_bulk_item_overtake (TallBulkItem *self);
gboolean tall_bulk_item_is_same (const TallBulkItem *self, const TallState *state);
gboolean tall_bulk_item_is_stored (const TallBulkItem *self, const TallRoot *root);
void tall_bulk_item_put (TallBulkItem *self, TallBulkExisting on_existing);

G_END_DECLS
