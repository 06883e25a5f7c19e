/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

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

G_END_DECLS
