/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-hbase-names.h"
#include "tall-table.h"

G_BEGIN_DECLS

gboolean tall_hbase_settings_check (const TallTableSpec *spec,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
HbTTableDescriptor *tall_hbase_settings_to_descriptor (const TallTableSpec *spec,
                                                       const TallHbaseNames *names,
                                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallTableSpec *tall_hbase_settings_from_descriptor (const HbTTableDescriptor *descriptor,
                                                    const char *table,
                                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
