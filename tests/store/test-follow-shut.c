/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Tables that stay shut, and what of one generation is not good in the next. */
#include "tall-bulk.h"
#include "tall-error.h"
#include "table/memory-table.h"
#include "store/record/migration.h"
#include "tall-test-acts.h"
#include "tall-test-move.h"
#include "tall-test-record.h"
#include "tall-verify.h"
#include "tall-must.h"

#include <dlfcn.h>

typedef struct
{
  TallTable *memory;
  TallTable *table; /* a failing one around it */
  TallTestClock clock;
  TallTestMove move;
  TallStore *store;
  TallFront *front;

  GMutex mutex; /* for the next one */
  GCond cond;
  guint n_looks; /* at the record */

  guint n_writes; /* with a condition */
} Fixture;

static void
set_up_with (Fixture *self, TallFailingInfo info)
{
  self->memory = tall_memory_table_new ();
  tall_test_create (self->memory, "record-type", "numeric", 0);
  self->table = tall_failing_table_new (self->memory);
  tall_failing_table_set_info (TALL_FAILING_TABLE (self->table), info);
  self->clock = (TallTestClock){ .now = g_get_real_time () / 1000 };
  self->move = (TallTestMove){
    .table = self->memory, .layout = "blob", .key_strategy = "hashed", .has_index = TRUE
  };
  g_autoptr (TallStore) store = tall_test_open (self->memory, &self->clock);
  tall_test_acts_prepare (TALL_FRONT (store));
}

static void
open_store (Fixture *self)
{
  self->store = tall_test_open (self->table, &self->clock);
  self->front = TALL_FRONT (self->store);
}

static void
set_up (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  set_up_with (self, TALL_FAILING_EMBEDDED);
  open_store (self);
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_clear_object (&self->store);
  g_clear_object (&self->table);
  g_clear_object (&self->memory);
}

static void
expect (Fixture *self, const GError *error, TallError code, gint64 begun)
{
  g_assert_nonnull (error);
  g_assert_error (error, TALL_ERROR, (int)code);
  if (code == TALL_ERROR_TIMED_OUT)
    g_assert_cmpint (self->clock.monotonic - begun, >=, 9 * G_USEC_PER_SEC);
}

/* All slots of a front that need the tables. */
static void
expect_all (Fixture *self, TallError code)
{
  guint n;
  const TallTestAct *acts = tall_test_acts (&n);
  for (guint i = 0; i < n; i++)
    {
      gint64 begun = self->clock.monotonic;
      g_autoptr (GError) error = acts[i].run (self->front);
      expect (self, error, code, begun);
    }
}

static void
expect_verify_ended (Fixture *self)
{
  TallVerifySummary summary;
  must_fail (tall_front_verify (self->front, NULL, &summary, &error), TALL_ERROR_UNAVAILABLE);
  g_assert_false (summary.is_whole);
}

/* What needs only the record goes on. */
static void
expect_record (Fixture *self)
{
  g_autoptr (TallDescription) description = must (tall_front_describe (self->front, &error));
  must (tall_front_ping (self->front, &error));
  g_autoptr (GPtrArray) loads = must (tall_store_list_loads (self->store, &error));
}

/* A migration that has died: callers wait as long as they may, and nothing is done. */
static void
test_closed (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_move_go (&self->move, TALL_TEST_CLOSED);
  expect_all (self, TALL_ERROR_TIMED_OUT);
  expect_verify_ended (self);
  expect_record (self);
  guint64 id;
  must_fail (tall_store_find_id (self->store, "NOBODY", &id, &error), TALL_ERROR_TIMED_OUT);
}

/* The commit is under way when the tables are closed. */
static TallFailure
close_at_commit (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Fixture *self = data;
  if (call->kind != TALL_CALL_APPLY_IF || ++self->n_writes != 3) /* claims come first */
    return TALL_FAILURE_NONE;
  tall_test_move_go (&self->move, TALL_TEST_CLOSED);
  return TALL_FAILURE_LATE;
}

/* Of what may have been done nobody says that it was not. */
static void
test_closed_at_commit (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = tall_test_marked_order ("1", 2, 1, 2);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (self->table), close_at_commit, NULL, self);
  g_assert_false (tall_front_put_order (self->front, order, NULL, NULL, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
  g_assert_nonnull (strstr (error->message, "the time was over"));
  g_assert_null (strstr (error->message, "nothing was done"));
}

/* An abort that has died before it opened what was closed: callers wait for that, too. */
static void
test_aborting (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  gboolean done;
  tall_test_move_go (&self->move, TALL_TEST_CLOSED);
  g_autoptr (TallDeployment) record = tall_deployment_read (self->memory, TALL_NO_DEADLINE, &error);
  const TallMigration to = tall_migration_abort (&record->migration, TRUE);
  must (tall_migration_change (self->memory, NULL, &record->migration, &to, NULL, TALL_NO_DEADLINE,
                               &done, &error));
  g_assert_true (done);
  expect_all (self, TALL_ERROR_TIMED_OUT);
}

/* Reads go on, and writes wait. */
static void
test_sealed (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  guint n;
  const TallTestAct *acts = tall_test_acts (&n);
  tall_test_move_go (&self->move, TALL_TEST_SEALED);
  for (guint i = 0; i < n; i++)
    {
      gint64 begun = self->clock.monotonic;
      gboolean reads = strstr (acts[i].name, "get") != NULL || strstr (acts[i].name, "list") != NULL
                       || strstr (acts[i].name, "customer-orders") != NULL;
      g_autoptr (GError) error = acts[i].run (self->front);
      if (reads)
        g_assert_no_error (error);
      else
        expect (self, error, TALL_ERROR_TIMED_OUT, begun);
    }
  expect_record (self);
}

static void
shut_all (Fixture *self, TallTableAccess access)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) tables = tall_table_list_tables (self->memory, TALL_NO_DEADLINE, &error);
  for (guint i = 0; tables[i] != NULL; i++)
    if (!g_str_equal (tables[i], "meta"))
      must (tall_table_set_access (self->memory, tables[i], access,
                                   access == TALL_ACCESS_SEALED ? "a" : NULL, TALL_NO_DEADLINE,
                                   &error));
  g_assert_no_error (error);
}

static void
open_all (Fixture *self)
{
  shut_all (self, TALL_ACCESS_OPEN);
  shut_all (self, TALL_ACCESS_UNCLOSED);
}

/* By a late call after an abort, say: nobody waits for what nobody is going to change. */
static void
test_nobody_moves (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  shut_all (self, TALL_ACCESS_CLOSED);
  expect_all (self, TALL_ERROR_UNAVAILABLE);
  g_assert_cmpuint (self->clock.n_sleeps, ==, 0);
  expect_verify_ended (self);
  open_all (self);
  g_assert_cmpuint (tall_test_get_writer (self->front, "1"), ==, 1);
}

/* Not even from the outcome of one of many. */
static void
test_outcomes (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = tall_test_marked_order ("1", 2, 1, 2);
  TallOrder *const orders[] = { order };
  TallOutcome outcome = { 0 };
  TallBulkResult result = { 0 };
  g_autoptr (TallBulk) bulk = tall_bulk_begin (self->front, NULL, &error);
  tall_test_move_go (&self->move, TALL_TEST_CLOSED);
  must (tall_front_put_orders (self->front, orders, NULL, 1, &outcome, &error));
  g_assert_error (outcome.error, TALL_ERROR, TALL_ERROR_TIMED_OUT);
  must (tall_bulk_put_orders (bulk, orders, 1, &result, &error));
  g_assert_cmpint (result.outcome, ==, TALL_BULK_REFUSED);
  g_assert_error (result.error, TALL_ERROR, TALL_ERROR_TIMED_OUT);
  tall_outcome_clear (&outcome);
  tall_bulk_result_clear (&result);
}

static char *
fetch_token (TallFront *front, const char *page)
{
  const TallListOptions options = { .limit = 1, .page = page };
  g_autoptr (TallOrderList) list =
      must (tall_front_list_orders (front, TALL_TEST_CUSTOMER, &options, &error));
  g_assert_cmpuint (list->n_entries, ==, 1);
  return g_strdup (list->next_page);
}

static void
expect_page_refused (TallFront *front, const char *page, const char *why)
{
  g_autoptr (GError) error = NULL;
  const TallListOptions options = { .limit = 1, .page = page };
  g_autoptr (TallOrderList) list =
      tall_front_list_orders (front, TALL_TEST_CUSTOMER, &options, &error);
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpstr (tall_error_get_field (error), ==, "page");
  g_assert_null (list);
  g_assert_nonnull (strstr (error->message, why));
}

static void
test_page_tokens (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autofree char *old = fetch_token (self->front, NULL);
  tall_test_move_go (&self->move, TALL_TEST_DROPPED);
  g_autoptr (TallStore) other = tall_test_open (self->memory, &self->clock);
  g_autofree char *new = fetch_token (TALL_FRONT (other), NULL);
  g_autofree char *next = fetch_token (self->front, new); /* which is behind until now */
  g_assert_nonnull (next);
  expect_page_refused (self->front, old, "before the orders moved");
  expect_page_refused (TALL_FRONT (other), old, "begin again");

  tall_test_move_again (&self->move, "wide", "raw");
  tall_test_move_go (&self->move, TALL_TEST_DROPPED);
  expect_page_refused (TALL_FRONT (other), new, "begin again");
}

static void
expect_cursor_refused (TallFront *front, const TallVerifyRequest *request)
{
  must_fail (tall_front_verify_some (front, request, &error), TALL_ERROR_INVALID, "verify again");
}

/* A part of a verification is not good for other tables, even if these are known by then. */
static void
test_cursor (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallVerifyRequest request = { .most = 1 };
  g_autoptr (TallVerifyPart) part = must (tall_front_verify_some (self->front, &request, &error));
  g_assert_cmpuint (part->cursor.len, >, 0);
  request.cursor = part->cursor;
  tall_test_move_go (&self->move, TALL_TEST_SWITCHED);
  must_fail (tall_front_verify_some (self->front, &request, &error), TALL_ERROR_UNAVAILABLE);
  expect_cursor_refused (self->front, &request);
}

/* The mode of the record that was followed counts. */
static void
test_read_only (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallOrder) order = tall_test_marked_order ("1", 2, 1, 2);
  tall_test_move_go (&self->move, TALL_TEST_SWITCHED);
  tall_test_record_write (self->memory, "mode", "read-only", G_MAXINT64 / 4);
  must_fail (tall_front_put_order (self->front, order, NULL, NULL, &error), TALL_ERROR_UNSUPPORTED);
  g_assert_cmpuint (tall_test_get_writer (self->front, "1"), ==, 1);
}

/* Its tables were dropped, and others made in their place: they are not taken for the same. */
static void
test_other_deployment (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_move_go (&self->move, TALL_TEST_DROPPED);
  tall_test_record_write (self->memory, "id", "another", G_MAXINT64 / 4);
  must_fail (tall_front_get_order (self->front, TALL_TEST_CUSTOMER, "1", NULL, &error),
             TALL_ERROR_UNSUPPORTED);
}

/* An older record, of a server that is none any more, leads nobody back. */
static void
test_older_record (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_move_go (&self->move, TALL_TEST_SWITCHED);
  g_assert_cmpuint (tall_test_get_writer (self->front, "1"), ==, 1);
  tall_test_record_write (self->memory, "format", "1", G_MAXINT64 / 4);
  tall_test_record_write (self->memory, "migration", "1 sealing 2 2 - -", G_MAXINT64 / 4);
  expect_record (self);
  g_assert_cmpstr (tall_store_get_layout (self->store)->name, ==, "blob");
  tall_test_put_writer (self->front, "1", 2);
  g_assert_cmpuint (tall_test_get_writer (self->front, "1"), ==, 2);
  g_assert_cmpuint (self->clock.n_sleeps, ==, 0);
}

/* A repair does not go on by halves. */
static void
test_repair (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallState state;
  TallVerifySummary summary;
  const TallVerifyOptions options = { .alone = TRUE, .repair = TRUE };
  g_assert_true (tall_test_read_state (self->store, "1", &state, NULL));
  state.pending = state.revision + 2;
  tall_test_write_state (self->store, "1", &state, state.pending);
  tall_test_move_go (&self->move, TALL_TEST_SEALED);
  must_fail (tall_front_verify (self->front, &options, &summary, &error), TALL_ERROR_UNAVAILABLE);
  g_assert_cmpuint (summary.n_mended, ==, 0);
}

/* ---- Calls ---- */

/* How often tables have refused a call since the record was read last, and the most of it. */
typedef struct
{
  TallTestMove *move;
  guint at, n; /* the call before which the tables are closed, and how many there were */
  guint n_refused, most;
} Refusals;

static TallFailure
close_before (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Refusals *self = data;
  if (g_strcmp0 (call->table, "meta") != 0 && self->n++ == self->at)
    tall_test_move_go (self->move, TALL_TEST_CLOSED);
  return TALL_FAILURE_NONE;
}

static void
count_refused (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Refusals *self = data;
  gboolean is_meta = g_strcmp0 (call->table, "meta") == 0;
  self->n_refused = is_meta ? 0 : self->n_refused + !call->succeeded;
  self->most = MAX (self->most, self->n_refused);
}

/* A call on a closed table of HBase can hang: an operation makes one of them, and then it asks. */
static void
test_one_call (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  for (guint at = 0; at < 3; at++) /* the guess, the look, the claim; then rows and the commit */
    {
      Refusals refusals = { .move = &self->move, .at = at + 2 };
      g_autoptr (TallOrder) order = tall_test_marked_order ("1", 2, at, 2);
      tall_failing_table_set_hooks (TALL_FAILING_TABLE (self->table), close_before, count_refused,
                                    &refusals);
      must_fail (tall_front_put_order (self->front, order, NULL, NULL, &error),
                 TALL_ERROR_TIMED_OUT);
      tall_failing_table_set_hooks (TALL_FAILING_TABLE (self->table), NULL, NULL, NULL);
      g_assert_cmpuint (refusals.most, ==, 1);
      tall_test_move_abort (&self->move);
      self->clock.patience = 1;
      tall_test_put_writer (self->front, "1", 3);
    }
}

/* ---- Calls without an answer ---- */

/* What HBase does for a while when regions open anew. */
typedef struct
{
  guint n_left; /* calls that fail */
  TallFailure failure;
  gboolean is_whole; /* not even the record can be read */
} Silence;

static TallFailure
stay_silent (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Silence *self = data;
  gboolean goes_on = g_strcmp0 (call->table, "meta") == 0 && !self->is_whole;
  if (goes_on || self->n_left == 0)
    return TALL_FAILURE_NONE;
  self->n_left--;
  return self->failure;
}

static void
set_silent (Fixture *self, Silence *silence, guint n_calls)
{
  *silence = (Silence){ .n_left = n_calls, .failure = TALL_FAILURE_BEFORE };
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (self->table), stay_silent, NULL, silence);
}

/* While nobody moves, callers learn at once that HBase does not answer. */
static void
test_silent (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  Silence silence;
  set_silent (self, &silence, G_MAXUINT);
  tall_test_move_go (&self->move, TALL_TEST_COPYING);
  expect_all (self, TALL_ERROR_UNAVAILABLE);
  g_assert_cmpuint (self->clock.n_sleeps, ==, 0);
}

/* Nor does anybody wait for what nobody can look at. */
static void
test_all_silent (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  Silence silence;
  tall_test_move_go (&self->move, TALL_TEST_SEALED);
  expect_record (self);
  set_silent (self, &silence, G_MAXUINT);
  silence.is_whole = TRUE;
  expect_all (self, TALL_ERROR_UNAVAILABLE);
  g_assert_cmpuint (self->clock.n_sleeps, ==, 0);
}

/* A read goes on as soon as the sealed tables answer, however often they did not. */
static void
test_silent_for_a_while (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  Silence silence;
  tall_test_move_go (&self->move, TALL_TEST_SEALED);
  for (guint n = 1; n <= 20; n++)
    {
      set_silent (self, &silence, n);
      silence.failure = n % 2 == 0 ? TALL_FAILURE_BEFORE : TALL_FAILURE_LOST;
      g_assert_cmpuint (tall_test_get_writer (self->front, "1"), ==, 1);
      g_assert_cmpuint (silence.n_left, ==, 0);
    }
  g_assert_cmpuint (self->clock.n_sleeps, >=, 20);
}

/* A caller whose time is over learns that the orders are moving. */
static void
test_silent_until_the_end (Fixture *self, gconstpointer data)
{
  Silence silence;
  tall_test_move_go (&self->move, GPOINTER_TO_INT (data));
  open_all (self);
  set_silent (self, &silence, G_MAXUINT);
  guint n;
  const TallTestAct *acts = tall_test_acts (&n);
  for (guint i = 0; i < n; i++)
    {
      gint64 begun = self->clock.monotonic;
      g_autoptr (GError) error = acts[i].run (self->front);
      expect (self, error, TALL_ERROR_TIMED_OUT, begun);
      g_assert_nonnull (strstr (error->message, "are moving"));
    }
}

/* ---- Watching ---- */

static __thread gboolean is_test; /* whose own waits are not looked at */
static gint n_calm;               /* waits of half a second or more; atomic */
static gint for_ever;             /* no wait that begins is over before it is ended; atomic */
static gint n_for_ever;           /* such waits; atomic */

/* The program's own function comes before that of the library. */
gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end_time)
{
  gboolean (*wait_until) (GCond *, GMutex *, gint64) = dlsym (RTLD_NEXT, "g_cond_wait_until");
  if (is_test)
    return wait_until (cond, mutex, end_time);
  if (end_time - g_get_monotonic_time () >= G_USEC_PER_SEC / 2)
    g_atomic_int_inc (&n_calm);
  if (!g_atomic_int_get (&for_ever))
    return wait_until (cond, mutex, end_time);
  g_atomic_int_inc (&n_for_ever);
  return wait_until (cond, mutex, G_MAXINT64);
}

static void
after_call (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Fixture *self = data;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  self->n_looks += g_strcmp0 (call->table, "meta") == 0;
  g_cond_signal (&self->cond);
}

/* Until the record has been read that often again, by whoever does it. */
static void
await_looks (Fixture *self, guint n)
{
  gint64 until = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
  is_test = TRUE;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  for (guint wanted = self->n_looks + n; self->n_looks < wanted;)
    g_assert_true (g_cond_wait_until (&self->cond, &self->mutex, until));
}

/* Without a single call, a process learns where the orders are; and it ends at once. */
static void
test_watched (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  set_up_with (self, TALL_FAILING_SHARED);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (self->table), NULL, after_call, self);
  open_store (self);
  tall_test_move_go (&self->move, TALL_TEST_COPYING);
  await_looks (self, 2);
  g_atomic_int_set (&n_calm, 0);
  await_looks (self, 3); /* faster than every second, by now */
  g_assert_cmpint (g_atomic_int_get (&n_calm), ==, 0);
  tall_test_move_go (&self->move, TALL_TEST_SWITCHED);
  await_looks (self, 2);
  g_assert_cmpstr (tall_store_get_layout (self->store)->name, ==, "blob");
  g_atomic_int_set (&for_ever, TRUE);
  while (g_atomic_int_get (&n_for_ever) == 0)
    g_usleep (1000);
  g_clear_object (&self->store);
  g_atomic_int_set (&for_ever, FALSE);
}

/* What was seen in the record holds calls back before a table has to refuse them. */
static void
test_held_back (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_test_move_go (&self->move, TALL_TEST_CLOSING);
  open_all (self);
  expect_record (self);
  expect_all (self, TALL_ERROR_TIMED_OUT);
  tall_test_move_abort (&self->move);
  g_assert_cmpuint (tall_test_get_writer (self->front, "9"), ==, 0);
  g_assert_cmpuint (tall_test_get_writer (self->front, "1"), ==, 1);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*test) (Fixture *self, gconstpointer data);
  } tests[] = {
    { "closed", test_closed },
    { "aborting", test_aborting },
    { "closed-at-commit", test_closed_at_commit },
    { "sealed", test_sealed },
    { "nobody-moves", test_nobody_moves },
    { "outcomes", test_outcomes },
    { "page-tokens", test_page_tokens },
    { "cursor", test_cursor },
    { "read-only", test_read_only },
    { "other-deployment", test_other_deployment },
    { "older-record", test_older_record },
    { "repair", test_repair },
    { "one-call", test_one_call },
    { "held-back", test_held_back },
    { "silent", test_silent },
    { "all-silent", test_all_silent },
    { "silent-for-a-while", test_silent_for_a_while },
  };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree char *path = g_strconcat ("/follow-shut/", tests[i].name, NULL);
      g_test_add (path, Fixture, NULL, set_up, tests[i].test, tear_down);
    }
  g_test_add ("/follow-shut/silent-sealed", Fixture, GINT_TO_POINTER (TALL_TEST_SEALED), set_up,
              test_silent_until_the_end, tear_down);
  g_test_add ("/follow-shut/silent-closing", Fixture, GINT_TO_POINTER (TALL_TEST_CLOSING), set_up,
              test_silent_until_the_end, tear_down);
  g_test_add ("/follow-shut/watched", Fixture, NULL, NULL, test_watched, tear_down);
  return g_test_run ();
}
