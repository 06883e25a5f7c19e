/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallPace:
 *
 * Lets at most so many a second through, on average. Begin with the options set and the rest zero.
 */
typedef struct
{
  guint rate;       /* a second; 0: as many as there can be */
  const gint *stop; /* atomic; nothing is waited for when it is not 0 any more; NULL: it never is */
  gint64 began;     /* monotonic time of the first */
  guint64 n;
} TallPace;

void tall_pace_wait (TallPace *self);

G_END_DECLS
