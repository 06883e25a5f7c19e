/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Linked in the place of store/commit/claim.c: writes the rows of an order without claiming it.
 * Wrong, of course. Two writers that choose one revision mix their rows. */
#include "store/commit/commit.h"

TallStep
tall_claim (TallOperation *operation G_GNUC_UNUSED,
            TallRoot *root G_GNUC_UNUSED,
            gint64 revision G_GNUC_UNUSED,
            const TallOrder *order G_GNUC_UNUSED,
            TallClaim *claim G_GNUC_UNUSED,
            GError **error G_GNUC_UNUSED)
{
  return TALL_STEP_DONE;
}
