/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "layout/row-parts.h"

#define PART_CUSTOMER "customer"
#define PART_ORDER "order"
#define PART_UNEXPECTED "unexpected"

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
    push (self, PART_UNEXPECTED, self->rest.len);
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
    tall_row_parts_take (self, PART_CUSTOMER, self->strategy->measure_customer (self->rest));
}

void
tall_row_parts_take_order (TallRowParts *self)
{
  if (!self->failed)
    tall_row_parts_take (self, PART_ORDER, self->strategy->measure_order (self->rest));
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

static void
take_part (TallRowOwner *owner, const TallRowPart *part, TallSlice row, gsize at)
{
  TallSlice bytes = tall_slice (row.data + at, part->len);
  gboolean is_customer = g_str_equal (part->name, PART_CUSTOMER);
  gboolean is_order = g_str_equal (part->name, PART_ORDER);
  if (is_customer)
    owner->customer = bytes;
  if (is_order)
    owner->order = bytes;
  if (is_customer || is_order)
    owner->prefix = tall_slice (row.data, at + part->len);
  else if (g_str_equal (part->name, PART_UNEXPECTED))
    owner->is_unexpected = TRUE;
}

/**
 * tall_layout_find_owner:
 * @parts: of #TallRowPart: room to work in, so that many rows need no memory each
 *
 * Returns: whose row it is
 */
TallRowOwner
tall_layout_find_owner (const TallLayout *self,
                        const TallKeyStrategy *strategy,
                        const char *table,
                        TallSlice row,
                        GArray *parts)
{
  TallRowOwner owner = { 0 };
  gsize at = 0;
  g_array_set_size (parts, 0);
  self->name_parts (strategy, table, row, parts);
  for (guint i = 0; i < parts->len; i++)
    {
      const TallRowPart *part = &g_array_index (parts, TallRowPart, i);
      take_part (&owner, part, row, at);
      at += part->len;
    }
  return owner;
}
