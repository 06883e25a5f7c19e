/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/commit/commit.h"

#include "store/store-counts.h"

#define FIRST_WAIT 100     /* microseconds */
#define LONGEST_WAIT 50000 /* microseconds */

/**
 * tall_wait_for_claim:
 * @root: a root with somebody's claim; replaced if it changes
 * @stale: (out): whether the claim has stayed unchanged for so long that it may be claimed over;
 *   FALSE: the root has changed, or the operation is over
 *
 * Waits for another writer to finish. The age of a claim is measured by our own monotonic clock: no
 * clocks of two machines are compared.
 */
gboolean
tall_wait_for_claim (const TallOperation *operation,
                     TallRoot *root,
                     gboolean *stale,
                     GError **error)
{
  const TallStoreHooks *hooks = &operation->context->hooks;
  gint64 seen = hooks->monotonic (hooks->data);
  gint64 longest = FIRST_WAIT;

  *stale = FALSE;
  while (!*stale && !tall_operation_is_over (operation))
    {
      hooks->sleep (g_random_int_range ((gint32)(longest / 2), (gint32)longest + 1), hooks->data);
      longest = MIN (longest * 2, LONGEST_WAIT);

      g_auto (TallRoot) now = { 0 };
      gint64 before = hooks->monotonic (hooks->data);
      if (!tall_root_read (&now, operation, error))
        return FALSE;
      if (!tall_root_is_same (&now, root))
        {
          tall_root_take (root, &now);
          return TRUE;
        }
      *stale = before - seen >= tall_operation_patience (operation);
    }
  if (*stale)
    tall_store_count (TALL_STORE_TAKEN_OVER);
  return TRUE;
}
