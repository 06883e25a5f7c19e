/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-line.h"

#include "tall-hbase-gateway.h"

/* Bytes of one reply, by what the rows of that table took so far. */
#define MAX_REPLY (8 * 1024 * 1024)
/* Requests for rows of one table under way at a time, for each gateway: with more each would have
 * fewer rows. */
#define MAX_MERGED 2

struct _TallHbaseLine
{
  guint n_gateways;
  guint max_waiting;
  gint64 patience;

  GMutex mutex;
  GQueue gets;     /* of TallHbaseGet, not owned; who came first is at the head */
  gboolean led;    /* one of them waits for a connection */
  guint n_merged;  /* requests under way */
  guint crowd;     /* rows of the largest request of late */
  gsize row_bytes; /* of a row, about; 0: not known */
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
 * tall_hbase_get_settle:
 * @row: (nullable): as it was found, without cells if it was not; NULL: the request failed
 *
 * Lets the get's thread go on. With that the get's memory may be gone.
 */
void
tall_hbase_get_settle (TallHbaseGet *self, const TallRow *row)
{
  if (row != NULL)
    self->row = *row;
  set_state (self, row != NULL ? TALL_HBASE_GET_DONE : TALL_HBASE_GET_ALONE);
}

static guint
max_rows (const TallHbaseLine *self)
{
  gsize max = self->row_bytes == 0 ? TALL_HBASE_LINE_MAX_ROWS : MAX_REPLY / self->row_bytes;
  return (guint)CLAMP (max, 1, TALL_HBASE_LINE_MAX_ROWS);
}

/* One request for each gateway is under way at a time, so that those who come back from it have
 * time to join the next one; a second only if it is as large as the first. A full one leaves. */
static gboolean
may_leave (const TallHbaseLine *self)
{
  guint n = self->gets.length;
  return self->n_merged < self->n_gateways || n >= max_rows (self)
         || (n >= self->crowd && self->n_merged < MAX_MERGED * self->n_gateways);
}

/* Has the first in line wait for a connection. Called with the mutex held. */
static void
find_leader (TallHbaseLine *self, gboolean hurry)
{
  if (self->led || self->gets.length == 0 || !(hurry || may_leave (self)))
    return;
  self->led = TRUE;
  set_state (g_queue_peek_head (&self->gets), TALL_HBASE_GET_LEADS);
}

static gboolean
join (TallHbaseLine *self, TallHbaseGet *get)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  if (self->gets.length >= self->max_waiting)
    return FALSE;
  g_queue_push_tail (&self->gets, get);
  find_leader (self, FALSE);
  return TRUE;
}

/* Its time in line is over. FALSE: it was taken or made to lead in the last moment. */
static gboolean
give_up (TallHbaseLine *self, TallHbaseGet *get)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return get->state == TALL_HBASE_GET_WAITING && g_queue_remove (&self->gets, get);
}

static void
lose_patience (TallHbaseLine *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  find_leader (self, TRUE);
}

/**
 * tall_hbase_line_wait:
 * @limit: how long to stand in line
 *
 * Joins the line and waits until another's request has brought the row.
 *
 * Returns: %TALL_HBASE_GET_DONE; %TALL_HBASE_GET_ALONE: to be read by itself;
 *   %TALL_HBASE_GET_LEADS: has to find a connection for all, and is still in line;
 *   %TALL_HBASE_GET_WAITING: is out of the line: it is full, or @limit has passed
 */
TallHbaseGetState
tall_hbase_line_wait (TallHbaseLine *self, TallHbaseGet *get, gint64 limit)
{
  if (!join (self, get))
    return TALL_HBASE_GET_WAITING;

  gint64 patience = MIN (limit, g_get_monotonic_time () + self->patience);
  TallHbaseGetState state = wait_for_change (get, TALL_HBASE_GET_WAITING, patience);
  if (state == TALL_HBASE_GET_WAITING && patience < limit)
    {
      lose_patience (self);
      state = wait_for_change (get, TALL_HBASE_GET_WAITING, limit);
    }
  if (state == TALL_HBASE_GET_WAITING && give_up (self, get))
    return TALL_HBASE_GET_WAITING;
  /* Its request ends by itself, whatever happens. */
  return wait_for_change (get, TALL_HBASE_GET_TAKEN, TALL_NO_DEADLINE);
}

/**
 * tall_hbase_line_leave:
 * @leader: one that leads
 * @gets: (out caller-allocates): %TALL_HBASE_LINE_MAX_ROWS
 *
 * The leader and those that came first leave the line, in a request that is under way from now on.
 *
 * Returns: how many
 */
guint
tall_hbase_line_leave (TallHbaseLine *self, TallHbaseGet *leader, TallHbaseGet **gets)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  guint max = max_rows (self);
  guint n = 0;

  g_queue_remove (&self->gets, leader);
  for (TallHbaseGet *get = leader; get != NULL;
       get = n < max ? g_queue_pop_head (&self->gets) : NULL)
    {
      set_state (get, TALL_HBASE_GET_TAKEN);
      gets[n++] = get;
    }
  self->crowd = MAX (n, self->crowd - self->crowd / 4);
  self->n_merged++;
  self->led = FALSE;
  find_leader (self, FALSE);
  return n;
}

/**
 * tall_hbase_line_resign:
 * @leader: one that leads
 *
 * It found no connection, and is out of the line. Another leads.
 */
void
tall_hbase_line_resign (TallHbaseLine *self, TallHbaseGet *leader)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  g_queue_remove (&self->gets, leader);
  self->led = FALSE;
  find_leader (self, FALSE);
}

/**
 * tall_hbase_line_end:
 * @n: rows of the request
 * @bytes: of its reply; 0: it failed
 *
 * A request is no longer under way.
 */
void
tall_hbase_line_end (TallHbaseLine *self, guint n, gsize bytes)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  if (bytes > 0)
    self->row_bytes = (self->row_bytes + bytes / n) / 2 + 1;
  self->n_merged--;
  find_leader (self, FALSE);
}

/**
 * tall_hbase_line_is_crowded:
 *
 * Returns: whether a get has to expect others that go the same way: some wait already, or as many
 *   as there are connections left together just now and are about to come back. The latter is
 *   forgotten within a few requests.
 */
gboolean
tall_hbase_line_is_crowded (TallHbaseLine *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  return self->gets.length > 0 || self->crowd >= TALL_HBASE_MAX_CONNECTIONS * self->n_gateways;
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
  return self->gets.length;
}

/**
 * tall_hbase_line_new:
 * @n_gateways: that gets may leave to
 * @max_waiting: gets in line
 * @patience: in µs; who has waited for so long does not wait for requests under way any longer
 */
TallHbaseLine *
tall_hbase_line_new (guint n_gateways, guint max_waiting, gint64 patience)
{
  TallHbaseLine *self = g_new0 (TallHbaseLine, 1);
  self->n_gateways = n_gateways;
  self->max_waiting = max_waiting;
  self->patience = patience;
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
