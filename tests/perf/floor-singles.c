/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "floor-singles.h"

/* Every connection takes the next operation of the batch, so that all end at about the same time.
 */
static gboolean
call_single (gpointer data, guint number, GError **error)
{
  TallFloorSingles *self = data;
  while ((guint)g_atomic_int_add ((gint *)&self->n_taken, 1) < self->n_wanted)
    for (guint i = 0; i < self->n_calls; i++)
      if (!tall_raw_client_call (&self->raws[number], error))
        return FALSE;
  return TRUE;
}

static gboolean
run (gpointer data, guint n, GError **error)
{
  TallFloorSingles *self = data;
  self->n_taken = 0;
  self->n_wanted = n;
  return tall_floor_run_threads (self->n, call_single, data, error);
}

static gboolean
check (gpointer data, guint n G_GNUC_UNUSED, GError **error)
{
  TallFloorSingles *self = data;
  for (guint i = 0; i < self->n; i++)
    if (!tall_raw_client_check (&self->raws[i], error))
      return FALSE;
  return TRUE;
}

/**
 * tall_floor_singles_connect:
 * @requests: of #GByteArray: at least %TALL_FLOOR_MAX_SINGLES, each for a connection
 *
 * Opens as many connections as the gateway serves; a full gateway does not answer on more.
 *
 * Returns: FALSE if it serves none
 */
gboolean
tall_floor_singles_connect (TallFloorSingles *self,
                            const TallFloorHbase *hbase,
                            const GPtrArray *requests,
                            GError **error)
{
  g_autoptr (GError) local = NULL;
  while (self->n < TALL_FLOOR_MAX_SINGLES)
    {
      TallRawClient *raw = &self->raws[self->n];
      *raw = (TallRawClient)TALL_RAW_CLIENT_INIT;
      if (!tall_raw_client_open (raw, hbase->gateways[0],
                                 tall_slice_array (g_ptr_array_index (requests, self->n)),
                                 hbase->address.options.framed, &local))
        {
          tall_raw_client_close (raw);
          break;
        }
      self->n++;
    }
  if (self->n > 0)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

void
tall_floor_singles_clear (TallFloorSingles *self)
{
  for (guint i = 0; i < self->n; i++)
    tall_raw_client_close (&self->raws[i]);
}

/**
 * tall_floor_singles_get_side:
 *
 * Returns: the side, of @batch operations at a time; @self must outlive the measurement
 */
TallMeasureSide
tall_floor_singles_get_side (TallFloorSingles *self, guint batch)
{
  return (TallMeasureSide){ batch, NULL, run, check, NULL, self };
}
