/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/access/call-budget.h"

#include "wire/struct-writer.h"

/* The buffer of the reply doubles when it is full. */
#define ENCODED_COPIES 2

void
tall_call_budget_init (TallCallBudget *self)
{
  *self = (TallCallBudget){
    .bytes = TALL_CALL_BYTES,
    .n_lines = TALL_CALL_LINES,
    .until = g_get_monotonic_time () + TALL_CALL_TIME * G_TIME_SPAN_MILLISECOND,
  };
}

/**
 * tall_call_budget_take:
 * @item: of that type
 * @order: (nullable): the order in it
 *
 * Returns: FALSE if the item has no room any more; then nothing is taken but memory
 */
gboolean
tall_call_budget_take (TallCallBudget *self,
                       const TallStructType *type,
                       gconstpointer item,
                       const TallOrder *order)
{
  g_autoptr (GByteArray) encoded = g_byte_array_new ();
  guint lines = order != NULL ? order->n_shipping_locations + tall_order_count_lines (order) : 0;

  tall_struct_append (type, item, FALSE, encoded);
  self->memory += ENCODED_COPIES * encoded->len;
  self->memory += order != NULL ? tall_arena_get_size (order->arena) : 0;
  if (self->n_items > 0 && (encoded->len > self->bytes || lines > self->n_lines))
    return FALSE;

  self->bytes -= MIN (self->bytes, encoded->len);
  self->n_lines -= MIN (self->n_lines, lines);
  self->n_items++;
  return TRUE;
}

gboolean
tall_call_budget_is_late (const TallCallBudget *self)
{
  return g_get_monotonic_time () >= self->until;
}
