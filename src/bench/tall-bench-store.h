/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-store.h"

G_BEGIN_DECLS

/**
 * TallBenchStore:
 *
 * A deployment that exists for one measurement: embedded in a directory of its own, or under a name
 * of its own where others are. Closing it removes everything.
 */
typedef struct
{
  char *directory; /* owned; NULL: not embedded */
  TallTable *table;
  TallFront *front;
  const TallLayout *layout;
} TallBenchStore;

gboolean tall_bench_store_open_embedded (TallBenchStore *self,
                                         const char *parent,
                                         const TallLayout *layout,
                                         gboolean sync,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bench_store_open_in (TallBenchStore *self,
                                   TallTable *table,
                                   const TallLayout *layout,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_bench_store_close (TallBenchStore *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallBenchStore, tall_bench_store_close)

gboolean tall_bench_store_check_order (const TallBenchStore *self,
                                       const TallOrder *expected,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bench_check_same (const TallOrder *expected,
                                const TallOrder *found,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
GByteArray *tall_bench_store_make_root_row (const TallBenchStore *self, const TallOrder *order);

G_END_DECLS
