/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/results.h"
#include "cli/command.h"

G_BEGIN_DECLS

/* What `bench` shows of measurements beside its table: pages and drawings. */

gboolean tall_bench_show_check_page (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bench_show_write_page (const char *path,
                                     const TallBenchResults *results,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallExit tall_bench_show_results (const char *files, const char *path, const char *command);
TallExit tall_bench_show_numbers (const char *path);

G_END_DECLS
