/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallLogLimit:
 *
 * Keeps clients from filling the log: so many lines a minute, and then only how many there were.
 * Zeroed to start with. Any thread may use it.
 */
typedef struct
{
  GMutex mutex;
  gint64 minute; /* the one counted, since the machine started */
  guint n_lines; /* in that minute, written or not */
} TallLogLimit;

gboolean tall_log_limit_take (TallLogLimit *self, guint *n_left_out);

G_END_DECLS
