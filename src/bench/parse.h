/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/results.h"

G_BEGIN_DECLS

/**
 * TallBenchParsed:
 *
 * The results of an earlier run.
 */
typedef struct _TallBenchParsed TallBenchParsed;

TallBenchParsed *tall_bench_parse (const char *text, GError **error);
void tall_bench_parsed_free (TallBenchParsed *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallBenchParsed, tall_bench_parsed_free)

const TallBenchResults *tall_bench_parsed_get_results (const TallBenchParsed *self);
const char *tall_bench_parsed_get_text (const TallBenchParsed *self);

G_END_DECLS
