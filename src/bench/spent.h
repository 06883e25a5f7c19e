/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <json-glib/json-glib.h>

#include "bench/results.h"

G_BEGIN_DECLS

void tall_bench_spent_append_conditions (GString *text, const TallBenchConditions *conditions);
void tall_bench_spent_append_spendings (GString *text, const TallBenchResults *results);
void tall_bench_spent_append_stored (GString *text, const TallBenchResults *results);
void tall_bench_spent_add_stored (JsonBuilder *builder, const TallBenchResults *results);
void tall_bench_spent_add_conditions (JsonBuilder *builder, const TallBenchConditions *conditions);

G_END_DECLS
