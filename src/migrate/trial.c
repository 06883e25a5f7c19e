/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/trial.h"

#include "tall-error.h"
#include "store/operation.h"

#define WAIT (G_USEC_PER_SEC / 50)
#define TIME (60 * G_USEC_PER_SEC)

/* A conditional write to a row that cannot match: a state cell never has one byte. */
static gboolean
try_row (TallTable *table, const char *name, TallSlice row, gint64 deadline, GError **error)
{
  static const guint8 byte[] = { 0 };
  const TallSlice impossible = { byte, sizeof byte };
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, name, row);
  gboolean matched;
  tall_mutation_put (batch, mutation, TALL_STATE_QUALIFIER, 1, impossible);
  return tall_table_apply_if (table, mutation, TALL_STATE_QUALIFIER, &impossible, TALL_DURABLE,
                              deadline, &matched, error);
}

/* Until it is refused. @end: by the clock of the hooks */
static gboolean
try_region (
    const TallStoreContext *context, const char *name, TallSlice row, gint64 end, GError **error)
{
  const TallStoreHooks *hooks = &context->hooks;
  for (;;)
    {
      g_autoptr (GError) cause = NULL;
      gboolean answered =
          try_row (context->table, name, row, g_get_monotonic_time () + TIME, &cause);
      if (g_error_matches (cause, TALL_ERROR, TALL_ERROR_SHUT))
        return TRUE;
      if ((answered || tall_error_is_passing (cause)) && hooks->monotonic (hooks->data) < end)
        {
          hooks->sleep (WAIT, hooks->data);
          continue;
        }
      if (cause != NULL)
        g_propagate_error (error, g_steal_pointer (&cause));
      else
        g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "it still takes writes");
      return FALSE;
    }
}

/**
 * tall_trial_is_sealed:
 *
 * Makes sure that each region of a table refuses writes, by trying it. Waits for a region that does
 * not yet.
 */
gboolean
tall_trial_is_sealed (const TallStoreContext *context, const char *name, GError **error)
{
  gint64 end = context->hooks.monotonic (context->hooks.data) + TIME;
  g_autoptr (TallTableSpec) spec =
      tall_table_describe_table (context->table, name, g_get_monotonic_time () + TIME, error);
  gboolean sealed = spec != NULL && try_region (context, name, tall_slice ("", 1), end, error);
  for (guint i = 0; sealed && spec->splits != NULL && i < spec->splits->len; i++)
    sealed = try_region (context, name, tall_slice_bytes (g_ptr_array_index (spec->splits, i)), end,
                         error);
  if (!sealed)
    g_prefix_error (error, "Trying whether table %s is sealed: ", name);
  return sealed;
}
