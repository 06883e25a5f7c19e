/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/call.h"
#include "table/hbase/idl.h"
#include "table/table.h"

gboolean tall_hbase_settings_check (const TallTableSpec *spec,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_hbase_create_table (TallHbasePool *pool,
                                  const TallTableSpec *spec,
                                  gint64 deadline,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_hbase_drop_table (TallHbasePool *pool,
                                const char *table,
                                gint64 deadline,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallTableSpec *tall_hbase_describe_table (TallHbasePool *pool,
                                          const char *table,
                                          gint64 deadline,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
GStrv tall_hbase_list_deployments (TallHbasePool *pool,
                                   const char *table,
                                   gint64 deadline,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
GStrv tall_hbase_list_tables (TallHbasePool *pool,
                              gint64 deadline,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
