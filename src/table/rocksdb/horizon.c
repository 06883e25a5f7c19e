/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/rocksdb/horizon.h"

#include "table/rocksdb/row-codec.h"

struct _TallRocksdbHorizon
{
  GMutex mutex;
  guint present;     /* 0 or 1: the generation that calls enter */
  guint running[2];  /* calls of each */
  gint64 begun;      /* when the present one began: monotonic time */
  guint64 first;     /* the last write when the present one began */
  guint64 forgotten; /* atomic: markers with this number or a lower one are needed by nobody */
};

TallRocksdbHorizon *
tall_rocksdb_horizon_new (void)
{
  TallRocksdbHorizon *self = g_new0 (TallRocksdbHorizon, 1);
  g_mutex_init (&self->mutex);
  return self;
}

void
tall_rocksdb_horizon_free (TallRocksdbHorizon *self)
{
  g_mutex_clear (&self->mutex);
  g_free (self);
}

/**
 * tall_rocksdb_horizon_open:
 * @last: number of the last write when the store was opened
 */
void
tall_rocksdb_horizon_open (TallRocksdbHorizon *self, guint64 last)
{
  self->first = last;
  self->begun = g_get_monotonic_time ();
  __atomic_store_n (&self->forgotten, last, __ATOMIC_RELEASE);
}

/**
 * tall_rocksdb_horizon_enter:
 * @now: monotonic time
 * @last: number of the last write
 *
 * Begins a call that writes.
 *
 * Returns: its generation, for tall_rocksdb_horizon_leave()
 */
guint
tall_rocksdb_horizon_enter (TallRocksdbHorizon *self, gint64 now, guint64 last)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  guint other = 1 - self->present;
  if (self->running[other] == 0 && now - self->begun >= TALL_ROCKSDB_MARKER_AGE)
    {
      /* All that run began in the present generation, so after the write @first. */
      __atomic_store_n (&self->forgotten, self->first, __ATOMIC_RELEASE);
      self->present = other;
      self->begun = now;
      self->first = last;
    }
  self->running[self->present]++;
  return self->present;
}

void
tall_rocksdb_horizon_leave (TallRocksdbHorizon *self, guint generation)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  self->running[generation]--;
}

guint64
tall_rocksdb_horizon_get (TallRocksdbHorizon *self)
{
  return __atomic_load_n (&self->forgotten, __ATOMIC_ACQUIRE);
}

/* Of one compaction, which uses it in one thread. */
typedef struct
{
  guint64 forgotten;
  GByteArray *stripped; /* what was given to RocksDB last */
} Filter;

static void
filter_free (void *data)
{
  Filter *self = data;
  g_byte_array_unref (self->stripped);
  g_free (self);
}

static const char *
filter_name (void *data G_GNUC_UNUSED)
{
  return "tallorder-markers";
}

/* What a reader sees of a row is the same with its markers and without. */
static unsigned char
filter_row (void *data,
            int level G_GNUC_UNUSED,
            const char *key G_GNUC_UNUSED,
            size_t key_len G_GNUC_UNUSED,
            const char *value,
            size_t value_len,
            char **new_value,
            size_t *new_value_len,
            unsigned char *changed)
{
  Filter *self = data;
  *changed = 0;
  switch (tall_row_strip (tall_slice (value, value_len), self->forgotten, self->stripped))
    {
    case TALL_ROW_EMPTY:
      return 1;
    case TALL_ROW_STRIPPED:
      *new_value = (char *)self->stripped->data;
      *new_value_len = self->stripped->len;
      *changed = 1;
      return 0;
    case TALL_ROW_AS_IT_WAS:
    default:
      return 0;
    }
}

static rocksdb_compactionfilter_t *
create_filter (void *data, rocksdb_compactionfiltercontext_t *context G_GNUC_UNUSED)
{
  Filter *self = g_new (Filter, 1);
  self->forgotten = tall_rocksdb_horizon_get (data);
  self->stripped = g_byte_array_new ();
  return rocksdb_compactionfilter_create (self, filter_free, filter_row, filter_name);
}

static void
keep_horizon (void *data G_GNUC_UNUSED)
{
}

/**
 * tall_rocksdb_horizon_new_filter_factory:
 * @self: has to live longer than the database
 *
 * Returns: (transfer full): what lets compactions remove the markers beyond the horizon, and rows
 *   that have nothing else
 */
rocksdb_compactionfilterfactory_t *
tall_rocksdb_horizon_new_filter_factory (TallRocksdbHorizon *self)
{
  return rocksdb_compactionfilterfactory_create (self, keep_horizon, create_filter, filter_name);
}
