/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/merge.h"

#include "base/trace.h"

struct _TallHbaseMerge
{
  TallHbasePool *pool;         /* not owned */
  const TallHbaseNames *names; /* not owned */

  GMutex mutex;
  GHashTable *lines; /* of TallHbaseLine by the kind's name and the table's short name */
};

/* None of the shares is hasty, so the earliest deadline leaves enough time for a call. */
static gint64
find_deadline (const TallHbaseShared *shared)
{
  gint64 deadline = TALL_NO_DEADLINE;
  for (guint i = 0; i < shared->n; i++)
    deadline = MIN (deadline, shared->shares[i]->deadline);
  return deadline;
}

/* Whether each share would only hear the same: HBase has too much to do, or the table is shut. */
static gboolean
is_for_all (const GError *error)
{
  return g_error_matches (error, TALL_ERROR, TALL_ERROR_OVERLOADED)
         || g_error_matches (error, TALL_ERROR, TALL_ERROR_SHUT);
}

/* What a failed request means for one of its shares. Most errors may come from one row only, so
 * each caller sends its own if it has time. */
static void
fail_share (TallHbaseShare *share, const GError *error)
{
  gboolean over = g_get_monotonic_time () >= share->deadline;
  gboolean failed = error != NULL && (over || is_for_all (error));
  if (failed)
    share->error = g_error_copy (error);
  tall_hbase_share_end (share, failed ? TALL_HBASE_SHARE_FAILED : TALL_HBASE_SHARE_ALONE);
}

/* Sends the shares of the leader and of those behind it on one connection. The next request leaves
 * before the callers are woken, so that the gateway is not idle meanwhile. */
static void
send_together (TallHbaseMerge *self,
               const TallHbaseMergeKind *kind,
               TallHbaseLine *line,
               TallHbaseShare *leader,
               TallHbaseLink *link)
{
  g_autoptr (GError) error = NULL;
  TallHbaseShared shared = { .pool = self->pool, .names = self->names };
  shared.n = tall_hbase_line_leave (line, leader, shared.shares);
  shared.deadline = find_deadline (&shared);
  for (guint i = 0; i < shared.n; i++)
    {
      shared.shares[i]->gateway = tall_hbase_pool_get_address (self->pool, link);
      shared.shares[i]->sent = g_get_monotonic_time ();
    }
  gboolean ok = kind->run (&shared, link, &error);
  tall_hbase_line_end (line, shared.n, ok ? shared.bytes : 0);
  for (guint i = 0; i < shared.n; i++)
    if (ok)
      tall_hbase_share_end (shared.shares[i], TALL_HBASE_SHARE_DONE);
    else
      fail_share (shared.shares[i], error);
}

/* FALSE with @error set if there is no connection in time. */
static gboolean
lead (TallHbaseMerge *self,
      const TallHbaseMergeKind *kind,
      TallHbaseLine *line,
      TallHbaseShare *share,
      GError **error)
{
  TallHbaseLink *link = kind->take (self->pool, TALL_HBASE_WAIT, share->deadline, error);
  if (link == NULL)
    tall_hbase_line_resign (line);
  else
    send_together (self, kind, line, share, link);
  return link != NULL;
}

/* FALSE with @error set if it gets no answer; else its state says what it has. */
static gboolean
wait_in_line (TallHbaseMerge *self,
              const TallHbaseMergeKind *kind,
              TallHbaseLine *line,
              TallHbaseShare *share,
              guint n_gateways,
              GError **error)
{
  guint timeout = tall_hbase_pool_get_options (self->pool)->wait_timeout;
  gint64 limit = g_get_monotonic_time () + timeout * G_TIME_SPAN_MILLISECOND;
  TallHbaseShareState state =
      tall_hbase_line_wait (line, share, n_gateways, MIN (limit, share->deadline));
  if (state == TALL_HBASE_SHARE_WAITING)
    {
      tall_hbase_pool_set_overloaded (self->pool, error);
      return FALSE;
    }
  if (state == TALL_HBASE_SHARE_LEADS)
    {
      if (!lead (self, kind, line, share, error))
        return FALSE;
    }
  else
    tall_trace_add (share->gateway, g_get_monotonic_time () - share->sent);
  if (share->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&share->error));
  return FALSE;
}

/* One that has less time than a call may take would cut short the others of its request. */
static gboolean
is_hasty (TallHbaseMerge *self, gint64 deadline)
{
  guint timeout = tall_hbase_pool_get_options (self->pool)->call_timeout;
  return deadline < g_get_monotonic_time () + timeout * G_TIME_SPAN_MILLISECOND;
}

static TallHbaseLine *
get_line (TallHbaseMerge *self, const TallHbaseMergeKind *kind, const char *table)
{
  g_autofree char *name = g_strconcat (kind->line, table, NULL);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  TallHbaseLine *line = g_hash_table_lookup (self->lines, name);
  if (line == NULL)
    {
      const TallHbaseOptions *options = tall_hbase_pool_get_options (self->pool);
      line =
          tall_hbase_line_new (options->max_waiting, options->patience * G_TIME_SPAN_MILLISECOND);
      g_hash_table_insert (self->lines, g_steal_pointer (&name), line);
    }
  return line;
}

/**
 * tall_hbase_merge_join:
 * @share: initialized; afterwards its state says what has become of it
 * @is_small: whether it may go with others: a gateway drops large requests
 * @link: (out) (nullable) (transfer full): a connection for a caller that goes alone, if there is
 * one
 *
 * Finds a connection for a share. If one is free and the line is not crowded, the caller gets it
 * and goes alone. Otherwise shares of the same line leave together in a request: the first in line
 * waits for a connection, the others wait for what they have asked for. If the request fails,
 * perhaps because of another share, all go alone. A caller with little time, or that asks for much,
 * goes alone at once.
 *
 * Returns: TRUE if it is done, by %TALL_HBASE_SHARE_DONE, or the caller has to go alone. FALSE with
 *   @error set if there is no connection in time, no gateway answers, or the answer is for all
 */
gboolean
tall_hbase_merge_join (TallHbaseMerge *self,
                       const TallHbaseMergeKind *kind,
                       const char *table,
                       TallHbaseShare *share,
                       gboolean is_small,
                       TallHbaseLink **link,
                       GError **error)
{
  TallHbaseLine *line = get_line (self, kind, table);
  guint n_gateways = MAX (tall_hbase_pool_count_alive (self->pool), 1);
  *link = NULL;
  if (!tall_hbase_line_is_crowded (line, n_gateways * TALL_HBASE_MAX_CONNECTIONS))
    *link = kind->take (self->pool, TALL_HBASE_TRY, share->deadline, NULL);
  return *link != NULL || !is_small || is_hasty (self, share->deadline)
         || wait_in_line (self, kind, line, share, n_gateways, error);
}

/**
 * tall_hbase_merge_count_waiting:
 *
 * Returns: shares that wait to be sent
 */
guint
tall_hbase_merge_count_waiting (TallHbaseMerge *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  GHashTableIter iter;
  gpointer line;
  guint n = 0;
  g_hash_table_iter_init (&iter, self->lines);
  while (g_hash_table_iter_next (&iter, NULL, &line))
    n += tall_hbase_line_count (line);
  return n;
}

/**
 * tall_hbase_merge_new:
 * @pool: kept, not owned
 * @names: kept, not owned
 */
TallHbaseMerge *
tall_hbase_merge_new (TallHbasePool *pool, const TallHbaseNames *names)
{
  TallHbaseMerge *self = g_new0 (TallHbaseMerge, 1);
  self->pool = pool;
  self->names = names;
  self->lines =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)tall_hbase_line_free);
  g_mutex_init (&self->mutex);
  return self;
}

/**
 * tall_hbase_merge_free:
 *
 * Nobody may be waiting.
 */
void
tall_hbase_merge_free (TallHbaseMerge *self)
{
  if (self == NULL)
    return;

  g_hash_table_unref (self->lines);
  g_mutex_clear (&self->mutex);
  g_free (self);
}
