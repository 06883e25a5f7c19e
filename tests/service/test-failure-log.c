/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/log.h"

#include "service/calls/idl-failure.h"

#include <string.h>

/* What was logged, each line with its level before it. */
static void
keep_line (const char *domain G_GNUC_UNUSED,
           GLogLevelFlags level,
           const char *message,
           gpointer lines)
{
  g_ptr_array_add (
      lines, g_strdup_printf ("%s %s", level & G_LOG_LEVEL_WARNING ? "warning" : "info", message));
}

static void
fail (TallError code, const char *operation, const char *message)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (GError) error = g_error_new_literal (TALL_ERROR, (int)code, message);

  g_assert_nonnull (tall_idl_failure_from_error (arena, operation, error));
}

static void
test_levels (void)
{
  static const struct
  {
    TallError code;
    const char *line;
  } cases[] = {
    { TALL_ERROR_NOT_FOUND, NULL },
    { TALL_ERROR_CONFLICT, NULL },
    { TALL_ERROR_INVALID, NULL },
    { TALL_ERROR_TOO_LARGE, NULL },
    { TALL_ERROR_KEY_COLLISION, NULL },
    { TALL_ERROR_UNSUPPORTED, NULL },
    { TALL_ERROR_OVERLOADED, "info overloaded: Storing order 1 of A: why" },
    { TALL_ERROR_UNAVAILABLE, "warning unavailable: Storing order 1 of A: why" },
    { TALL_ERROR_TIMED_OUT, "warning timed out: Storing order 1 of A: why" },
    { TALL_ERROR_OUTCOME_UNKNOWN, "warning outcome unknown: Storing order 1 of A: why" },
    { TALL_ERROR_DAMAGED, "warning damaged: Storing order 1 of A: why" },
    { TALL_ERROR_NEWER_VERSION, "warning newer version: Storing order 1 of A: why" },
    { TALL_ERROR_INTERNAL, "warning internal: Storing order 1 of A: why" },
    { TALL_ERROR_FORBIDDEN, "info forbidden: Storing order 1 of A: why" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
      tall_failure_log_forget ();
      g_log_set_default_handler (keep_line, lines);
      /* An error may have the operation before it already, or not. */
      fail (cases[i].code, "Storing order 1 of A", i % 2 ? "Storing order 1 of A: why" : "why");
      g_log_set_default_handler (g_log_default_handler, NULL);
      g_assert_cmpuint (lines->len, ==, cases[i].line != NULL);
      if (cases[i].line != NULL)
        g_assert_cmpstr (g_ptr_array_index (lines, 0), ==, cases[i].line);
    }
}

/* Errors of the store go to the log, their details to the log alone. An unsupported call is only
 * reported to its caller. No word of a message decides. */
static void
test_refused (void)
{
  static const struct
  {
    const char *message;
    const char *detail;
    TallError code;
  } cases[] = {
    { "the gateway is refused, as orders would not be safe", "db7.example:9090",
      TALL_ERROR_UNSUPPORTED },
    { "the table has been dropped", "/db7/000012.sst", TALL_ERROR_NOT_FOUND },
    { "this deployment is read-only", NULL, TALL_ERROR_UNSUPPORTED },
    { "customer gateway-7: there is no index", NULL, TALL_ERROR_UNSUPPORTED },
    { "A table of the deployment is missing; restore it: there is no table \"orders\"", NULL,
      TALL_ERROR_UNSUPPORTED },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TallArena) arena = tall_arena_new (0);
      g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
      g_autoptr (GError) error = NULL;
      tall_error_set_detailed (&error, cases[i].code, cases[i].detail, "%s", cases[i].message);
      tall_failure_log_forget ();
      g_log_set_default_handler (keep_line, lines);
      TallIdlFailure *failure = tall_idl_failure_from_error (arena, "Storing order 1 of A", error);
      g_log_set_default_handler (g_log_default_handler, NULL);
      g_assert_cmpstr (failure->message, ==, cases[i].message);
      g_assert_cmpuint (lines->len, ==, cases[i].detail != NULL);
      if (lines->len > 0)
        {
          g_assert_nonnull (strstr (g_ptr_array_index (lines, 0), cases[i].message));
          g_assert_nonnull (strstr (g_ptr_array_index (lines, 0), cases[i].detail));
        }
    }
}

/* However many calls meet an outage, it is logged a few times, and so are other troubles. */
static void
test_outage (void)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  guint n_damaged = 0;

  tall_failure_log_forget ();
  g_log_set_default_handler (keep_line, lines);
  gint64 start = g_get_monotonic_time ();
  for (guint i = 0; i < 1000; i++)
    fail (TALL_ERROR_UNAVAILABLE, "Pinging the store", "no gateway");
  fail (TALL_ERROR_DAMAGED, "Fetching order 1 of A", "a line is missing");
  gint64 seconds = (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  g_log_set_default_handler (g_log_default_handler, NULL);

  g_assert_cmpuint (lines->len, >=, 2);
  g_assert_cmpuint (lines->len, <=, 2 + seconds / 5);
  g_assert_cmpstr (g_ptr_array_index (lines, 0), ==,
                   "warning unavailable: Pinging the store: no gateway");
  for (guint i = 0; i < lines->len; i++)
    n_damaged += g_str_has_prefix (g_ptr_array_index (lines, i), "warning damaged: Fetching order");
  g_assert_cmpuint (n_damaged, ==, 1);
}

/* A period without an end, then ones that end at once. */
static void
test_limit (void)
{
  TallLogLimit limit = { 0 };
  guint n_left_out = 7;

  for (guint i = 0; i < 57; i++)
    {
      gboolean taken = tall_log_limit_take (&limit, 4, G_MAXINT64, &n_left_out);
      g_assert_cmpint (taken, ==, i < 4);
      g_assert_cmpuint (n_left_out, ==, 0);
    }
  g_assert_true (tall_log_limit_take (&limit, 4, 0, &n_left_out));
  g_assert_cmpuint (n_left_out, ==, 53);
  g_assert_true (tall_log_limit_take (&limit, 4, 0, &n_left_out));
  g_assert_cmpuint (n_left_out, ==, 0);
}

/* A period begins with its first line, not when the clock passes a multiple of it. */
static void
test_period (void)
{
  TallLogLimit limit = { 0 };
  guint n_left_out = 7;
  gint64 length = g_get_monotonic_time () + 20 * G_TIME_SPAN_MILLISECOND;

  g_assert_true (tall_log_limit_take (&limit, 1, length, &n_left_out));
  while (g_get_monotonic_time () <= length)
    g_thread_yield ();
  g_assert_false (tall_log_limit_take (&limit, 1, length, &n_left_out));
}

/* Where only the log says more, its line is found by the id that the client sees. */
static void
test_id (void)
{
  static const struct
  {
    TallError code;
    const char *detail;
    gboolean has_id;
  } cases[] = {
    { TALL_ERROR_DAMAGED, "in 000029.sst", TRUE }, { TALL_ERROR_DAMAGED, NULL, FALSE },
    { TALL_ERROR_CONFLICT, NULL, FALSE },          { TALL_ERROR_UNAVAILABLE, NULL, TRUE },
    { TALL_ERROR_TIMED_OUT, "in rows", TRUE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TallArena) arena = tall_arena_new (0);
      g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
      g_autoptr (GError) error = NULL;
      tall_error_set_detailed (&error, cases[i].code, cases[i].detail, "why");
      g_log_set_default_handler (keep_line, lines);
      const TallIdlFailure *outside = tall_idl_failure_from_error (arena, "Storing it", error);
      tall_request_id_begin ();
      const TallIdlFailure *within = tall_idl_failure_from_error (arena, "Storing it", error);
      g_autofree char *id = g_strdup_printf (" (request %s)", tall_request_id_get ());
      tall_request_id_end ();
      g_log_set_default_handler (g_log_default_handler, NULL);
      g_assert_null (strstr (outside->message, "request"));
      g_assert_true (g_str_has_suffix (within->message, id) == cases[i].has_id);
      g_assert_true (g_str_has_prefix (within->message, outside->message));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_log_set_always_fatal (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL);
  g_test_add_func ("/service/failure-log/levels", test_levels);
  g_test_add_func ("/service/failure-log/id", test_id);
  g_test_add_func ("/service/failure-log/refused", test_refused);
  g_test_add_func ("/service/failure-log/outage", test_outage);
  g_test_add_func ("/service/failure-log/limit", test_limit);
  g_test_add_func ("/service/failure-log/period", test_period);
  return g_test_run ();
}
