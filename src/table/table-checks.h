/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table.h"

/* What every call is checked for before a table gets it: what table/table.h says of rows,
 * qualifiers, timestamps, mutations and specs. */
gboolean
tall_table_check_row (const char *table, TallSlice row, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_table_check_qualifier (const char *table,
                                     TallSlice qualifier,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_table_check_different_rows (TallMutation *const *mutations,
                                          guint n,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_table_check_spec (const TallTableSpec *spec,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_table_is_seal (const char *seal);

/**
 * TallTableShutter:
 *
 * What is to be changed of what a table lets its callers do.
 */
typedef struct
{
  TallTableAccess access;
  const char *seal; /* with %TALL_ACCESS_SEALED: its token; else NULL */
} TallTableShutter;

const char *tall_table_access_name (TallTableAccess access);
void tall_table_shutter_apply (const TallTableShutter *self, TallTableSpec *spec);
gboolean tall_table_access_admits (TallTableAccess self,
                                   const char *table,
                                   gboolean writes,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
