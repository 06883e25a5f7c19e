/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "service/calls/idl.h"

G_BEGIN_DECLS

void tall_idl_outcome_take (TallIdlOutcome *self,
                            TallArena *arena,
                            const char *operation,
                            TallOutcome *outcome);

G_END_DECLS
