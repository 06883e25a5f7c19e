/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-arena.h"
#include "service/calls/idl.h"

TallIdlFailure *
tall_idl_failure_from_error (TallArena *arena, const char *operation, const GError *error);
GError *tall_idl_failure_to_error (const TallIdlFailure *self);

void tall_idl_outcome_take (TallIdlOutcome *self,
                            TallArena *arena,
                            const char *operation,
                            TallOutcome *outcome);
