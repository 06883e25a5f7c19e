/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-gets.h"

#define STRIDE 7919 /* prime: visits all orders, without a pattern that caches like */

/**
 * tall_floor_gets_find:
 *
 * Returns: which of @n orders is fetched in a step, by both sides
 */
guint
tall_floor_gets_find (guint64 step, guint n)
{
  return (guint)(step * STRIDE % n);
}

static const TallOrder *
get_order (const TallFloorGets *self, guint i)
{
  return g_ptr_array_index (self->orders, tall_floor_gets_find (self->next + i, self->orders->len));
}

static gboolean
run (gpointer data, guint n, GError **error)
{
  TallFloorGets *self = data;
  for (guint i = 0; i < n; i++)
    {
      const TallOrder *order = get_order (self, i);
      self->found[i] = tall_front_get_order (self->store->front, order->customer_number,
                                             order->order_number, NULL, error);
      if (self->found[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
check (gpointer data, guint n, GError **error)
{
  TallFloorGets *self = data;
  for (guint i = 0; i < n; i++)
    if (!tall_bench_check_same (get_order (self, i), self->found[i], error))
      return FALSE;
  self->next += n;
  return TRUE;
}

static void
clear (gpointer data, guint n)
{
  TallFloorGets *self = data;
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&self->found[i], tall_order_free);
}

/**
 * tall_floor_gets_get_side:
 *
 * Returns: the side, of batches of %TALL_FLOOR_GETS orders; @self must outlive the measurement
 */
TallMeasureSide
tall_floor_gets_get_side (TallFloorGets *self)
{
  return (TallMeasureSide){ TALL_FLOOR_GETS, NULL, run, check, clear, self };
}
