/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/idl.h"
#include "cell/mutation.h"
#include "cell/read-plan.h"

G_BEGIN_DECLS

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

G_END_DECLS
