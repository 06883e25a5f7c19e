/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallPatience:
 *
 * How long a load tries something again and again. A store that answers at once that it is not
 * available is tried some times. A store that stands still is waited for: it has time-outs, says
 * that it has too much to do, or takes a second and more until it fails. Begin with the three
 * bounds, and zeros.
 */
typedef struct
{
  guint tries;       /* of which each is refused at once */
  guint retry_delay; /* milliseconds before the second try; doubles with each */
  guint patience;    /* seconds that a store may stand still */

  guint n_tries;       /* that have failed … */
  guint n_refused;     /* … at once */
  gint64 first;        /* when the first of them began: microseconds; 0: none has */
  gint64 begun;        /* when the last one did */
  gboolean is_used_up; /* it has stood still for too long */
} TallPatience;

void tall_patience_begin (TallPatience *self, gint64 now);
gboolean tall_patience_goes_on (TallPatience *self, const GError *cause, gint64 now);
gboolean tall_patience_goes_on_after_race (TallPatience *self);
void tall_patience_explain (const TallPatience *self, GError **cause);
void tall_patience_sleep (const TallPatience *self);

G_END_DECLS
