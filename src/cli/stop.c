/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/stop.h"

#include <signal.h>

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
