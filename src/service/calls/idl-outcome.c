/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/calls/idl-outcome.h"

#include "service/calls/idl-failure.h"

/**
 * tall_idl_outcome_take:
 * @self: (out):
 * @arena: takes what @outcome owns
 * @operation: (nullable): what failed if it failed, such as `Storing order 10248 of VINET`
 * @outcome: emptied
 */
void
tall_idl_outcome_take (TallIdlOutcome *self,
                       TallArena *arena,
                       const char *operation,
                       TallOutcome *outcome)
{
  *self = (TallIdlOutcome){ 0 };
  if (outcome->error != NULL)
    self->failure = tall_idl_failure_from_error (arena, operation, outcome->error);
  else
    {
      self->result = tall_arena_new0 (arena, TallIdlSuccess);
      self->result->revision = outcome->revision;
      self->result->order = g_steal_pointer (&outcome->order);
      if (self->result->order != NULL)
        tall_arena_own (arena, self->result->order, (GDestroyNotify)tall_order_free);
    }
  tall_outcome_clear (outcome);
}
