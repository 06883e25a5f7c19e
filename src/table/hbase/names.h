/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"
#include "table/hbase/reply.h"

G_BEGIN_DECLS

#define TALL_HBASE_DEFAULT_NAME "tallorder"

/**
 * TallHbaseNames:
 *
 * What the tables of a deployment are called in HBase: `name.table`, or `namespace:name.table`.
 */
typedef struct
{
  char *deployment; /* as given: `name` or `namespace:name` */
  char *ns;         /* NULL: HBase's default namespace */
  char *name;
} TallHbaseNames;

gboolean tall_hbase_names_init (TallHbaseNames *self,
                                const char *deployment,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_hbase_names_clear (TallHbaseNames *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallHbaseNames, tall_hbase_names_clear)

char *tall_hbase_names_get_table (const TallHbaseNames *self, const char *table);
TallHbaseTTableName *
tall_hbase_names_get_table_name (const TallHbaseNames *self, const char *table, TallArena *arena);
char *tall_hbase_names_get_pattern (const TallHbaseNames *self);
char *tall_hbase_names_get_deployment (const TallHbaseTTableName *table_name, const char *table);
char *tall_hbase_names_get_short (const TallHbaseNames *self,
                                  const TallHbaseTTableName *table_name);

G_END_DECLS
