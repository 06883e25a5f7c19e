/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/bulk/item.h"
#include "store/bulk/loads.h"

G_BEGIN_DECLS

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

G_END_DECLS
