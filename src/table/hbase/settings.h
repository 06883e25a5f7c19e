/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/idl.h"
#include "table/table.h"

G_BEGIN_DECLS

gboolean tall_hbase_settings_check (const TallTableSpec *spec,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_hbase_settings_to_family (const TallTableSpec *spec,
                                        TallHbaseTColumnFamilyDescriptor *family,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallTableSpec *tall_hbase_settings_from_families (const GArray *families,
                                                  const char *table,
                                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
