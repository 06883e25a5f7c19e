/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/access/call-budget.h"

#include "wire/struct.h"

/* The buffer of the reply doubles when it is full. */
#define ENCODED_COPIES 2

void
tall_call_budget_init (TallCallBudget *self)
{
  const TallWireOptions options = TALL_WIRE_OPTIONS_INIT;
  *self = (TallCallBudget){
    .bytes = TALL_CALL_BYTES,
    .n_lines = TALL_CALL_LINES,
    .until = g_get_monotonic_time () + TALL_CALL_TIME * G_TIME_SPAN_MILLISECOND,
    .scale = tall_transport_new_memory ((TallSlice)TALL_SLICE_INIT, &options),
  };
}

void
tall_call_budget_clear (TallCallBudget *self)
{
  g_clear_object (&self->scale);
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
  gsize encoded = tall_struct_measure (type, item, self->scale);
  guint lines = order != NULL ? order->n_shipping_locations + tall_order_count_lines (order) : 0;

  self->memory += ENCODED_COPIES * encoded;
  self->memory += order != NULL ? tall_arena_get_size (tall_order_get_arena (order)) : 0;
  if (self->n_items > 0 && (encoded > self->bytes || lines > self->n_lines))
    return FALSE;

  self->bytes -= MIN (self->bytes, encoded);
  self->n_lines -= MIN (self->n_lines, lines);
  self->n_items++;
  return TRUE;
}

gboolean
tall_call_budget_is_late (const TallCallBudget *self)
{
  return g_get_monotonic_time () >= self->until;
}
