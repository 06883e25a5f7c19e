/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/merged-write.h"

#include "table/hbase/trial.h"

/* Bytes of a caller's rows that go with those of others: those of a usual order, not of a load's
 * batch, which is a large request by itself. */
#define MAX_WRITE (32 * 1024)

/* The rows that one caller writes. */
typedef struct
{
  TallHbaseShare share;
  const TallHbaseWrite *write; /* not owned */
  gsize size;                  /* bytes, about */
} Write;

static Write *
write_at (const TallHbaseShared *shared, guint i)
{
  return (Write *)shared->shares[i];
}

/* All rows of all callers. Two may write the same row, in any order, as if each went alone. */
static gboolean
run_merged (TallHbaseShared *shared, TallHbaseLink *link, GError **error)
{
  g_autoptr (GPtrArray) mutations = g_ptr_array_new ();
  for (guint i = 0; i < shared->n; i++)
    {
      const Write *self = write_at (shared, i);
      for (guint k = 0; k < self->write->n; k++)
        g_ptr_array_add (mutations, self->write->mutations[k]);
      shared->bytes += self->size;
    }
  const TallHbaseWrite all = { .mutations = (TallMutation *const *)mutations->pdata,
                               .n = mutations->len,
                               .deadline = shared->deadline,
                               .divisible = TRUE };
  link->n_merged[TALL_TABLE_MERGED_WRITES] = mutations->len;
  return tall_hbase_writer_send (shared->pool, shared->names, link, &all, NULL, error);
}

/* Sums up what the rows take in a request. Rows with puts and deletes need a call each. */
static gboolean
measure (
    TallHbasePool *pool, const TallHbaseWrite *write, gsize *size, gboolean *simple, GError **error)
{
  *size = 0;
  *simple = TRUE;
  for (guint i = 0; i < write->n; i++)
    {
      gsize row;
      if (!tall_hbase_writer_measure (pool, write->mutations[i], &row, error))
        return FALSE;
      *size += row;
      *simple = *simple && tall_hbase_writer_is_simple (write->mutations[i]);
    }
  return TRUE;
}

/**
 * tall_hbase_apply:
 * @write: at least one row
 *
 * Implements apply. The rows of a caller that finds all connections busy leave with those of others
 * whose first row is of the same table. If that request fails, each sends its own: all timestamps
 * are explicit, so that nothing is done twice.
 */
gboolean
tall_hbase_apply (TallHbasePool *pool,
                  const TallHbaseNames *names,
                  TallHbaseMerge *merge,
                  const TallHbaseWrite *write,
                  TallDone *done,
                  GError **error)
{
  static const TallHbaseMergeKind kind = { "write ", tall_hbase_trial_take, run_merged };
  Write own = { .write = write };
  TallHbaseLink *link;
  gboolean simple;
  if (!measure (pool, write, &own.size, &simple, error))
    return FALSE;
  tall_hbase_share_init (&own.share, write->deadline);
  gboolean joined = tall_hbase_merge_join (merge, &kind, write->mutations[0]->table, &own.share,
                                           simple && own.size <= MAX_WRITE, &link, error);
  gboolean is_done = own.share.state == TALL_HBASE_SHARE_DONE;
  tall_hbase_share_clear (&own.share);
  if (!joined)
    return FALSE;
  if (!is_done)
    return tall_hbase_writer_send (pool, names, link, write, done, error);
  for (guint i = 0; done != NULL && i < write->n; i++)
    done[i] = TALL_DONE;
  return TRUE;
}
