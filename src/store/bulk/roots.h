/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/bulk/batch.h"

G_BEGIN_DECLS

TallBulkItem *
tall_bulk_batch_find_next (const TallBulkBatch *self, TallBulkItem *item, TallBulkStep step);

/* What is taken for new, one after the other. */
static inline TallBulkItem *
tall_bulk_batch_first_fresh (const TallBulkBatch *self)
{
  return tall_bulk_batch_find_next (self, NULL, TALL_BULK_FRESH);
}

static inline TallBulkItem *
tall_bulk_batch_next_fresh (const TallBulkBatch *self, TallBulkItem *item)
{
  return tall_bulk_batch_find_next (self, item, TALL_BULK_FRESH);
}

gboolean tall_bulk_batch_look (TallBulkBatch *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bulk_batch_read_back (TallBulkBatch *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
