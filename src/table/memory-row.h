/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cell/mutation.h"
#include "cell/read-plan.h"

G_BEGIN_DECLS

/**
 * TallMemoryRow:
 *
 * A row of the table in memory: its cells, and the markers that deletes have left.
 */
typedef struct _TallMemoryRow TallMemoryRow;

TallMemoryRow *tall_memory_row_new (void);
void tall_memory_row_free (TallMemoryRow *self);

void tall_memory_row_put (TallMemoryRow *self, TallCell cell, guint max_versions);
void tall_memory_row_apply (TallMemoryRow *self, const TallMutation *mutation, guint max_versions);
void tall_memory_row_collect (const TallMemoryRow *self,
                              TallSlice key,
                              const TallRead *read,
                              gint64 oldest,
                              TallRowsBuilder *rows);
gboolean tall_memory_row_find_latest (const TallMemoryRow *self,
                                      TallSlice qualifier,
                                      gint64 oldest,
                                      TallCell *cell);

G_END_DECLS
