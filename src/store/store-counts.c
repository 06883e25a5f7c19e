/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/store-counts.h"

static gsize counts[TALL_STORE_N_COUNTS]; /* atomic */

/**
 * tall_store_count:
 *
 * Counts one more.
 */
void
tall_store_count (TallStoreCount what)
{
  g_atomic_pointer_add (&counts[what], 1);
}

/**
 * tall_store_get_count:
 *
 * Returns: how many there were since the process began
 */
guint64
tall_store_get_count (TallStoreCount what)
{
  return (gsize)g_atomic_pointer_get (&counts[what]);
}
