/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/call.h"
#include "table/table.h"

typedef struct _TallHbaseMerge TallHbaseMerge;

/* Rows of one getMultiple. Fewer rows lower the throughput, and more do not raise it. */
#define TALL_HBASE_MAX_GETS 128

/**
 * TallHbaseRowGet:
 * @read: says which cells
 * @key: of one row of it
 */
typedef struct
{
  const TallRead *read;
  TallSlice key;
} TallHbaseRowGet;

gsize tall_hbase_row_get_size (const TallHbaseRowGet *self);

TallHbaseMethodId
tall_hbase_make_gets (const TallHbaseRowGet *gets, guint n, TallHbaseArgs *args, TallArena *arena);

/**
 * TallHbaseTogether:
 *
 * Rows that several callers want.
 */
typedef struct
{
  TallHbaseRowGet gets[TALL_HBASE_MAX_GETS]; /* n of them, like … */
  TallArena *arenas[TALL_HBASE_MAX_GETS];
  TallRow rows[TALL_HBASE_MAX_GETS]; /* set */
  guint n;
  gint64 deadline;
  gsize bytes; /* set: of the reply, about */
} TallHbaseTogether;

gboolean tall_hbase_read_together (TallHbaseTogether *self,
                                   TallHbasePool *pool,
                                   TallHbaseLink *link,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

TallReadResult *tall_hbase_read (TallHbasePool *pool,
                                 TallHbaseMerge *merge,
                                 const TallReadPlan *plan,
                                 gint64 deadline,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
