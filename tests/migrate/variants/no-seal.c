/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* In the place of migrate/seal.c: nothing is sealed. */
#include "migrate/access.h"

gboolean
tall_access_seal (const TallStoreContext *context G_GNUC_UNUSED,
                  char **seal,
                  GError **error G_GNUC_UNUSED)
{
  *seal = tall_seal_make_token ();
  return TRUE;
}

gboolean
tall_access_is_still_sealed (const TallMigration *is G_GNUC_UNUSED,
                             const TallAccess *access G_GNUC_UNUSED)
{
  return TRUE;
}
