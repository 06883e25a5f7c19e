/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/listen.h"
#include "tall-must.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Seconds; a test that waits so long has failed. */
#define PATIENCE 60

/* So often it tries and gets no connection: at least half a second passes. */
#define N_FAILURES 6

typedef struct
{
  GMutex mutex;
  GCond changed;
  guint n_accepted, n_failed;
} Seen;

static void
on_accepted (gpointer data, GSocket *socket G_GNUC_UNUSED)
{
  Seen *seen = data;
  g_mutex_lock (&seen->mutex);
  seen->n_accepted++;
  g_cond_signal (&seen->changed);
  g_mutex_unlock (&seen->mutex);
}

static void
on_failed (gpointer data, const GError *error G_GNUC_UNUSED)
{
  Seen *seen = data;
  g_mutex_lock (&seen->mutex);
  seen->n_failed++;
  g_cond_signal (&seen->changed);
  g_mutex_unlock (&seen->mutex);
}

/* Until @count, which is of @seen, is so high. */
static void
wait_for (Seen *seen, const guint *count, guint n)
{
  gint64 deadline = g_get_monotonic_time () + PATIENCE * G_TIME_SPAN_SECOND;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&seen->mutex);
  while (*count < n)
    g_assert_true (g_cond_wait_until (&seen->changed, &seen->mutex, deadline));
}

/* Leaves no descriptor free. Returns: the limit there was. */
static struct rlimit
use_up_descriptors (void)
{
  struct rlimit before, none;
  int next = fcntl (STDERR_FILENO, F_DUPFD, 0);
  g_assert_cmpint (next, >=, 0);
  close (next);
  g_assert_no_errno (getrlimit (RLIMIT_NOFILE, &before));
  none = before;
  none.rlim_cur = (rlim_t)next;
  g_assert_no_errno (setrlimit (RLIMIT_NOFILE, &none));
  return before;
}

static GSocket *
make_client (const char *address, GSocketAddress **to)
{
  GSocket *client = must (
      g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, &error));
  guint port = (guint)g_ascii_strtoull (strrchr (address, ':') + 1, NULL, 10);
  *to = g_inet_socket_address_new_from_string ("127.0.0.1", port);
  return client;
}

/* A connection waits that cannot be accepted: it is tried again now and then, and meanwhile nothing
 * is done. */
static void
test_no_descriptors (void)
{
  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_passed ();
      return;
    }
  g_autoptr (GError) error = NULL;
  g_autofree char *address = NULL;
  gboolean is_reachable;
  Seen seen = { 0 };
  g_autoptr (GSocketListener) listener =
      must (tall_listen ("127.0.0.1:0", &address, &is_reachable, &error));
  g_autoptr (GSocketAddress) to = NULL;
  g_autoptr (GSocket) first = make_client (address, &to);
  g_autoptr (GSocketAddress) same = NULL;
  g_autoptr (GSocket) second = make_client (address, &same);

  /* What it needs itself it has after the first one. */
  TallAcceptor *acceptor = tall_acceptor_new (listener, on_accepted, on_failed, &seen);
  must (g_socket_connect (first, to, NULL, &error));
  wait_for (&seen, &seen.n_accepted, 1);
  char byte;
  g_assert_cmpint (g_socket_receive (first, &byte, 1, NULL, &error), ==, 0); /* it is closed */
  struct rlimit limit = use_up_descriptors ();
  gint64 begin = g_get_monotonic_time ();
  clock_t cpu = clock ();
  must (g_socket_connect (second, to, NULL, &error));
  wait_for (&seen, &seen.n_failed, N_FAILURES);
  gint64 passed = g_get_monotonic_time () - begin;
  g_assert_cmpint (passed, >=, 450 * G_TIME_SPAN_MILLISECOND);
  g_assert_cmpint ((clock () - cpu) * (G_USEC_PER_SEC / CLOCKS_PER_SEC), <, passed / 2);

  g_assert_no_errno (setrlimit (RLIMIT_NOFILE, &limit));
  wait_for (&seen, &seen.n_accepted, 2);
  tall_acceptor_end (acceptor);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/service/acceptor/no-descriptors", test_no_descriptors);
  return g_test_run ();
}
