/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bulk.h"
#include "store/bulk/loads.h"
#include "store/follow.h"

G_BEGIN_DECLS

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

G_END_DECLS
