/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-progress.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BAR_WIDTH 30
#define BAR_FRAME 10 /* columns: brackets, the percentage, spaces */
#define MIN_BAR_WIDTH 5
#define USUAL_COLUMNS 80
#define INTERVAL (G_USEC_PER_SEC / 10)

static gint64 shown_at; /* monotonic time; 0: nothing is shown */

/* Asked each time, as a window changes its width. */
static guint
count_columns (void)
{
  struct winsize window;
  if (ioctl (STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
    return window.ws_col;
  guint64 columns;
  const char *text = g_getenv ("COLUMNS");
  if (text != NULL && g_ascii_string_to_unsigned (text, 10, 1, G_MAXUINT16, &columns, NULL))
    return (guint)columns;
  return USUAL_COLUMNS;
}

static void
append_bar (GString *line, guint64 position, guint64 size, guint width)
{
  gdouble part = MIN (1.0, (gdouble)position / (gdouble)size);
  guint filled = (guint)(part * width);
  g_string_append_c (line, '[');
  for (guint i = 0; i < width; i++)
    g_string_append (line, i < filled ? "█" : "·");
  g_string_append_printf (line, "] %3.0f %%  ", part * 100);
}

/* What is shown, in at most @columns. */
static char *
make_line (TallLoadStage stage,
           const TallLoadSummary *summary,
           guint64 position,
           guint64 size,
           guint columns)
{
  g_autoptr (GString) line = g_string_new (NULL);
  g_autofree char *counts =
      stage == TALL_LOAD_SURVEYS
          ? g_strdup ("first pass: where each order is")
          : g_strdup_printf ("%" G_GUINT64_FORMAT " rows, %" G_GUINT64_FORMAT " stored",
                             summary->rows, summary->counts.stored.items);
  gsize len = strlen (counts);
  if (size > 0 && len + BAR_FRAME + MIN_BAR_WIDTH <= columns)
    append_bar (line, position, size, (guint)MIN (BAR_WIDTH, columns - len - BAR_FRAME));
  g_string_append_len (line, counts, (gssize)MIN (len, columns));
  return g_string_free (g_steal_pointer (&line), FALSE);
}

/* Whether it is time to show something. */
static gboolean
is_due (void)
{
  gint64 now = g_get_monotonic_time ();
  if (now - shown_at < INTERVAL || !isatty (STDERR_FILENO))
    return FALSE;
  shown_at = now;
  return TRUE;
}

/**
 * tall_progress_show_text:
 *
 * Shows a line in the place of the one before, a few times a second.
 */
void
tall_progress_show_text (const char *text)
{
  if (!is_due ())
    return;
  fprintf (stderr, "\r%.*s\033[K", (int)count_columns () - 1, text);
  fflush (stderr);
}

void
tall_progress_show (TallLoadStage stage,
                    const TallLoadSummary *summary,
                    guint64 position,
                    guint64 size,
                    gpointer data G_GNUC_UNUSED)
{
  if (!is_due ())
    return;
  /* The last column stays free: a character there can move the cursor to the next line. */
  g_autofree char *line = make_line (stage, summary, position, size, count_columns () - 1);
  fprintf (stderr, "\r%s\033[K", line);
  fflush (stderr);
}

void
tall_progress_clear (void)
{
  if (shown_at != 0)
    fputs ("\r\033[K", stderr);
  shown_at = 0;
}
