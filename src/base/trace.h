/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

/* Bytes of the address of a gateway, with its NUL; a longer one is cut. */
#define TALL_TRACE_PLACE_SIZE 128

/**
 * TallTrace:
 *
 * What a thread, and those of #TallWork that helped it, have asked of tables since
 * tall_trace_begin().
 */
typedef struct
{
  guint n_calls;                     /* on tables; on HBase requests to gateways, with those that
                                      * others sent for several callers */
  gint64 longest;                    /* microseconds of the longest request to a gateway */
  char place[TALL_TRACE_PLACE_SIZE]; /* the address of that gateway; empty: there was none */
} TallTrace;

void tall_trace_begin (void);
void tall_trace_add (const char *place, gint64 duration);
void tall_trace_join (TallTrace *self, const TallTrace *other);
TallTrace *tall_trace_get (void);
