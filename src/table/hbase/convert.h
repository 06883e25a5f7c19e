/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cell/cell.h"
#include "table/hbase/idl.h"
#include "table/hbase/reply.h"
#include "tall-bytes.h"

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

TallSlice
tall_hbase_names_get_table (const TallHbaseNames *self, const char *table, TallArena *arena);
TallHbaseTTableName *
tall_hbase_names_get_table_name (const TallHbaseNames *self, const char *table, TallArena *arena);
char *tall_hbase_names_get_pattern (const TallHbaseNames *self);
char *tall_hbase_names_get_deployment (const TallHbaseTTableName *table_name, const char *table);
char *tall_hbase_names_get_short (const TallHbaseNames *self,
                                  const TallHbaseTTableName *table_name);

/* What is made here lies in the arena and points into what it is made of. */

void
tall_hbase_t_get_init (TallHbaseTGet *self, const TallRead *read, TallSlice key, TallArena *arena);
void tall_hbase_t_scan_init (
    TallHbaseTScan *self, const TallRead *read, TallSlice start, guint n_rows, TallArena *arena);

void tall_hbase_t_put_init (TallHbaseTPut *self, const TallMutation *mutation, TallArena *arena);
void tall_hbase_t_delete_init (TallHbaseTDelete *self,
                               const TallMutation *mutation,
                               TallChangeKind kind,
                               TallArena *arena);
TallHbaseTRowMutations *tall_hbase_t_row_mutations_new (const TallMutation *mutation,
                                                        TallArena *arena);
TallHbaseTIncrement *
tall_hbase_t_increment_new (TallSlice row, TallSlice qualifier, gint64 delta, TallArena *arena);
gboolean tall_hbase_mutation_has (const TallMutation *mutation, TallChangeKind kind);
