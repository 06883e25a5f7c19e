/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/forwarding-table.h"
#include "store/store.h"
#include "table/table-kind.h"

/**
 * TallBenchStore:
 *
 * A deployment that exists for one measurement. Closing it removes everything that opening it made,
 * and nothing else.
 */
typedef struct
{
  gboolean count;   /* set before opening: @table is a #TallCountingTable */
  gboolean keep;    /* closing removes nothing */
  gboolean made;    /* this process made the deployment, or a part of it */
  char *directory;  /* owned; made for it alone; NULL: none was */
  TallTable *inner; /* owned: the tables themselves */
  TallTable *table; /* owned: the same, or what counts around them */
  TallFront *front;
  const TallLayout *layout;
} TallBenchStore;

gboolean tall_bench_store_open_temporary (TallBenchStore *self,
                                          const char *parent,
                                          const TallStoreSettings *settings,
                                          gboolean sync,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bench_store_open_directory (TallBenchStore *self,
                                          const TallTableAddress *address,
                                          const TallStoreSettings *settings,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bench_store_open_in (TallBenchStore *self,
                                   TallTable *table,
                                   const TallStoreSettings *settings,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bench_store_open_again (TallBenchStore *self,
                                      TallTable *table,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_bench_store_close (TallBenchStore *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallBenchStore, tall_bench_store_close)

gboolean tall_bench_check_same (const TallOrder *expected,
                                const TallOrder *found,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
