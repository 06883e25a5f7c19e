/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-error.h"
#include "service/calls/calls.h"

/* What a call can end with: 0 is done, the others are codes of #TallError that callers get. */
#define TALL_CALL_N_RESULTS (TALL_ERROR_FORBIDDEN + 1)

#define TALL_CALL_N_BUCKETS 16

/* Seconds that a call of a bucket takes at most, ascending; that of the last bucket has no end. */
extern const gdouble tall_call_bounds[TALL_CALL_N_BUCKETS - 1];

/**
 * TallCallRecord:
 *
 * One call from when its request is there until its reply is written.
 */
typedef struct
{
  const TallIdlCall *call; /* NULL: there is none of that name */
  gint64 begin;            /* microseconds of g_get_monotonic_time() */
  TallError code;          /* 0: done */
} TallCallRecord;

/**
 * TallCallCounts:
 *
 * All calls of one name since the server began.
 */
typedef struct
{
  guint64 results[TALL_CALL_N_RESULTS]; /* calls, by what they ended with */
  guint64 buckets[TALL_CALL_N_BUCKETS]; /* calls, by how long they took; each is in one bucket */
  guint64 time;                         /* microseconds of all together */
} TallCallCounts;

/**
 * TallCallStats:
 *
 * How many calls there were, how they ended, and how long they took. Any thread may use it.
 */
typedef struct _TallCallStats TallCallStats;

TallCallStats *tall_call_stats_new (void);
void tall_call_stats_free (TallCallStats *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallCallStats, tall_call_stats_free)

void tall_call_stats_add (TallCallStats *self, const TallCallRecord *record, gint64 now);
void tall_call_stats_get (TallCallStats *self, const TallIdlCall *call, TallCallCounts *counts);
