/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/store.h"
#include "floor.h"
#include "table/hbase/table.h"
#include "raw-client.h"
#include "bench/orders.h"

G_BEGIN_DECLS

/**
 * TallFloorHbase:
 *
 * A deployment for one figure on HBase, and the one gateway that both sides use.
 */
typedef struct
{
  TallHbaseAddress address; /* its options are those of the one gateway, and of @name */
  char *name;               /* owned */
  const char *gateways[2];
  TallBenchStore store;
} TallFloorHbase;

/**
 * TallFloorRun:
 *
 * What every part of a run works with.
 */
typedef struct
{
  const TallFloorOptions *options;
  TallBenchReport *report;
  const char *what;      /* is under way */
  const char *directory; /* nullable: of an embedded store: where temporary ones are made */
} TallFloorRun;

/* What one thread of several does. */
typedef gboolean (*TallFloorWork) (gpointer data, guint number, GError **error);

TallMeasurePlan tall_floor_make_plan (TallFloorRun *self, const char *what);
GPtrArray *tall_floor_fill (const TallFloorRun *self,
                            const TallBenchStore *store,
                            const TallWorkload *workload,
                            guint n,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean
tall_floor_settle (TallTable *table, const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_floor_run_threads (guint n, TallFloorWork work, gpointer data, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_hbase_open (TallFloorHbase *self,
                                const TallFloorRun *run,
                                const TallLayout *layout,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_hbase_open_with (TallFloorHbase *self,
                                     const TallFloorRun *run,
                                     const TallStoreSettings *settings,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_floor_hbase_close (TallFloorHbase *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallFloorHbase, tall_floor_hbase_close)
gboolean tall_floor_hbase_connect (const TallFloorHbase *self,
                                   const TallRead *read,
                                   TallRawClient *raw,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallMeasureSide tall_floor_hbase_get_raw_side (TallRawClient *raw);

gboolean tall_floor_get (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_put (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_put_threads (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_replace (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_writers (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_service (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_tls (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_lines (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_load (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_migrate (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_migrate_hbase (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_load_hbase (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_list (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_page (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_rows (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_readers (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_stores (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_hbase (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_address (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_floor_address_hbase (TallFloorRun *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
