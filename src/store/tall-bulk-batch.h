/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bulk-item.h"
#include "tall-loads.h"

G_BEGIN_DECLS

/**
 * TallBulkBatch:
 *
 * Orders, or customers, that a load puts together.
 */
typedef struct
{
  const TallStoreContext *context;
  TallLoads *loads; /* not owned */
  TallBulkExisting on_existing;
  gboolean assume_new;
  const guint8 *token; /* of the load */
  TallBulkItem *items; /* n_items of them; the caller clears them */
  guint n_items;
} TallBulkBatch;

void tall_bulk_batch_run (TallBulkBatch *self);

G_END_DECLS
