/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallStoreCount:
 * @TALL_STORE_COMMITS: puts and deletes that were committed, those of loads not counted
 * @TALL_STORE_OVERTAKEN: puts that began again, because another writer came first
 * @TALL_STORE_TAKEN_OVER: claims of other writers that stood still and were claimed over
 * @TALL_STORE_REREADS: orders whose rows were read once more, because they did not fit together
 *
 * What operations of all stores of this process come to.
 */
typedef enum
{
  TALL_STORE_COMMITS,
  TALL_STORE_OVERTAKEN,
  TALL_STORE_TAKEN_OVER,
  TALL_STORE_REREADS,
  TALL_STORE_N_COUNTS,
} TallStoreCount;

/* Any thread may call them. */
void tall_store_count (TallStoreCount what);
guint64 tall_store_get_count (TallStoreCount what);

G_END_DECLS
