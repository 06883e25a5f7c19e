/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

#define TALL_BENCH_N_FACTS 6

/**
 * TallBenchSetting:
 *
 * When, how and on which machine something was measured: facts for people, in the order of
 * tall_bench_setting_get_name(). Owned; what is not known is %NULL.
 */
typedef struct
{
  char *facts[TALL_BENCH_N_FACTS];
} TallBenchSetting;

void tall_bench_setting_read (TallBenchSetting *self, const char *command);
const char *tall_bench_setting_get_name (guint fact);
void tall_bench_setting_add (const TallBenchSetting *self, JsonBuilder *builder);
void tall_bench_setting_clear (TallBenchSetting *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallBenchSetting, tall_bench_setting_clear)

G_END_DECLS
