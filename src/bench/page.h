/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/results.h"

G_BEGIN_DECLS

char *tall_bench_page_make (const TallBenchResults *const *runs,
                            guint n_runs,
                            const char *json,
                            const char *command,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
