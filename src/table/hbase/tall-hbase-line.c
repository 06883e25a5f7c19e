/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-line.h"

/* Bytes of one reply, estimated from the earlier rows of that table. */
#define MAX_REPLY (8 * 1024 * 1024)
/* Bytes of a row while nothing is known: an order may take a megabyte. */
#define FIRST_GUESS (256 * 1024)
/* Requests for rows of one table that are under way at a time, for each gateway. With more requests
 * each would have fewer rows. */
#define MAX_MERGED 2

struct _TallHbaseLine
{
  guint max_waiting;
  gint64 patience;

  GMutex mutex;
  GQueue gets;        /* of TallHbaseGet, not owned; the first to come is at the head */
  guint n_leaders;    /* that look for a connection; out of the queue */
  gint64 last_leader; /* when the last of them was chosen */
  guint n_gateways;   /* alive, when the last get came */
  guint n_merged;     /* requests under way */
  guint crowd;        /* rows of the largest recent request */
  gsize row_bytes;    /* of a row, about; 0: not known */
};

void
tall_hbase_get_init (TallHbaseGet *self, const TallRead *read, gint64 deadline)
{
  *self = (TallHbaseGet){ .read = read, .deadline = deadline, .result = tall_read_result_new (1) };
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
}

void
tall_hbase_get_clear (TallHbaseGet *self)
{
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->changed);
  g_clear_error (&self->error);
  g_clear_pointer (&self->result, tall_read_result_free);
}

static void
set_state (TallHbaseGet *get, TallHbaseGetState state)
{
  g_mutex_lock (&get->mutex);
  get->state = state;
  if (state != TALL_HBASE_GET_TAKEN)
    g_cond_signal (&get->changed);
  g_mutex_unlock (&get->mutex);
}

/* Returns: what it is now; still @from if @limit has passed. */
static TallHbaseGetState
wait_for_change (TallHbaseGet *get, TallHbaseGetState from, gint64 limit)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&get->mutex);
  gboolean in_time = TRUE;
  while (get->state == from && in_time)
    in_time = g_cond_wait_until (&get->changed, &get->mutex, limit);
  return get->state;
}

/**
 * tall_hbase_get_end:
 * @state: %TALL_HBASE_GET_DONE, with @row set; %TALL_HBASE_GET_FAILED, with @error set; or
 *   %TALL_HBASE_GET_ALONE
 *
 * Lets the thread of a get that was taken go on. From then on the get's memory may be gone.
 */
void
tall_hbase_get_end (TallHbaseGet *self, TallHbaseGetState state)
{
  set_state (self, state);
}

static guint
max_rows (const TallHbaseLine *self)
{
  gsize row = self->row_bytes == 0 ? FIRST_GUESS : self->row_bytes;
  return (guint)CLAMP (MAX_REPLY / row, 1, TALL_HBASE_MAX_GETS);
}

/* One request for each gateway is under way at a time, so that callers that return from it can join
 * the next one. A second leaves only if it is as large as the first; a full one always leaves. */
static gboolean
may_leave (const TallHbaseLine *self)
{
  guint n = self->gets.length;
  return self->n_merged < self->n_gateways || n >= max_rows (self)
         || (n >= self->crowd && self->n_merged < MAX_MERGED * self->n_gateways);
}

/* Neither requests under way nor leaders that look for a connection may hold up the others: their
 * gateway may be slow or dead. But if all connections are busy, more leaders only make requests
 * smaller. */
static gboolean
is_impatient (const TallHbaseLine *self)
{
  if (self->n_leaders > self->n_gateways)
    return FALSE;
  const TallHbaseGet *first = self->gets.head->data;
  return g_get_monotonic_time () - MAX (first->since, self->last_leader) >= self->patience;
}

/* Makes the first in line a leader, if it is time. Called with the mutex held. */
static void
find_leader (TallHbaseLine *self)
{
  if (self->gets.length == 0
      || !((self->n_leaders == 0 && may_leave (self)) || is_impatient (self)))
    return;
  self->n_leaders++;
  self->last_leader = g_get_monotonic_time ();
  set_state (g_queue_pop_head (&self->gets), TALL_HBASE_GET_LEADS);
}

static gboolean
join (TallHbaseLine *self, TallHbaseGet *get, guint n_gateways)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  if (self->gets.length + self->n_leaders >= self->max_waiting)
    return FALSE;
  self->n_gateways = n_gateways;
  get->since = g_get_monotonic_time ();
  g_queue_push_tail (&self->gets, get);
  find_leader (self);
  return TRUE;
}

static void
look_again (TallHbaseLine *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  find_leader (self);
}

static TallHbaseGetState
get_state (TallHbaseGet *get)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&get->mutex);
  return get->state;
}

/* FALSE: it was taken or made to lead. */
static gboolean
give_up (TallHbaseLine *self, TallHbaseGet *get)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return get_state (get) == TALL_HBASE_GET_WAITING && g_queue_remove (&self->gets, get);
}

/**
 * tall_hbase_line_wait:
 * @n_gateways: that are alive; at least 1
 * @limit: how long to stand in line
 *
 * Joins the line and waits until another's request has brought the row.
 *
 * Returns: %TALL_HBASE_GET_DONE; %TALL_HBASE_GET_FAILED; %TALL_HBASE_GET_ALONE: to be read by
 *   itself; %TALL_HBASE_GET_LEADS: must look for a connection and then call tall_hbase_line_leave()
 *   or tall_hbase_line_resign(); %TALL_HBASE_GET_WAITING: the line is full, or @limit has passed
 */
TallHbaseGetState
tall_hbase_line_wait (TallHbaseLine *self, TallHbaseGet *get, guint n_gateways, gint64 limit)
{
  if (!join (self, get, n_gateways))
    return TALL_HBASE_GET_WAITING;

  /* Every thread in line checks now and then whether the first may leave: often at first, then
   * rarely. */
  for (gint64 pause = self->patience;; pause *= 2)
    {
      gint64 until = MIN (limit, g_get_monotonic_time () + pause);
      if (wait_for_change (get, TALL_HBASE_GET_WAITING, until) != TALL_HBASE_GET_WAITING
          || until == limit)
        break;
      look_again (self);
    }
  if (give_up (self, get))
    return TALL_HBASE_GET_WAITING;
  /* Its request ends by itself, whatever happens. */
  return wait_for_change (get, TALL_HBASE_GET_TAKEN, TALL_NO_DEADLINE);
}

/**
 * tall_hbase_line_leave:
 * @leader: one that leads
 * @gets: (out caller-allocates): %TALL_HBASE_MAX_GETS
 *
 * The leader and the first gets in line leave, in a request that is under way from now on.
 *
 * Returns: how many
 */
guint
tall_hbase_line_leave (TallHbaseLine *self, TallHbaseGet *leader, TallHbaseGet **gets)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  guint max = max_rows (self);
  guint n = 0;
  TallHbaseGet *get = leader;

  while (get != NULL)
    {
      set_state (get, TALL_HBASE_GET_TAKEN);
      gets[n++] = get;
      get = n < max ? g_queue_pop_head (&self->gets) : NULL;
    }
  self->crowd = MAX (n, self->crowd - self->crowd / 4);
  self->n_merged++;
  self->n_leaders--;
  find_leader (self);
  return n;
}

/**
 * tall_hbase_line_resign:
 *
 * A leader found no connection. Another get becomes the leader.
 */
void
tall_hbase_line_resign (TallHbaseLine *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->n_leaders--;
  find_leader (self);
}

/**
 * tall_hbase_line_end:
 * @n: rows of the request
 * @bytes: of its reply; 0: it failed
 *
 * Notes that a request is no longer under way.
 */
void
tall_hbase_line_end (TallHbaseLine *self, guint n, gsize bytes)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  gsize row = bytes / n + 1;
  if (bytes > 0)
    self->row_bytes = self->row_bytes == 0 ? row : (self->row_bytes + row) / 2;
  self->n_merged--;
  find_leader (self);
}

/**
 * tall_hbase_line_is_crowded:
 * @n_connections: that there may be
 *
 * Returns: whether a get has to expect other gets of the same table: some wait already, or a recent
 *   request had as many rows as there are connections, and its callers are about to come back. A
 *   large request is forgotten within a few requests
 */
gboolean
tall_hbase_line_is_crowded (TallHbaseLine *self, guint n_connections)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->gets.length > 0 || self->crowd >= n_connections;
}

/**
 * tall_hbase_line_count:
 *
 * Returns: gets that wait to be sent
 */
guint
tall_hbase_line_count (TallHbaseLine *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->gets.length + self->n_leaders;
}

/**
 * tall_hbase_line_new:
 * @max_waiting: gets in line
 * @patience: in µs; a get that has waited for so long leaves, whatever the gets before it do
 */
TallHbaseLine *
tall_hbase_line_new (guint max_waiting, gint64 patience)
{
  TallHbaseLine *self = g_new0 (TallHbaseLine, 1);
  self->max_waiting = max_waiting;
  self->patience = patience;
  self->n_gateways = 1;
  g_mutex_init (&self->mutex);
  g_queue_init (&self->gets);
  return self;
}

/**
 * tall_hbase_line_free:
 *
 * Nobody may be in line.
 */
void
tall_hbase_line_free (TallHbaseLine *self)
{
  g_mutex_clear (&self->mutex);
  g_free (self);
}
