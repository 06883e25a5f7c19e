/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-fake-time.h"

#include "tall-fake-gateway.h"

#include <dlfcn.h>
#include <gio/gio.h>
#include <time.h>

/* How often it is looked whether a gateway keeps an answer back, in microseconds. */
#define SLICE 2000

static gint passes; /* atomic */

/* Each thread has a clock of its own, which is ahead of the machine's by what it did not wait for.
 * So what others wait for takes no less time. In microseconds. */
static _Thread_local gint64 ahead;

/**
 * tall_fake_time_pass:
 *
 * As long as @passes, a thread that waits for an answer that a fake gateway keeps back has waited
 * for it until its time-out at once, by its own clock. The functions below take the place of GLib's
 * in the program, but not in GLib itself.
 */
void
tall_fake_time_pass (gboolean is_passing)
{
  g_atomic_int_set (&passes, is_passing);
}

gint64
g_get_monotonic_time (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return ahead + now.tv_sec * G_TIME_SPAN_SECOND + now.tv_nsec / 1000;
}

gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end_time)
{
  static gsize real;
  if (g_once_init_enter (&real))
    g_once_init_leave (&real, (gsize)dlsym (RTLD_NEXT, "g_cond_wait_until"));
  gboolean (*wait_until) (GCond *, GMutex *, gint64) = (gpointer)real;
  return wait_until (cond, mutex, end_time == G_MAXINT64 ? end_time : end_time - ahead);
}

static gboolean
is_kept_back (GSocket *socket)
{
  g_autoptr (GSocketAddress) own = g_socket_get_local_address (socket, NULL);
  return g_atomic_int_get (&passes) && G_IS_INET_SOCKET_ADDRESS (own)
         && tall_fake_gateway_keeps_back (
             g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (own)));
}

gboolean
g_socket_condition_timed_wait (GSocket *socket,
                               GIOCondition condition,
                               gint64 timeout_us,
                               GCancellable *cancellable,
                               GError **error)
{
  gint64 end = timeout_us < 0 ? G_MAXINT64 : g_get_monotonic_time () + timeout_us;
  while (!g_socket_condition_check (socket, condition))
    {
      gint64 left = end - g_get_monotonic_time ();
      if (left > 0 && timeout_us >= 0 && is_kept_back (socket))
        ahead += left;
      else if (left > 0)
        g_usleep ((gulong)MIN (left, SLICE));
      else
        {
          g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT, "it was silent");
          return FALSE;
        }
      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
    }
  return TRUE;
}
