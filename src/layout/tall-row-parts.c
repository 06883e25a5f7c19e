/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-row-parts-private.h"

static void
push (TallRowParts *self, const char *name, gsize len)
{
  TallRowPart part = { name, len };
  g_array_append_val (self->parts, part);
  self->rest = tall_slice (self->rest.data + len, self->rest.len - len);
}

static void
fail (TallRowParts *self)
{
  self->failed = TRUE;
  if (self->rest.len > 0)
    push (self, "unexpected", self->rest.len);
}

/**
 * tall_row_parts_take:
 * @name: a static string
 * @len: bytes; -1, or more than are left, means that the key does not have the expected form
 */
void
tall_row_parts_take (TallRowParts *self, const char *name, gssize len)
{
  if (self->failed)
    return;
  if (len < 0 || (gsize)len > self->rest.len)
    fail (self);
  else
    push (self, name, len);
}

void
tall_row_parts_take_customer (TallRowParts *self)
{
  if (!self->failed)
    tall_row_parts_take (self, "customer", self->strategy->measure_customer (self->rest));
}

void
tall_row_parts_take_order (TallRowParts *self)
{
  if (!self->failed)
    tall_row_parts_take (self, "order", self->strategy->measure_order (self->rest));
}

/**
 * tall_row_parts_take_type:
 *
 * Takes the byte that gives the type of what follows.
 *
 * Returns: the byte; -1 if it is not there or not between @first and @last
 */
int
tall_row_parts_take_type (TallRowParts *self, guint8 first, guint8 last)
{
  if (self->failed)
    return -1;

  if (self->rest.len == 0 || self->rest.data[0] < first || self->rest.data[0] > last)
    {
      fail (self);
      return -1;
    }

  guint8 type = self->rest.data[0];
  push (self, "type", 1);
  return type;
}

/**
 * tall_row_parts_end:
 *
 * Names what is left, if anything is, `unexpected`.
 */
void
tall_row_parts_end (TallRowParts *self)
{
  if (!self->failed)
    fail (self);
}
