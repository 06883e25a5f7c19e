/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* In the place of migrate/convert.c: a copy gets a revision of its own. */
#include "migrate/copy.h"

void
tall_copy_convert (TallCopyItem *self, const TallState *from)
{
  self->wanted = *from;
  self->wanted.pending = 0;
  self->wanted.revision += 2;
}
