/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/settle.h"
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

gboolean tall_bench_store_open_in (TallBenchStore *self,
                                   TallTable *table,
                                   const TallStoreSettings *settings,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_bench_store_close (TallBenchStore *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallBenchStore, tall_bench_store_close)

gboolean tall_bench_check_same (const TallOrder *expected,
                                const TallOrder *found,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallBenchConditions:
 *
 * In which state a store is when it is measured, and who works for it. All zero: new, as it comes
 * to lie, with what the store usually does. Texts are not owned.
 */
typedef struct
{
  const char *compression;    /* nullable: the store's own */
  const char *block_encoding; /* the same */
  guint regions;              /* that its tables begin with; 0: not said, which makes one */
  guint age;                  /* times that each order was replaced before */
  TallBenchRest rest;         /* how the rows lie then */
  double cache;               /* the block cache, by the bytes stored then; read without the page
                                 cache. 0: a usual one */
  const char *admin;          /* nullable: see tall_bench_settle() */
  TallBenchPids pids;
} TallBenchConditions;

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
