/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/copy.h"

#include "model/md5.h"

#define ORIGIN_SIZE 8 /* of the mark with which a lineage begins */

static gboolean
has_mark (const guint8 *lineage)
{
  static const guint8 none[ORIGIN_SIZE];
  return memcmp (lineage, none, ORIGIN_SIZE) != 0;
}

/* Sets what the target is to have in the place of a claim's token. It depends on nothing but what
 * is committed in the source, because two copies of one revision must not differ: a claim, or a
 * repair, changes the lineage there and leaves the revision. So what was replaced is not taken
 * over. R - 1 says the least: 0 would tell a writer whose answer was lost that its commit never
 * was. */
static void
convert_lineage (const TallCopyItem *self, const TallState *from, TallState *to)
{
  guint8 hash[TALL_MD5_SIZE];
  guint64 before = GUINT64_TO_BE ((guint64)from->revision - 1);
  gboolean has_none = tall_operation_has_children (&self->from) || !has_mark (from->pending_token);

  memcpy (to->pending_token + ORIGIN_SIZE, &before, sizeof before);
  if (tall_operation_has_children (&self->to))
    memset (to->pending_token, 0, ORIGIN_SIZE);
  else if (has_none)
    {
      tall_md5 (tall_slice (from->token, TALL_TOKEN_SIZE), hash);
      memcpy (to->pending_token, hash, ORIGIN_SIZE);
    }
}

/**
 * tall_copy_convert:
 * @from: the state in the source
 *
 * Sets what the target's state cell is to be.
 */
void
tall_copy_convert (TallCopyItem *self, const TallState *from)
{
  self->wanted = *from;
  self->wanted.pending = 0;
  convert_lineage (self, from, &self->wanted);
}
