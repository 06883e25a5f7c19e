/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/results.h"

G_BEGIN_DECLS

gboolean tall_bench_growth_append (GString *page,
                                   const TallBenchResults *const *runs,
                                   guint n_runs,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
