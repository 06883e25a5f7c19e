/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/output.h"

#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BAR_WIDTH 30
#define BAR_FRAME 10 /* columns: brackets, the percentage, spaces */
#define MIN_BAR_WIDTH 5
#define USUAL_COLUMNS 80
#define INTERVAL (G_USEC_PER_SEC / 10)
#define LINE_INTERVAL (10 * G_USEC_PER_SEC) /* where there is no terminal */

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

/**
 * tall_progress_append_bar:
 *
 * Appends a bar of the usual width, with the percentage.
 */
void
tall_progress_append_bar (GString *line, guint64 position, guint64 size)
{
  append_bar (line, MIN (position, size), size, BAR_WIDTH / 2);
}

/* Since when the stage runs, and what had been done before. */
static struct
{
  TallLoadStage stage;
  gint64 time; /* monotonic; 0: no stage has begun */
  TallProgress progress;
} began;

static gdouble
get_rate (guint64 now, guint64 before, gdouble seconds)
{
  return seconds > 0 && now > before ? (gdouble)(now - before) / seconds : 0;
}

static char *
describe_left (const TallProgress *progress, gdouble seconds)
{
  gdouble rate = get_rate (progress->position, began.progress.position, seconds);
  if (rate <= 0 || progress->size <= progress->position)
    return NULL;
  gdouble left = (gdouble)(progress->size - progress->position) / rate;
  if (left < 100)
    return g_strdup_printf ("%.0f s left", left);
  return left < 100 * 60 ? g_strdup_printf ("%.0f min left", left / 60)
                         : g_strdup_printf ("%.1f h left", left / 3600);
}

/* Adds a text if there is room for it. */
static void
add_part (GString *line, char *taken, gsize room)
{
  g_autofree char *part = taken;
  if (part != NULL && line->len + 2 + strlen (part) <= room)
    g_string_append_printf (line, ", %s", part);
}

static void
append_items (GString *line, const TallProgress *progress)
{
  if (progress->items == 0)
    g_string_append_printf (line, "none %s yet", progress->done);
  else
    g_string_append_printf (line, "%" G_GUINT64_FORMAT " %s", progress->items, progress->done);
}

/* What there is to say, the most important first, in about @room bytes. */
static char *
describe (const TallProgress *progress, gdouble seconds, gsize room)
{
  gboolean stores = progress->stage == TALL_LOAD_STORES;
  g_autoptr (GString) line = g_string_new (NULL);
  if (progress->stage == TALL_LOAD_SURVEYS)
    g_string_append (line, "first pass");
  else if (stores)
    g_string_append_printf (line, "%" G_GUINT64_FORMAT " rows, ", progress->rows);
  else
    g_string_append (line, "rows that lay apart, ");
  if (progress->stage != TALL_LOAD_SURVEYS)
    append_items (line, progress);
  if (progress->rejected > 0)
    add_part (line, g_strdup_printf ("%" G_GUINT64_FORMAT " rejected", progress->rejected), room);
  add_part (line, describe_left (progress, seconds), room);
  gdouble items = get_rate (progress->items, began.progress.items, seconds);
  gdouble rows = get_rate (progress->rows, began.progress.rows, seconds);
  if (items > 0)
    add_part (line, g_strdup_printf ("%.0f/s", items), room);
  if (stores && rows > 0)
    add_part (line, g_strdup_printf ("%.0f lines/s", rows), room);
  if (progress->stage != TALL_LOAD_GATHERS && progress->position > 0)
    add_part (line, g_strdup_printf ("%.1f MB", (gdouble)progress->position / 1e6), room);
  return g_string_free (g_steal_pointer (&line), FALSE);
}

/* What is shown, in at most @columns. */
static char *
make_line (const TallProgress *progress, gdouble seconds, guint columns)
{
  g_autoptr (GString) line = g_string_new (NULL);
  gsize frame = progress->size > 0 ? BAR_FRAME + MIN_BAR_WIDTH : 0;
  g_autofree char *counts = describe (progress, seconds, columns - MIN (columns, frame));
  gsize len = strlen (counts);
  if (progress->size > 0 && len + BAR_FRAME + MIN_BAR_WIDTH <= columns)
    append_bar (line, progress->position, progress->size,
                (guint)MIN (BAR_WIDTH, columns - len - BAR_FRAME));
  g_string_append_len (line, counts, (gssize)MIN (len, columns));
  return g_string_free (g_steal_pointer (&line), FALSE);
}

/* Whether it is time to show something. */
static gboolean
is_due (gint64 interval)
{
  gint64 now = g_get_monotonic_time ();
  if (now - shown_at < interval)
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
  if (!isatty (STDERR_FILENO) || !is_due (INTERVAL))
    return;
  g_autofree char *line =
      g_utf8_substring (text, 0, MIN (count_columns () - 1, g_utf8_strlen (text, -1)));
  fprintf (stderr, "\r%s\033[K", line);
  fflush (stderr);
}

/* Remembers when each stage began. Returns the seconds since. */
static gdouble
note_stage (const TallProgress *progress)
{
  gint64 now = g_get_monotonic_time ();
  if (began.time == 0 || began.stage != progress->stage)
    {
      began.time = now;
      began.stage = progress->stage;
      began.progress = *progress;
      if (shown_at == 0 && !isatty (STDERR_FILENO))
        shown_at = now; /* short loads say nothing */
    }
  return (gdouble)(now - began.time) / G_USEC_PER_SEC;
}

void
tall_progress_show (const TallProgress *progress)
{
  gboolean is_terminal = isatty (STDERR_FILENO);
  gdouble seconds = note_stage (progress);
  if (!is_due (is_terminal ? INTERVAL : LINE_INTERVAL))
    return;
  /* The last column stays free: a character there can move the cursor to the next line. */
  guint columns = is_terminal ? count_columns () - 1 : G_MAXUINT16;
  g_autofree char *line =
      is_terminal ? make_line (progress, seconds, columns) : describe (progress, seconds, columns);
  fprintf (stderr, is_terminal ? "\r%s\033[K" : "%s\n", line);
  fflush (stderr);
}

void
tall_progress_clear (void)
{
  if (!isatty (STDERR_FILENO))
    return;
  if (shown_at != 0)
    fputs ("\r\033[K", stderr);
  shown_at = 0;
}

/* What comes within this time is the same wish: timeout(1) signals a process, and then its group.
 */
#define ONE_WISH (G_USEC_PER_SEC / 5)

static gint stop_signal; /* atomic; 0: none came */
static gsize asked_at;   /* atomic; of the monotonic clock; 0: not yet */

static void
on_signal (int number)
{
  gsize now = (gsize)g_get_monotonic_time ();
  if (g_atomic_pointer_compare_and_exchange (&asked_at, (gsize)0, now))
    {
      g_atomic_int_set (&stop_signal, number);
      return;
    }
  if (now - (gsize)g_atomic_pointer_get (&asked_at) < ONE_WISH)
    return;
  /* asked twice: it ends at once, by the signal itself, when this handler returns */
  signal (number, SIG_DFL);
  raise (number);
}

/**
 * tall_stop_on_signals:
 *
 * From now on the first SIGINT, SIGTERM or SIGHUP only asks for a stop, and one that comes 0.2
 * seconds later or more ends the process. One that the process was started to ignore stays ignored.
 *
 * Returns: (transfer none): the number of the signal that came, to be read atomically; 0: none
 */
const gint *
tall_stop_on_signals (void)
{
  static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      struct sigaction before;
      struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
      sigemptyset (&action.sa_mask);
      if (sigaction (numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction (numbers[i], &action, NULL);
    }
  return &stop_signal;
}
