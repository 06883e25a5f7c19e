/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>
#include "tall-error.h"
#include "base/trace.h"
#include "service/calls/call-stats.h"

/**
 * TallLogLimit:
 *
 * Keeps clients and outages from filling the log: it allows a number of lines in a period, and then
 * only counts. A period begins with its first line. Zeroed to start with. Any thread may use it.
 */
typedef struct
{
  GMutex mutex;
  gint64 begin;     /* of the period counted, with its first line; monotonic, microseconds */
  guint n_lines;    /* written in that period; 0: none has begun */
  guint n_left_out; /* since the last one that was written */
} TallLogLimit;

gboolean
tall_log_limit_take (TallLogLimit *self, guint max_lines, gint64 length, guint *n_left_out);

/* The request that a thread works on has an id. The log shows it, and so do errors of which only
 * the log says more: so what a user reports is found again. It says nothing else. */
void tall_request_id_begin (void);
void tall_request_id_end (void);
const char *tall_request_id_get (void);

void tall_failure_log_add (TallError code, const char *operation, const GError *error);
void tall_failure_log_forget (void);

void tall_slow_log_add (const TallCallRecord *record,
                        gint64 now,
                        const TallTrace *trace,
                        const char *operation);
void tall_slow_log_forget (void);
