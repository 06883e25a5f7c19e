/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "service/calls/call-stats.h"
#include "base/trace.h"

G_BEGIN_DECLS

void tall_slow_log_add (const TallCallRecord *record,
                        gint64 now,
                        const TallTrace *trace,
                        const char *operation);
void tall_slow_log_forget (void);

G_END_DECLS
