/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/store.h"

G_BEGIN_DECLS

/* What a floor does with a store. */

TallStoreSettings tall_bench_store_floor_settings (const TallLayout *layout);
gboolean tall_bench_store_open_temporary (TallBenchStore *self,
                                          const char *parent,
                                          const TallStoreSettings *settings,
                                          gboolean sync,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bench_store_open_embedded (TallBenchStore *self,
                                         const char *parent,
                                         const TallLayout *layout,
                                         gboolean sync,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bench_store_check_order (const TallBenchStore *self,
                                       const TallOrder *expected,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bench_store_put_orders (const TallBenchStore *self,
                                      GPtrArray *orders,
                                      guint n,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bench_store_check_orders (const TallBenchStore *self,
                                        GPtrArray *orders,
                                        guint n,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallReadPlan *tall_bench_store_plan_order (const TallBenchStore *self, const TallOrder *order);
GByteArray *tall_bench_store_make_root_row (const TallBenchStore *self, const TallOrder *order);

G_END_DECLS
