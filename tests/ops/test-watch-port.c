/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* The HTTP port: what it answers, and what hostile clients cannot do to it. */

#include "base/file.h"
#include "tall-error.h"
#include "ops/watch.h"
#include "tall-must.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define PATIENCE 60 /* seconds; longer than anything takes */

static gint well = TRUE; /* atomic: whether the page `/state` is */
static gint n_made;      /* atomic */

static gboolean
make_state (gpointer data, GString *reply)
{
  g_atomic_int_inc (&n_made);
  g_string_append (reply, data);
  return g_atomic_int_get (&well);
}

static const TallWatchPath paths[] = {
  { "/state", "text/plain", make_state },
  { NULL, NULL, NULL },
};

static TallWatchPort *
start (void)
{
  TallWatchPort *port =
      must (tall_watch_port_new ("127.0.0.1:0", paths, (gpointer) "fine\n", &error));
  g_assert_false (tall_watch_port_is_reachable (port));
  return port;
}

static int
dial (TallWatchPort *port)
{
  const char *colon = strrchr (tall_watch_port_get_address (port), ':');
  struct sockaddr_in address = { .sin_family = AF_INET,
                                 .sin_port =
                                     htons ((guint16)g_ascii_strtoull (colon + 1, NULL, 10)),
                                 .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  struct timeval patience = { .tv_sec = PATIENCE };
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), ==, 0);
  g_assert_cmpint (connect (fd, (struct sockaddr *)&address, sizeof address), ==, 0);
  return fd;
}

/* It may have been closed already. */
static void
say (int fd, const char *bytes, gsize len)
{
  while (len > 0)
    {
      gssize n = send (fd, bytes, len, MSG_NOSIGNAL);
      if (n < 0)
        return;
      bytes += n;
      len -= (gsize)n;
    }
}

/* Returns: (transfer full): all that comes until the other side closes; fails if it does not */
static char *
hear (int fd)
{
  GString *text = g_string_new (NULL);
  char buffer[4096];
  gssize n;
  while ((n = recv (fd, buffer, sizeof buffer, 0)) > 0)
    g_string_append_len (text, buffer, n);
  g_assert_true (n == 0 || errno == ECONNRESET);
  close (fd);
  return g_string_free (text, FALSE);
}

static char *
ask (TallWatchPort *port, const char *request)
{
  int fd = dial (port);
  say (fd, request, strlen (request));
  return hear (fd);
}

static void
assert_works (TallWatchPort *port)
{
  g_autofree char *reply = ask (port, "GET /state HTTP/1.1\r\nHost: x\r\n\r\n");
  g_assert_true (g_str_has_prefix (reply, "HTTP/1.1 200 OK\r\n"));
  g_assert_true (g_str_has_suffix (reply, "\r\n\r\nfine\n"));
}

static void
assert_answer (TallWatchPort *port, const char *request, const char *status, const char *end)
{
  g_autofree char *reply = ask (port, request);
  g_autofree char *line = g_strdup_printf ("HTTP/1.1 %s", status);
  g_test_message ("%s -> %s", request, reply);
  g_assert_true (g_str_has_prefix (reply, line));
  g_assert_true (g_str_has_suffix (reply, end));
}

static void
test_pages (void)
{
  g_autoptr (TallWatchPort) port = start ();
  assert_works (port);
  assert_answer (port, "GET /state?x=1 HTTP/1.0\r\n\r\n", "200", "\r\n\r\nfine\n");
  assert_answer (port, "HEAD /state HTTP/1.1\r\nHost: x\r\n\r\n", "200", "\r\n\r\n");
  assert_answer (port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "404", "There is:\n/state\n");
  assert_answer (port, "GET /state/ HTTP/1.1\r\nHost: x\r\n\r\n", "404", "/state\n");
  g_atomic_int_set (&well, FALSE);
  assert_answer (port, "GET /state HTTP/1.1\r\nHost: x\r\n\r\n", "503", "\r\n\r\nfine\n");
  g_atomic_int_set (&well, TRUE);
  assert_works (port);
}

/* No page is made for a method that does something, and its body is not waited for. */
static void
test_methods (void)
{
  static const char *const methods[] = { "POST",  "PUT",     "DELETE", "OPTIONS",
                                         "TRACE", "CONNECT", "get" };
  g_autoptr (TallWatchPort) port = start ();
  int before = g_atomic_int_get (&n_made);
  for (guint i = 0; i < G_N_ELEMENTS (methods); i++)
    {
      g_autofree char *request =
          g_strdup_printf ("%s /state HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nabc",
                           methods[i]);
      assert_answer (port, request, "405", "Only GET and HEAD\n");
    }
  g_assert_cmpint (g_atomic_int_get (&n_made), ==, before);
}

/* A request ends its connection, whatever comes with it: the next one is not answered. */
static void
test_one_request (void)
{
  g_autoptr (TallWatchPort) port = start ();
  int before = g_atomic_int_get (&n_made);
  g_autofree char *reply =
      ask (port, "GET /state HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n"
                 "GET /state HTTP/1.1\r\nHost: x\r\n\r\n");
  g_assert_true (g_str_has_suffix (reply, "\r\n\r\nfine\n"));
  g_assert_cmpint (g_atomic_int_get (&n_made), ==, before + 1);
  g_assert_nonnull (strstr (reply, "Connection: close\r\n"));
}

static void
test_garbage (void)
{
  static const struct
  {
    const char *bytes;
    gsize len;
  } pieces[] = {
#define PIECE(text) { text, sizeof text - 1 }
    PIECE ("\r\n\r\n\r\n\r\n"),
    PIECE ("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"),
    PIECE ("\0\0\0\x0c\x80\x01\0\x01\0\0\0\x04ping\0\0\0\x01\0"),
    PIECE ("GET\r\n\r\n"),
    PIECE ("GET  \r\n\r\n"),
    PIECE ("GET /state HTTP/9.9\r\n\r\n"),
    PIECE ("GET /state\r\n\r\n"),
    PIECE ("GET /%00%ff%zz/../state HTTP/1.1\r\nHost: x\r\n\r\n"),
    PIECE ("GET /state HTTP/1.1\r\n: \r\n\r\n"),
    PIECE ("GET /state HTTP/1.1\r\nHost\r\n\r\n"),
    PIECE ("GET /state HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"),
    PIECE ("POST /state HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
           "chunked\r\n\r\nffffffffffffffff\r\n"),
    PIECE ("GET /state HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n"),
    PIECE ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
#undef PIECE
  };
  g_autoptr (TallWatchPort) port = start ();
  for (guint i = 0; i < G_N_ELEMENTS (pieces); i++)
    {
      int fd = dial (port);
      say (fd, pieces[i].bytes, pieces[i].len);
      shutdown (fd, SHUT_WR);
      g_autofree char *reply = hear (fd);
      g_test_message ("%u: %.40s", i, reply);
      assert_works (port);
    }
}

/* What is longer than a head may be is not kept. */
static void
test_large (void)
{
  static const char *const forms[] = { "GET /%s HTTP/1.1\r\nHost: x\r\n\r\n",
                                       "GET /state HTTP/1.1\r\nHost: x\r\nX: %s\r\n\r\n", "%s" };
  g_autoptr (TallWatchPort) port = start ();
  g_autofree char *large = g_strnfill (1024 * 1024, 'a');
  int before = g_atomic_int_get (&n_made);
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_auto (GStrv) parts = g_strsplit (forms[i], "%s", 2);
      g_autofree char *request = g_strconcat (parts[0], large, parts[1], NULL);
      g_autofree char *reply = ask (port, request);
      g_assert_true (reply[0] == '\0' || g_str_has_prefix (reply, "HTTP/1.1 4"));
    }
  g_assert_cmpint (g_atomic_int_get (&n_made), ==, before);
  assert_works (port);
}

/* A thousand that say nothing, or half of something, and wait: the newest ones keep their places,
 * and a good client is answered at once all the time. */
static void
test_crowd (void)
{
  enum
  {
    N = 1000,
    STEP = 50
  };
  g_autoptr (TallWatchPort) port = start ();
  g_autofree int *fds = g_new (int, N);
  if (tall_descriptors_raise () < N + 200)
    {
      g_test_skip ("this process may not open as many files");
      return;
    }
  for (guint i = 0; i < N; i++)
    {
      fds[i] = dial (port);
      if (i % 2 == 0)
        say (fds[i], "GET /state HTTP/1.1\r\nHo", 23);
      if (i % STEP == STEP - 1)
        assert_works (port);
    }
  /* All but so many have been closed. */
  for (guint i = 0; i < N - 2 * TALL_WATCH_MAX_CONNECTIONS; i++)
    {
      g_autofree char *reply = hear (fds[i]);
      g_assert_cmpstr (reply, ==, "");
    }
  for (guint i = N - 2 * TALL_WATCH_MAX_CONNECTIONS; i < N; i++)
    close (fds[i]);
  assert_works (port);
}

/* Silence, and half a request, end after some seconds; a port that goes takes them with it. */
static void
test_silence (void)
{
  TallWatchPort *port = start ();
  int silent = dial (port), half = dial (port);
  say (half, "GET /state HT", 13);
  g_free (hear (silent));
  g_free (hear (half));
  int left = dial (port);
  assert_works (port);
  tall_watch_port_free (port);
  g_free (hear (left));
}

/* Nobody reads the answer. */
static void
test_deaf (void)
{
  g_autoptr (TallWatchPort) port = start ();
  for (guint i = 0; i < 200; i++)
    {
      int fd = dial (port);
      say (fd, "GET /state HTTP/1.1\r\nHost: x\r\n\r\n", 32);
      close (fd);
    }
  assert_works (port);
}

static void
test_address (void)
{
  g_autoptr (TallWatchPort) port = start ();
  const char *const wrong[] = { "", "nowhere", "127.0.0.1:x", "127.0.0.1:70000" };
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    must_fail (tall_watch_port_new (wrong[i], paths, NULL, &error), TALL_ERROR_INVALID);
  g_autoptr (GError) taken = NULL;
  g_assert_null (tall_watch_port_new (tall_watch_port_get_address (port), paths, NULL, &taken));
  g_assert_error (taken, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
  g_autoptr (GError) none = NULL;
  g_autoptr (TallWatchPort) wide = tall_watch_port_new ("0.0.0.0:0", paths, (gpointer) "", &none);
  g_assert_no_error (none);
  g_assert_true (tall_watch_port_is_reachable (wide));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ops/watch-port/pages", test_pages);
  g_test_add_func ("/ops/watch-port/methods", test_methods);
  g_test_add_func ("/ops/watch-port/one-request", test_one_request);
  g_test_add_func ("/ops/watch-port/garbage", test_garbage);
  g_test_add_func ("/ops/watch-port/large", test_large);
  g_test_add_func ("/ops/watch-port/crowd", test_crowd);
  g_test_add_func ("/ops/watch-port/silence", test_silence);
  g_test_add_func ("/ops/watch-port/deaf", test_deaf);
  g_test_add_func ("/ops/watch-port/address", test_address);
  return g_test_run ();
}
