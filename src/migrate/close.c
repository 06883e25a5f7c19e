/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/access.h"

/**
 * tall_access_close:
 *
 * Closes all tables of the generation. One that is gone is closed.
 */
gboolean
tall_access_close (const TallStoreContext *context, GError **error)
{
  return tall_access_set_all (context, TALL_ACCESS_CLOSED, "Closing", error);
}

/**
 * tall_access_is_closed:
 *
 * Returns: whether nobody can read the tables any more
 */
gboolean
tall_access_is_closed (const TallAccess *access)
{
  return access->all_closed;
}
