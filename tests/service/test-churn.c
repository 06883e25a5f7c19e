/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Clients that come and go as fast as they can, each in its own bad way. */

#include "service/server/server.h"

#include "tall-test-service.h"
#include "tall-test-wire.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#define N_THREADS 8
#define USUAL_CONNECTIONS 4000
#define MAX_CONNECTIONS 32

/* A pair of addresses has 28,000 ports, each of which rests a minute after its use. */
#define CONNECTIONS_AN_ADDRESS 2000

/* Threads of the server beside those of its connections: the acceptor, 8 that refuse, and those
 * that have left their place and are about to end. */
#define MORE_THREADS 64

static guint n_connections = USUAL_CONNECTIONS;

typedef struct
{
  guint number;
  guint16 port;
  gint n_answers; /* whole calls that were answered */
  guint max_threads;
} Client;

static int
connect_from (guint client, guint i, guint16 port)
{
  struct sockaddr_in from = { .sin_family = AF_INET }, to = from;
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  g_assert_cmpint (fd, >=, 0);

  from.sin_addr.s_addr = htonl (0x7f010000 + (client << 8) + 1 + i / CONNECTIONS_AN_ADDRESS);
  to.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  to.sin_port = htons (port);
  setsockopt (fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &(int){ 1 }, sizeof (int));
  g_assert_no_errno (bind (fd, (struct sockaddr *)&from, sizeof from));
  g_assert_no_errno (connect (fd, (struct sockaddr *)&to, sizeof to));
  return fd;
}

static void
open_and_close (int fd G_GNUC_UNUSED)
{
}

/* Closing sends a reset instead of an end. */
static void
reset (int fd)
{
  struct linger linger = { .l_onoff = 1 };
  g_assert_no_errno (setsockopt (fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger));
}

static void
send_garbage (int fd)
{
  (void)!send (fd, "GET / HTTP/1.1\r\n\r\n", 18, MSG_NOSIGNAL);
}

static void
send_half_a_frame (int fd)
{
  (void)!send (fd, "\0\0\0\x20\x80\x01", 6, MSG_NOSIGNAL);
}

/* A ping in the binary protocol. */
static const char call[] = "\0\0\0\x11"
                           "\x80\1\0\1"
                           "\0\0\0\4ping"
                           "\0\0\0\1"
                           "\0";

static gboolean
is_answered (int fd)
{
  guint8 answer[4];
  return send (fd, call, sizeof call - 1, MSG_NOSIGNAL) == sizeof call - 1
         && recv (fd, answer, sizeof answer, MSG_WAITALL) == sizeof answer;
}

static guint
count_threads (void)
{
  g_autofree char *status = NULL;
  g_assert_true (g_file_get_contents ("/proc/self/status", &status, NULL, NULL));
  const char *line = strstr (status, "\nThreads:");
  g_assert_nonnull (line);
  return (guint)g_ascii_strtoull (line + strlen ("\nThreads:"), NULL, 10);
}

static gpointer
come_and_go (gpointer data)
{
  static void (*const ways[]) (int fd) = { open_and_close, reset, send_garbage, send_half_a_frame };
  Client *self = data;

  for (guint i = 0; i < n_connections / N_THREADS; i++)
    {
      int fd = connect_from (self->number, i, self->port);
      guint way = (i + self->number) % (G_N_ELEMENTS (ways) + 1);
      if (way < G_N_ELEMENTS (ways))
        ways[way](fd);
      else if (is_answered (fd))
        self->n_answers++;
      close (fd);
      if (i % 16 == 0)
        self->max_threads = MAX (self->max_threads, count_threads ());
    }
  return NULL;
}

static guint16
get_port (const char *address)
{
  return (guint16)g_ascii_strtoull (strrchr (address, ':') + 1, NULL, 10);
}

static void
test_churn (void)
{
  TallTestService service;
  TallServerOptions options = { .max_connections = MAX_CONNECTIONS, .transfer_timeout = 2000 };
  Client clients[N_THREADS] = { 0 };
  GThread *threads[N_THREADS];
  guint n_answers = 0, max_threads = 0;

  tall_test_service_start (&service, &options);
  for (guint i = 0; i < N_THREADS; i++)
    {
      clients[i].number = i;
      clients[i].port = get_port (service.address);
      threads[i] = g_thread_new ("client", come_and_go, &clients[i]);
    }
  for (guint i = 0; i < N_THREADS; i++)
    {
      g_thread_join (threads[i]);
      n_answers += clients[i].n_answers;
      max_threads = MAX (max_threads, clients[i].max_threads);
    }
  while (tall_server_count_connections (service.server) > 0)
    g_thread_yield ();
  g_test_message ("%u connections, %u calls answered, at most %u threads", n_connections, n_answers,
                  max_threads);
  g_assert_cmpuint (n_answers, >, 0);
  g_assert_cmpuint (max_threads, <=, N_THREADS + 1 + MAX_CONNECTIONS + MORE_THREADS);
  tall_test_service_assert_works (&service);
  tall_test_service_stop (&service);
}

/* Servers that are stopped while clients come and go: nothing of theirs is used afterwards. */
static void
test_stop (void)
{
  for (guint round = 0; round < 50; round++)
    {
      TallTestService service;
      tall_test_service_start (&service, NULL);
      for (guint i = 0; i < 20; i++)
        close (connect_from (i % N_THREADS, i, get_port (service.address)));
      tall_test_service_stop (&service);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (argc > 1)
    n_connections = (guint)g_ascii_strtoull (argv[1], NULL, 10);
  g_test_add_func ("/service/churn/come-and-go", test_churn);
  g_test_add_func ("/service/churn/stop", test_stop);
  return g_test_run ();
}
