/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/trace.h"

static _Thread_local TallTrace trace;

/**
 * tall_trace_begin:
 *
 * The calling thread begins to work on a request.
 */
void
tall_trace_begin (void)
{
  trace = (TallTrace){ 0 };
}

static void
note_place (TallTrace *self, const char *place, gint64 duration)
{
  if (self->place[0] != '\0' && duration <= self->longest)
    return;
  self->longest = duration;
  g_strlcpy (self->place, place, sizeof self->place);
}

/**
 * tall_trace_add:
 * @place: (nullable): the gateway that was asked; NULL: tables in this process
 * @duration: microseconds until it answered, or did not in time
 *
 * Notes a call on tables of the calling thread.
 */
void
tall_trace_add (const char *place, gint64 duration)
{
  trace.n_calls++;
  if (place != NULL)
    note_place (&trace, place, duration);
}

void
tall_trace_join (TallTrace *self, const TallTrace *other)
{
  self->n_calls += other->n_calls;
  if (other->place[0] != '\0')
    note_place (self, other->place, other->longest);
}

/**
 * tall_trace_get:
 *
 * Returns: (transfer none): that of the calling thread
 */
TallTrace *
tall_trace_get (void)
{
  return &trace;
}
