/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/settle.h"
#include "bench/store.h"
#include "table/table-kind.h"

G_BEGIN_DECLS

/**
 * TallBenchPlace:
 *
 * Where deployments are made. Embedded: each in a directory of its own below that of the address.
 * Others: in its place, each under a name of its own. Their names begin with that of the address.
 */
typedef struct
{
  const TallTableAddress *address;
  gboolean keep; /* leave those of the last turn behind */
} TallBenchPlace;

void tall_bench_place_describe_kept (const TallBenchPlace *self,
                                     const TallStoreSettings *settings,
                                     GString *text);
gboolean tall_bench_place_open (const TallBenchPlace *self,
                                const TallStoreSettings *settings,
                                TallBenchStore *store,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bench_place_open_cold (const TallBenchPlace *self,
                                     const TallStoreSettings *settings,
                                     gsize cache_bytes,
                                     TallBenchStore *store,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bench_place_check (const TallBenchPlace *self,
                                 const TallBenchConditions *conditions,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bench_place_make (const TallBenchPlace *self,
                                gboolean *made,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
