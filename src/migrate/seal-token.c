/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/access.h"

/**
 * tall_seal_make_token:
 *
 * Returns: (transfer full): a token for one round of seals, which no other round ever has. With the
 *   same one for two, a late unseal between them would not be seen
 */
char *
tall_seal_make_token (void)
{
  return g_uuid_string_random ();
}
