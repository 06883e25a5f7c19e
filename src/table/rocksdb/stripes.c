/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/stripes.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "tall-error.h"
#include "table/table.h"

struct _TallRocksdbStripes
{
  pthread_mutex_t mutexes[TALL_ROCKSDB_STRIPES]; /* GMutex cannot wait until a deadline */
};

TallRocksdbStripes *
tall_rocksdb_stripes_new (void)
{
  TallRocksdbStripes *self = g_new (TallRocksdbStripes, 1);
  for (guint i = 0; i < TALL_ROCKSDB_STRIPES; i++)
    pthread_mutex_init (&self->mutexes[i], NULL);
  return self;
}

void
tall_rocksdb_stripes_free (TallRocksdbStripes *self)
{
  for (guint i = 0; i < TALL_ROCKSDB_STRIPES; i++)
    pthread_mutex_destroy (&self->mutexes[i]);
  g_free (self);
}

/**
 * tall_rocksdb_stripes_find:
 * @table: number of the table
 *
 * Returns: the stripe of a row: FNV-1a of both
 */
guint
tall_rocksdb_stripes_find (guint32 table, TallSlice row)
{
  guint64 hash = 0xcbf29ce484222325u ^ table;
  for (gsize i = 0; i < row.len; i++)
    hash = (hash ^ row.data[i]) * 0x100000001b3u;
  return (guint)((hash ^ hash >> 32) % TALL_ROCKSDB_STRIPES);
}

static int
compare_stripes (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *)a;
  guint y = *(const guint *)b;
  return (x > y) - (x < y);
}

/* GLib's monotonic time is that of CLOCK_MONOTONIC. */
static gboolean
lock_one (pthread_mutex_t *mutex, gint64 deadline)
{
  if (pthread_mutex_trylock (mutex) == 0)
    return TRUE;
  if (deadline == TALL_NO_DEADLINE)
    return pthread_mutex_lock (mutex) == 0;
  struct timespec until = { deadline / G_USEC_PER_SEC, deadline % G_USEC_PER_SEC * 1000 };
  return pthread_mutex_clocklock (mutex, CLOCK_MONOTONIC, &until) == 0;
}

/**
 * tall_rocksdb_stripes_lock:
 * @stripes: of the rows; sorted afterwards, and each there once
 * @n: (inout): how many
 *
 * Takes them in ascending order, so that nobody waits in a circle, and waits until @deadline only.
 *
 * Returns: FALSE with %TALL_ERROR_TIMED_OUT, and none is taken
 */
gboolean
tall_rocksdb_stripes_lock (
    TallRocksdbStripes *self, guint *stripes, guint *n, gint64 deadline, GError **error)
{
  guint n_unique = 0;
  qsort (stripes, *n, sizeof (guint), compare_stripes);
  for (guint i = 0; i < *n; i++)
    if (n_unique == 0 || stripes[n_unique - 1] != stripes[i])
      stripes[n_unique++] = stripes[i];
  *n = n_unique;

  for (guint i = 0; i < n_unique; i++)
    if (!lock_one (&self->mutexes[stripes[i]], deadline))
      {
        tall_rocksdb_stripes_unlock (self, stripes, i);
        g_set_error (
            error, TALL_ERROR, TALL_ERROR_TIMED_OUT,
            "The deadline passed while other writes to the same rows were running; nothing "
            "was done");
        return FALSE;
      }
  return TRUE;
}

/**
 * tall_rocksdb_stripes_unlock:
 * @stripes: @n of them, as tall_rocksdb_stripes_lock() left them
 */
void
tall_rocksdb_stripes_unlock (TallRocksdbStripes *self, const guint *stripes, guint n)
{
  for (guint i = n; i > 0; i--)
    pthread_mutex_unlock (&self->mutexes[stripes[i - 1]]);
}

static void
unlock_first (TallRocksdbStripes *self, guint n)
{
  for (guint i = n; i > 0; i--)
    pthread_mutex_unlock (&self->mutexes[i - 1]);
}

/**
 * tall_rocksdb_stripes_lock_all:
 *
 * Waits until no write runs, and lets none begin.
 *
 * Returns: FALSE with %TALL_ERROR_TIMED_OUT, and none is taken
 */
gboolean
tall_rocksdb_stripes_lock_all (TallRocksdbStripes *self, gint64 deadline, GError **error)
{
  for (guint i = 0; i < TALL_ROCKSDB_STRIPES; i++)
    if (!lock_one (&self->mutexes[i], deadline))
      {
        unlock_first (self, i);
        g_set_error (error, TALL_ERROR, TALL_ERROR_TIMED_OUT,
                     "The deadline passed while writes were running; nothing was done");
        return FALSE;
      }
  return TRUE;
}

void
tall_rocksdb_stripes_unlock_all (TallRocksdbStripes *self)
{
  unlock_first (self, TALL_ROCKSDB_STRIPES);
}
