/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Slow calls in the log, and the ids by which a client's error is found there. */

#include "tall-error.h"
#include "service/server/log.h"
#include "tall-test-orders.h"
#include "tall-test-service.h"
#include "tall-test-wire.h"
#include "tall-must.h"

#include <string.h>

#define SLOW 20 /* milliseconds */

static GMutex mutex;
static GPtrArray *lines; /* with the mutex; of texts: the id of the request, a blank, the message */

/* A message, and behind it its own fields as `NAME=VALUE`. */
static GLogWriterOutput
keep_line (GLogLevelFlags level G_GNUC_UNUSED,
           const GLogField *fields,
           gsize n_fields,
           gpointer data G_GNUC_UNUSED)
{
  const char *id = tall_request_id_get ();
  g_autoptr (GString) line = g_string_new (id != NULL ? id : "-");
  for (gsize i = 0; i < n_fields; i++)
    if (g_str_equal (fields[i].key, "MESSAGE"))
      g_string_append_printf (line, " %s", (const char *)fields[i].value);
  for (gsize i = 0; i < n_fields; i++)
    if (g_str_has_prefix (fields[i].key, "TALLORDER_"))
      g_string_append_printf (line, "\n%s=%s", fields[i].key, (const char *)fields[i].value);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  if (lines != NULL)
    g_ptr_array_add (lines, g_strdup (line->str));
  return G_LOG_WRITER_HANDLED;
}

/* Returns: (transfer full) (nullable): the first line with @text, which is forgotten then */
static char *
take_line (const char *text)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  for (guint i = 0; i < lines->len; i++)
    if (strstr (g_ptr_array_index (lines, i), text) != NULL)
      return g_ptr_array_steal_index (lines, i);
  return NULL;
}

static void
begin (TallTestService *service, guint slow)
{
  TallServerOptions options = { .slow_call = slow };
  lines = g_ptr_array_new_with_free_func (g_free);
  tall_slow_log_forget ();
  tall_failure_log_forget ();
  tall_test_service_start (service, &options);
}

static void
end (TallTestService *service)
{
  tall_test_service_stop (service);
  g_clear_pointer (&lines, g_ptr_array_unref);
}

static gpointer
put (gpointer data)
{
  TallTestService *service = data;
  g_autoptr (TallOrder) order = tall_test_order_with_lines ("VINET", "10248", 1);
  order->currency = tall_arena_strdup (tall_order_get_arena (order), "QQQ");
  must (tall_front_put_order (service->client, order, NULL, NULL, &error));
  return NULL;
}

static void
test_slow (void)
{
  TallTestService service;
  begin (&service, SLOW);
  tall_test_front_hold (service.test_front);
  GThread *thread = g_thread_new ("put", put, &service);
  tall_test_front_wait_until_held (service.test_front, 1);
  gint64 until = g_get_monotonic_time () + SLOW * G_TIME_SPAN_MILLISECOND;
  while (g_get_monotonic_time () < until)
    g_thread_yield ();
  tall_test_front_let_go (service.test_front);
  g_thread_join (thread);
  tall_test_service_stop (&service);

  g_autofree char *line = take_line (" slow: call=putOrder ms=");
  g_assert_nonnull (line);
  g_test_message ("%s", line);
  g_assert_cmpint (g_ascii_strtoll (strstr (line, "ms=") + 3, NULL, 10), >=, SLOW);
  g_assert_nonnull (strstr (line, " result=ok calls=0 left_out=0: Storing order 10248 of VINET"));
  g_assert_null (strstr (line, "QQQ"));
  g_assert_true (line[8] == '-' && g_ascii_isdigit (line[9]));
  g_clear_pointer (&lines, g_ptr_array_unref);
}

/* Neither where none is, nor where it takes longer to be one. */
static void
test_quick (void)
{
  static const guint slow[] = { G_MAXUINT, 60 * 60 * 1000 };
  for (guint i = 0; i < G_N_ELEMENTS (slow); i++)
    {
      TallTestService service;
      begin (&service, slow[i]);
      put (&service);
      g_autofree char *line = take_line ("slow:");
      g_assert_null (line);
      end (&service);
    }
}

/* However many calls are slow, some lines say so. */
static void
test_bound (void)
{
  const TallIdlCall call = { .name = "getOrder" };
  const TallCallRecord record = { .call = &call, .code = TALL_ERROR_TIMED_OUT };
  const TallTrace trace = { .n_calls = 3, .longest = 4800999, .place = "web3:9090" };
  lines = g_ptr_array_new_with_free_func (g_free);
  tall_slow_log_forget ();
  for (guint i = 0; i < 1000; i++)
    tall_slow_log_add (&record, 5 * G_USEC_PER_SEC, &trace, "Fetching order 1 of A");
  g_assert_cmpuint (lines->len, ==, 10);
  g_assert_cmpstr (g_ptr_array_index (lines, 0), ==,
                   "- slow: call=getOrder ms=5000 result=timed_out calls=3 gateway=web3:9090 "
                   "gateway_ms=4800 left_out=0: Fetching order 1 of A\n"
                   "TALLORDER_CALL=getOrder\nTALLORDER_MS=5000\nTALLORDER_RESULT=timed_out\n"
                   "TALLORDER_CALLS=3\nTALLORDER_GATEWAY=web3:9090\nTALLORDER_GATEWAY_MS=4800\n"
                   "TALLORDER_LEFT_OUT=0\nTALLORDER_OPERATION=Fetching order 1 of A");
  g_clear_pointer (&lines, g_ptr_array_unref);
}

/* What only the log explains has the id of its line. Each request has its own. */
static void
test_ids (void)
{
  TallTestService service;
  g_autofree char *before = NULL;
  begin (&service, G_MAXUINT);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;
      tall_failure_log_forget ();
      tall_test_front_fail_next (service.test_front,
                                 g_error_new (TALL_ERROR, TALL_ERROR_INTERNAL, "oops %u", i));
      g_assert_false (tall_front_ping (service.client, &error));
      g_autofree char *line = take_line ("oops");
      g_assert_nonnull (line);
      g_autofree char *id = g_strndup (line, strcspn (line, " "));
      g_autofree char *wanted = g_strdup_printf ("(request %s)", id);
      g_test_message ("%s / %s", line, error->message);
      g_assert_nonnull (strstr (error->message, wanted));
      g_assert_cmpstr (id, !=, before);
      g_free (before);
      before = g_steal_pointer (&id);
    }
  /* An error of the caller's own call needs no log. */
  g_autoptr (GError) missing = NULL;
  g_assert_null (tall_front_get_order (service.client, "A", "1", NULL, &missing));
  g_assert_null (strstr (missing->message, "request"));

  /* A line after the call, on the same thread, is not about the request. */
  g_autoptr (GSocketConnection) connection = tall_test_connect (service.address);
  g_auto (TallTestMessage) message;
  tall_test_message_init (&message, FALSE, "ping", T_CALL);
  tall_test_message_end_struct (&message);
  tall_test_send_frame (connection, tall_test_message_get (&message));
  g_autoptr (GByteArray) reply = tall_test_receive_frame (connection);
  g_assert_nonnull (reply);
  tall_test_send (connection, tall_slice ("\0\0\0\4abcd", 8));
  g_assert_null (tall_test_receive_frame (connection));
  tall_test_service_stop (&service);
  g_autofree char *closed = take_line (" closed: ");
  g_assert_nonnull (closed);
  g_assert_true (g_str_has_prefix (closed, "- "));
  g_clear_pointer (&lines, g_ptr_array_unref);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_log_set_always_fatal (G_LOG_FATAL_MASK);
  g_log_set_writer_func (keep_line, NULL, NULL);
  g_test_add_func ("/service/slow-log/slow", test_slow);
  g_test_add_func ("/service/slow-log/quick", test_quick);
  g_test_add_func ("/service/slow-log/bound", test_bound);
  g_test_add_func ("/service/slow-log/ids", test_ids);
  return g_test_run ();
}
