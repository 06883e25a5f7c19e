/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-progress.h"

#include <stdio.h>
#include <unistd.h>

#define BAR_WIDTH 30
#define INTERVAL (G_USEC_PER_SEC / 10)

static gint64 shown_at; /* monotonic time; 0: nothing is shown */

static void
append_bar (GString *line, guint64 position, guint64 size)
{
  gdouble part = MIN (1.0, (gdouble)position / (gdouble)size);
  guint filled = (guint)(part * BAR_WIDTH);
  g_string_append_c (line, '[');
  for (guint i = 0; i < BAR_WIDTH; i++)
    g_string_append (line, i < filled ? "█" : "·");
  g_string_append_printf (line, "] %3.0f %%  ", part * 100);
}

void
tall_progress_show (const TallLoadSummary *summary,
                    guint64 position,
                    guint64 size,
                    gpointer data G_GNUC_UNUSED)
{
  gint64 now = g_get_monotonic_time ();
  if (now - shown_at < INTERVAL || !isatty (STDERR_FILENO))
    return;
  shown_at = now;
  g_autoptr (GString) line = g_string_new ("\r");
  if (size > 0)
    append_bar (line, position, size);
  g_string_append_printf (line, "%" G_GUINT64_FORMAT " rows, %" G_GUINT64_FORMAT " stored\033[K",
                          summary->rows, summary->orders + summary->customers);
  fputs (line->str, stderr);
  fflush (stderr);
}

void
tall_progress_clear (void)
{
  if (shown_at != 0)
    fputs ("\r\033[K", stderr);
  shown_at = 0;
}
