/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/bulk/batch.h"
#include "store/bulk/loads.h"
#include "store/follow.h"
#include "tall-bulk.h"

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
