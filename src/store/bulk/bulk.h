/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/bulk/loads.h"
#include "store/commit/root.h"
#include "store/follow.h"
#include "tall-bulk.h"

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

/**
 * TallBulkBatch:
 *
 * Orders, or customers, that a load puts together.
 */
typedef struct
{
  const TallStoreContext *context; /* that is believed to count */
  TallLoads *loads;                /* not owned */
  TallBulkExisting on_existing;
  gboolean assume_new;
  const guint8 *token; /* of the load */
  TallBulkItem *items; /* n_items of them; the caller clears them */
  guint n_items;

  /* Of what is new; begins with zeros. */
  gint64 revision;    /* at which it is written, in whichever tables; 0: none is taken yet */
  gboolean has_begun; /* it may be that some of it is written */
  gboolean has_sent;  /* that root rows are */
} TallBulkBatch;

void tall_bulk_batch_run (TallBulkBatch *self);

void tall_bulk_number_customers (const TallStoreContext *context,
                                 const TallBulkItem *items,
                                 guint n_items);

/**
 * TallStoreBulk:
 *
 * A load into a store: many rows are written together, and not synced one by one.
 */
#define TALL_TYPE_STORE_BULK (tall_store_bulk_get_type ())
G_DECLARE_FINAL_TYPE (TallStoreBulk, tall_store_bulk, TALL, STORE_BULK, TallBulk)

TallBulk *tall_store_bulk_new (TallFront *store,
                               TallFollower *follower,
                               TallLoadRevisions *revisions,
                               const TallBulkOptions *options);
