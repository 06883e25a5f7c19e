/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* How long one good client waits for its answers beside greedy ones that come from other addresses,
 * against how long it does beside as many polite ones. */

#include "service/server/server.h"

#include "tall-client.h"
#include "tall-test-orders.h"
#include "tall-test-service.h"
#include "tall-test-wire.h"
#include "tall-must.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define N_IDLE 256
#define N_SLOW 240
#define N_FLOODING 20
#define N_MOST N_IDLE

/* A request that is announced, and what of it is sent at first and then in each turn: a little more
 * than the server wants to see. */
#define ANNOUNCED (16 * 1024 * 1024)
#define FED (64 * 1024)

/* Calls that one client which floods has on their way at any time. */
#define PIPELINE 100

#define ANSWER_SIZE 21

static gint64 run_time = G_TIME_SPAN_SECOND;

/* Connections that all behave alike, driven by one thread. */
typedef struct _Crowd Crowd;
struct _Crowd
{
  const char *from;
  guint n;
  guint pause;                      /* milliseconds between two turns; 0: has none */
  void (*begin) (int fd);           /* of a connection */
  void (*turn) (int fd);            /* of each connection */
  void (*answer) (int fd, gsize n); /* after so many answers */

  guint16 port;
  const gint *ending; /* atomic */
  struct pollfd fds[N_MOST];
  guint n_opened;
};

/* A ping in the binary protocol. */
static const char call[] = "\0\0\0\x11"
                           "\x80\1\0\1"
                           "\0\0\0\4ping"
                           "\0\0\0\1"
                           "\0";
static const guint8 zeros[FED];

static void
send_some (int fd, gconstpointer data, gsize len)
{
  (void)!send (fd, data, len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void
ping_once (int fd)
{
  send_some (fd, call, sizeof call - 1);
}

static void
ping_as_often (int fd, gsize n)
{
  for (gsize i = 0; i < n; i++)
    ping_once (fd);
}

static void
ping_all_at_once (int fd)
{
  ping_as_often (fd, PIPELINE);
}

static void
feed (int fd)
{
  send_some (fd, zeros, FED);
}

static void
announce (int fd)
{
  guint32 header = GUINT32_TO_BE (ANNOUNCED);
  send_some (fd, &header, sizeof header);
  feed (fd);
}

static const Crowd greedy[] = {
  { .from = "127.0.0.2", .n = N_IDLE },
  { .from = "127.0.0.3", .n = N_SLOW, .pause = 100, .begin = announce, .turn = feed },
  { .from = "127.0.0.4", .n = N_FLOODING, .begin = ping_all_at_once, .answer = ping_as_often },
};
static const Crowd polite[] = {
  { .from = "127.0.0.2", .n = N_IDLE, .begin = ping_once },
  { .from = "127.0.0.3", .n = N_SLOW, .pause = 1000, .begin = ping_once, .turn = ping_once },
  { .from = "127.0.0.4", .n = N_FLOODING, .begin = ping_once, .answer = ping_as_often },
};
#define N_CROWDS G_N_ELEMENTS (greedy)

static void
open_connection (Crowd *self, struct pollfd *place)
{
  struct sockaddr_in from = { .sin_family = AF_INET }, to = from;
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  g_assert_cmpint (fd, >=, 0);

  g_assert_cmpint (inet_pton (AF_INET, self->from, &from.sin_addr), ==, 1);
  to.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  to.sin_port = htons (self->port);
  setsockopt (fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &(int){ 1 }, sizeof (int));
  g_assert_no_errno (bind (fd, (struct sockaddr *)&from, sizeof from));
  g_assert_no_errno (connect (fd, (struct sockaddr *)&to, sizeof to));
  *place = (struct pollfd){ .fd = fd, .events = POLLIN };
  self->n_opened++;
  if (self->begin != NULL)
    self->begin (fd);
}

/* One that the server closes comes again. */
static void
look_after (Crowd *self, struct pollfd *place)
{
  guint8 answers[ANSWER_SIZE * PIPELINE];
  gssize n = recv (place->fd, answers, sizeof answers, MSG_DONTWAIT);

  if (n > 0 && self->answer != NULL)
    self->answer (place->fd, MAX ((gsize)n / ANSWER_SIZE, 1));
  if (n > 0 || (n < 0 && errno == EAGAIN))
    return;
  close (place->fd);
  open_connection (self, place);
}

static gpointer
drive (gpointer data)
{
  Crowd *self = data;
  gint64 next = g_get_monotonic_time () + self->pause * 1000;

  for (guint i = 0; i < self->n; i++)
    open_connection (self, &self->fds[i]);
  while (!g_atomic_int_get (self->ending))
    {
      poll (self->fds, self->n, 10);
      for (guint i = 0; i < self->n; i++)
        if (self->fds[i].revents != 0)
          look_after (self, &self->fds[i]);
      if (self->turn == NULL || g_get_monotonic_time () < next)
        continue;
      next += self->pause * 1000;
      for (guint i = 0; i < self->n; i++)
        self->turn (self->fds[i].fd);
    }
  for (guint i = 0; i < self->n; i++)
    close (self->fds[i].fd);
  return NULL;
}

/* What the good client has seen; microseconds. */
typedef struct
{
  guint n_calls;
  guint n_failed;
  gint64 first, p50, p99, most;
} Seen;

static gint
compare (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *)a, y = *(const gint64 *)b;
  return (x > y) - (x < y);
}

static gint64
call_once (TallFront *client, Seen *seen)
{
  gint64 begin = g_get_monotonic_time ();
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = tall_front_get_order (client, "VINET", "10248", NULL, &error);

  if (order == NULL)
    {
      seen->n_failed++;
      g_test_message ("%s", error->message);
    }
  return g_get_monotonic_time () - begin;
}

static Seen
be_good (const char *address)
{
  Seen seen = { 0 };
  g_autoptr (TallFront) client = must (tall_client_new (address, &error));
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (gint64));

  seen.first = call_once (client, &seen);
  for (gint64 begin = g_get_monotonic_time (); g_get_monotonic_time () - begin < run_time;)
    {
      gint64 time = call_once (client, &seen);
      g_array_append_val (times, time);
    }
  g_array_sort (times, compare);
  seen.n_calls = times->len;
  seen.p50 = g_array_index (times, gint64, times->len / 2);
  seen.p99 = g_array_index (times, gint64, times->len * 99 / 100);
  seen.most = g_array_index (times, gint64, times->len - 1);
  return seen;
}

/* The good client comes when all the others are there. */
static void
wait_for_crowds (TallTestService *service, guint wanted)
{
  gint64 until = g_get_monotonic_time () + 2 * G_TIME_SPAN_SECOND;
  while (tall_server_count_connections (service->server) < wanted
         && g_get_monotonic_time () < until)
    g_thread_yield ();
  poll (NULL, 0, (int)(run_time / G_TIME_SPAN_MILLISECOND));
}

static Seen
run (const char *name, const TallServerOptions *options, const Crowd *kinds, guint wanted)
{
  TallTestService service;
  gint ending = 0;
  Crowd crowds[N_CROWDS];
  GThread *threads[N_CROWDS];

  tall_test_service_start (&service, options);
  tall_test_service_assert_works (&service);
  guint16 port = (guint16)g_ascii_strtoull (strrchr (service.address, ':') + 1, NULL, 10);
  for (guint i = 0; kinds != NULL && i < N_CROWDS; i++)
    {
      crowds[i] = kinds[i];
      crowds[i].port = port;
      crowds[i].ending = &ending;
      threads[i] = g_thread_new ("crowd", drive, &crowds[i]);
    }
  wait_for_crowds (&service, wanted);
  Seen seen = be_good (service.address);
  guint n_connections = tall_server_count_connections (service.server);
  g_atomic_int_set (&ending, 1);
  g_autoptr (GString) opened = g_string_new (NULL);
  for (guint i = 0; kinds != NULL && i < N_CROWDS; i++)
    {
      g_thread_join (threads[i]);
      g_string_append_printf (opened, " %u", crowds[i].n_opened);
    }
  g_test_message ("%s: %u calls, %u failed; first %.1f ms, p50 %.3f ms, p99 %.3f ms, most %.1f ms; "
                  "%u connections at the end, opened:%s",
                  name, seen.n_calls, seen.n_failed, (double)seen.first / 1e3,
                  (double)seen.p50 / 1e3, (double)seen.p99 / 1e3, (double)seen.most / 1e3,
                  n_connections, opened->str);
  tall_test_service_stop (&service);
  return seen;
}

/* All of the polite have their place; the greedy meet the usual limits. */
static void
test_beside (void)
{
  TallServerOptions wide = { .max_connections = 1024, .max_connections_per_address = 1024 };
  Seen alone = run ("alone", NULL, NULL, 1);
  Seen usual = run ("polite", &wide, polite, N_IDLE + N_SLOW + N_FLOODING + 1);
  Seen worst = run ("greedy", NULL, greedy, 200);

  g_test_message ("p99 beside the greedy / beside the polite: %.2f",
                  (double)worst.p99 / (double)usual.p99);
  g_assert_cmpuint (alone.n_failed + usual.n_failed + worst.n_failed, ==, 0);
  g_assert_cmpint (worst.first, <,
                   20 * G_TIME_SPAN_SECOND); /* a client of the others may take 30 */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (argc > 1)
    run_time = g_ascii_strtoll (argv[1], NULL, 10) * G_TIME_SPAN_SECOND;
  g_test_add_func ("/service/greed/beside", test_beside);
  return g_test_run ();
}
