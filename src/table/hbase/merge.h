/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/call.h"
#include "table/hbase/line.h"
#include "table/hbase/writer.h"

G_BEGIN_DECLS

/**
 * TallHbaseMerge:
 *
 * Small requests of many callers. Those of one line that find all connections busy leave together,
 * in one request on the next free connection. Threads: any.
 */
typedef struct _TallHbaseMerge TallHbaseMerge;

TallHbaseMerge *tall_hbase_merge_new (TallHbasePool *pool, const TallHbaseNames *names);
void tall_hbase_merge_free (TallHbaseMerge *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallHbaseMerge, tall_hbase_merge_free)

/**
 * TallHbaseShared:
 *
 * A request of several shares that is under way.
 */
typedef struct
{
  TallHbasePool *pool;
  const TallHbaseNames *names;
  TallHbaseShare *shares[TALL_HBASE_MAX_SHARES]; /* n of them */
  guint n;
  gint64 deadline; /* the earliest of them */
  gsize bytes;     /* set by run: of the request or its reply */
} TallHbaseShared;

/**
 * TallHbaseMergeKind:
 * @line: what the names of lines begin with: only shares of one kind stand in a line
 * @take: lends a connection, as tall_hbase_pool_take() does
 * @run: sends the request on @link, which goes back to the pool; gives each share what it asked
 * for. FALSE, even without @error: nobody has anything
 *
 * What is merged.
 */
typedef struct
{
  const char *line;
  TallHbaseLink *(*take) (TallHbasePool *pool,
                          TallHbaseLending lending,
                          gint64 deadline,
                          GError **error);
  gboolean (*run) (TallHbaseShared *shared, TallHbaseLink *link, GError **error);
} TallHbaseMergeKind;

gboolean tall_hbase_merge_join (TallHbaseMerge *self,
                                const TallHbaseMergeKind *kind,
                                const char *table,
                                TallHbaseShare *share,
                                gboolean is_small,
                                TallHbaseLink **link,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
guint tall_hbase_merge_count_waiting (TallHbaseMerge *self);

gboolean tall_hbase_merged_get (TallHbaseMerge *merge,
                                const TallRead *read,
                                gint64 deadline,
                                TallReadResult **result,
                                TallHbaseLink **link,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_hbase_apply (TallHbasePool *pool,
                           const TallHbaseNames *names,
                           TallHbaseMerge *merge,
                           const TallHbaseWrite *write,
                           TallDone *done,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
