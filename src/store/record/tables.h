/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/record/deployment.h"
#include "store/store.h"

#include <glib.h>

#define TALL_META_TABLE "meta"

/**
 * TallTablesRule:
 * @TALL_TABLES_ANY_REGIONS: a table that is there must be empty
 * @TALL_TABLES_THESE_REGIONS: it must be empty, and have just the wanted regions
 * @TALL_TABLES_OURS: it is ours, and may have rows; its regions are what they are
 *
 * What is asked of a table that is there already, beside that it is kept as wanted.
 */
typedef enum
{
  TALL_TABLES_ANY_REGIONS,
  TALL_TABLES_THESE_REGIONS,
  TALL_TABLES_OURS,
} TallTablesRule;

TallTablesRule tall_tables_choose_rule (const TallStoreSettings *settings);
gboolean tall_tables_check (TallTable *table,
                            GPtrArray *specs,
                            TallTablesRule rule,
                            gint64 deadline,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_tables_create (TallTable *table,
                             GPtrArray *specs,
                             TallTablesRule rule,
                             gint64 deadline,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

TallDescription *tall_describe (TallTable *table, const TallDeployment *deployment);
