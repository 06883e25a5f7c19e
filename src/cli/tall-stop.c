/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-stop.h"

#include <signal.h>

static gint stop_signal; /* atomic; 0: none came */

static void
on_signal (int number)
{
  if (g_atomic_int_compare_and_exchange (&stop_signal, 0, number))
    return;
  /* asked twice: it ends at once, by the signal itself, when this handler returns */
  signal (number, SIG_DFL);
  raise (number);
}

/**
 * tall_stop_on_signals:
 *
 * From now on the first SIGINT, SIGTERM or SIGHUP only asks for a stop, and the next one ends the
 * process. One that the process was started to ignore stays ignored.
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
