/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Health while the store fails, hangs, and comes back: liveness stays, readiness follows within two
 * seconds, and no page waits. */

#include "service/calls/calls.h"
#include "tall-failing-table.h"
#include "store/context.h"
#include "tall-test-store.h"
#include "ops/watch.h"
#include "tall-must.h"

#include <string.h>

#define SOON (30 * G_USEC_PER_SEC) /* on a busy machine; a store that hangs does so for good */

typedef enum
{
  WELL,
  FAILING,
  HANGING,
} Health;

typedef struct
{
  GMutex mutex; /* of what follows */
  GCond changed;
  Health health;
} Store;

static TallFailure
before_call (TallFailingTable *table G_GNUC_UNUSED,
             const TallCall *call G_GNUC_UNUSED,
             gpointer data)
{
  Store *self = data;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  while (self->health == HANGING)
    g_cond_wait (&self->changed, &self->mutex);
  return self->health == FAILING ? TALL_FAILURE_BEFORE : TALL_FAILURE_NONE;
}

static void
set_health (Store *self, Health health)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  self->health = health;
  g_cond_broadcast (&self->changed);
}

/* Returns: (transfer full): status line, headers and page */
static char *
get (TallWatch *watch, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSocketClient) client = g_socket_client_new ();
  g_autoptr (GSocketConnection) connection = must (g_socket_client_connect_to_host (
      client, tall_watch_port_get_address (tall_watch_get_port (watch)), 0, NULL, &error));
  g_autofree char *request = g_strdup_printf ("GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path);
  GOutputStream *output = g_io_stream_get_output_stream (G_IO_STREAM (connection));
  must (g_output_stream_write_all (output, request, strlen (request), NULL, NULL, &error));

  GInputStream *input = g_io_stream_get_input_stream (G_IO_STREAM (connection));
  GString *text = g_string_new (NULL);
  char buffer[4096];
  gssize n;
  while ((n = g_input_stream_read (input, buffer, sizeof buffer, NULL, &error)) > 0)
    g_string_append_len (text, buffer, n);
  g_assert_no_error (error);
  return g_string_free (text, FALSE);
}

static void
assert_gives (TallWatch *watch, const char *path, const char *status, const char *text)
{
  gint64 begin = g_get_monotonic_time ();
  g_autofree char *page = get (watch, path);
  g_autofree char *line = g_strdup_printf ("HTTP/1.1 %s ", status);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, SOON);
  g_test_message ("%s: %.300s", path, page);
  g_assert_true (g_str_has_prefix (page, line));
  g_assert_nonnull (strstr (page, text));
}

static void
wait_until_ready (TallWatch *watch, gboolean wanted, gint64 patience)
{
  gint64 until = g_get_monotonic_time () + patience;
  for (;;)
    {
      g_autofree char *page = get (watch, "/ready");
      if (g_str_has_prefix (page, "HTTP/1.1 200 ") == wanted)
        return;
      g_assert_cmpint (g_get_monotonic_time (), <, until);
    }
}

static void
check (TallWatch *watch, Store *store, Health health, const char *reason)
{
  set_health (store, health);
  wait_until_ready (watch, FALSE, SOON);
  assert_gives (watch, "/ready", "503", reason);
  assert_gives (watch, "/live", "200", "\r\n\r\nlive\n");
  assert_gives (watch, "/metrics", "200", "\ntallorder_ready 0\n");
  set_health (store, WELL);
  wait_until_ready (watch, TRUE, SOON);
  assert_gives (watch, "/ready", "200", "\r\n\r\nready\n");
  assert_gives (watch, "/live", "200", "\r\n\r\nlive\n");
  assert_gives (watch, "/metrics", "200", "\ntallorder_ready 1\n");
}

static void
test_health (void)
{
  Store self = { .health = WELL };
  g_autoptr (TallTable) memory = tall_test_open_table (NULL);
  tall_test_create (memory, "blob", "hashed", 0);
  g_autoptr (TallTable) table = tall_failing_table_new (memory);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), before_call, NULL, &self);
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  g_autoptr (TallServer) server =
      must (tall_server_new (TALL_FRONT (store), "127.0.0.1:0", NULL, &error));
  TallWatch *watch = must (tall_watch_new ("127.0.0.1:0", server, store, NULL, &error));

  wait_until_ready (watch, TRUE, 30 * G_USEC_PER_SEC);
  check (watch, &self, FAILING, "\r\n\r\nnot ready: ");
  check (watch, &self, HANGING, "\r\n\r\nnot ready: the store has not answered for ");
  tall_watch_stop (watch);
  assert_gives (watch, "/ready", "503", "not ready: the server stops\n");
  assert_gives (watch, "/live", "200", "live\n");
  tall_watch_free (watch);
  g_assert_true (tall_server_stop (server));
}

/* The value of a sample without labels. */
static guint64
find_value (TallWatch *watch, const char *name)
{
  g_autofree char *page = get (watch, "/metrics");
  g_autofree char *sample = g_strdup_printf ("\n%s ", name);
  const char *found = strstr (page, sample);
  g_assert_nonnull (found);
  return g_ascii_strtoull (found + strlen (sample), NULL, 10);
}

/* A server of an empty store, and what shows its state. */
typedef struct
{
  TallTable *table;
  TallStore *store;
  TallServer *server;
  TallWatch *watch;
} Watched;

static void
watched_init (Watched *self)
{
  self->table = tall_test_open_table (NULL);
  tall_test_create (self->table, "blob", "hashed", 0);
  self->store = tall_test_open (self->table, NULL);
  self->server = must (tall_server_new (TALL_FRONT (self->store), "127.0.0.1:0", NULL, &error));
  self->watch = must (tall_watch_new ("127.0.0.1:0", self->server, self->store, NULL, &error));
}

static void
watched_clear (Watched *self)
{
  tall_watch_stop (self->watch);
  tall_watch_free (self->watch);
  g_assert_true (tall_server_stop (self->server));
  g_object_unref (self->server);
  g_object_unref (self->store);
  g_object_unref (self->table);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Watched, watched_clear)

/* Each under its own name: every one is counted another number of times. */
static void
test_counts (void)
{
  static const char *const names[TALL_STORE_N_COUNTS] = {
    [TALL_STORE_COMMITS] = "tallorder_store_commits_total",
    [TALL_STORE_OVERTAKEN] = "tallorder_store_overtaken_total",
    [TALL_STORE_TAKEN_OVER] = "tallorder_store_claims_taken_over_total",
    [TALL_STORE_REREADS] = "tallorder_store_rereads_total",
  };
  guint64 before[TALL_STORE_N_COUNTS];
  g_auto (Watched) self;
  watched_init (&self);

  for (guint i = 0; i < TALL_STORE_N_COUNTS; i++)
    before[i] = find_value (self.watch, names[i]);
  for (guint i = 0; i < TALL_STORE_N_COUNTS; i++)
    for (guint n = 0; n <= i; n++)
      tall_store_count ((TallStoreCount)i);
  for (guint i = 0; i < TALL_STORE_N_COUNTS; i++)
    g_assert_cmpuint (find_value (self.watch, names[i]) - before[i], ==, i + 1);
}

/* A call of 3 ms and one of 2 s: under which limits they are, and how long they took together. */
static void
test_durations (void)
{
  static const char *const wanted[] = {
    "_bucket{call=\"verify\",le=\"0.0025\"} 0\n",
    "_bucket{call=\"verify\",le=\"0.005\"} 1\n",
    "_bucket{call=\"verify\",le=\"1\"} 1\n",
    "_bucket{call=\"verify\",le=\"2.5\"} 2\n",
    "_bucket{call=\"verify\",le=\"10\"} 2\n",
    "_bucket{call=\"verify\",le=\"+Inf\"} 2\n",
    "_sum{call=\"verify\"} 2.003\n",
    "_count{call=\"verify\"} 2\n",
  };
  g_auto (Watched) self;
  watched_init (&self);

  const TallCallRecord record = { .call = tall_calls_find ("verify") };
  tall_call_stats_add (tall_server_get_stats (self.server), &record, 3 * 1000);
  tall_call_stats_add (tall_server_get_stats (self.server), &record, 2 * G_TIME_SPAN_SECOND);
  g_autofree char *page = get (self.watch, "/metrics");
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      g_autofree char *line = g_strconcat ("\ntallorder_call_duration_seconds", wanted[i], NULL);
      g_test_message ("%s", line);
      g_assert_nonnull (strstr (page, line));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ops/watch/health", test_health);
  g_test_add_func ("/ops/watch/counts", test_counts);
  g_test_add_func ("/ops/watch/durations", test_durations);
  return g_test_run ();
}
