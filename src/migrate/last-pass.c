/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/migrator.h"

#define LAST_PASSES 3 /* another migrator may copy the same at the same time */

/**
 * tall_migrate_pass_under_seal:
 * @whole: (out): whether the target has everything then
 *
 * Copies what was written since the pass before. Nobody writes any more.
 */
gboolean
tall_migrate_pass_under_seal (TallMigrator *self, gboolean *whole, GError **error)
{
  TallPassCounts counts = { 0 };
  *whole = FALSE;
  for (guint i = 0; i < LAST_PASSES && !*whole && counts.n_unfit == 0; i++)
    {
      if (!tall_migrator_run_pass (self, TALL_MIGRATE_LAST_PASS, &counts, error))
        return FALSE;
      *whole = counts.n_unfit == 0 && counts.n_moved == 0;
    }
  return TRUE;
}
