/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/calls/call-stats.h"

#include "service/calls/calls.h"

const gdouble tall_call_bounds[TALL_CALL_N_BUCKETS - 1] = {
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
};

struct _TallCallStats
{
  GMutex mutex;            /* of what follows */
  TallCallCounts unknown;  /* calls of names that there are not */
  TallCallCounts counts[]; /* by tall_calls_get_index() */
};

/**
 * tall_call_stats_new:
 *
 * Returns: (transfer full): without any call
 */
TallCallStats *
tall_call_stats_new (void)
{
  TallCallStats *self =
      g_malloc0 (sizeof (TallCallStats) + tall_calls_count () * sizeof (TallCallCounts));
  g_mutex_init (&self->mutex);
  return self;
}

void
tall_call_stats_free (TallCallStats *self)
{
  g_mutex_clear (&self->mutex);
  g_free (self);
}

static TallCallCounts *
find_counts (TallCallStats *self, const TallIdlCall *call)
{
  return call != NULL ? &self->counts[tall_calls_get_index (call)] : &self->unknown;
}

static guint
find_bucket (gint64 microseconds)
{
  guint i = 0;
  while (i < TALL_CALL_N_BUCKETS - 1 && (gdouble)microseconds > tall_call_bounds[i] * 1e6)
    i++;
  return i;
}

/**
 * tall_call_stats_add:
 * @now: when the call has ended, as its `begin`
 */
void
tall_call_stats_add (TallCallStats *self, const TallCallRecord *record, gint64 now)
{
  gint64 taken = MAX (now - record->begin, 0);
  /* A code of tables only: no caller sees one, and if one came here, it would be our defect. */
  guint result =
      (guint)record->code < TALL_CALL_N_RESULTS ? (guint)record->code : (guint)TALL_ERROR_INTERNAL;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  TallCallCounts *counts = find_counts (self, record->call);
  counts->results[result]++;
  counts->buckets[find_bucket (taken)]++;
  counts->time += (guint64)taken;
}

/**
 * tall_call_stats_get:
 * @call: (nullable): NULL: those of names that there are not
 * @counts: (out caller-allocates):
 */
void
tall_call_stats_get (TallCallStats *self, const TallIdlCall *call, TallCallCounts *counts)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  *counts = *find_counts (self, call);
}
