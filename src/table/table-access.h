/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table.h"

G_BEGIN_DECLS

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

G_END_DECLS
