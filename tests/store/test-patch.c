/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Parts of orders are changed while others write: every patch that is acknowledged counts, and none
 * twice, if it has a token. */
#include <malloc.h>
#include <string.h>

#include "store/commit/recent.h"
#include "tall-error.h"
#include "tall-failing-table.h"
#include "tall-json.h"
#include "tall-store-fixture.h"
#include "tall-test-directory.h"
#include "tall-must.h"

#define N_CLIENTS 64
#define N_PATCHES 4 /* of each; another number is the program's argument */

static guint n_patches = N_PATCHES;

/* Stores the order with a quantity of 0 in line 1. */
static gint64
put_zero (TallStoreFixture *self)
{
  g_autoptr (TallOrder) order = tall_order_from_json (
      "{\"customer_number\":\"VINET\",\"order_number\":\"10248\",\"shipping_locations\":["
      "{\"number\":1,\"line_items\":[{\"number\":1,\"quantity\":\"0\"},{\"number\":2}]},"
      "{\"number\":2}]}",
      -1, NULL);
  return tall_fixture_put (self, order, NULL);
}

static gboolean
try_patch (TallFront *front,
           const char *change,
           const TallWriteOptions *options,
           gint64 *revision,
           GError **error)
{
  return tall_front_patch_order (front, TALL_TEST_CUSTOMER, TALL_TEST_ORDER, &change, 1, options,
                                 revision, error);
}

static gint64
patch (TallFront *front, const char *change, const TallWriteOptions *options)
{
  gint64 revision = 0;
  must (try_patch (front, change, options, &revision, &error));
  return revision;
}

static GError *
refuse (TallFront *front, const char *change, const TallWriteOptions *options, TallError code)
{
  GError *error = NULL;
  g_assert_false (try_patch (front, change, options, NULL, &error));
  g_assert_error (error, TALL_ERROR, (int)code);
  return error;
}

static void
expect_refused (TallFront *front,
                const char *change,
                const TallWriteOptions *options,
                TallError code)
{
  g_autoptr (GError) error = refuse (front, change, options, code);
  tall_fixture_assert_prefix (error, code == TALL_ERROR_INVALID ? "" : "Patching order 10248 of ");
}

/* Of line 1. */
static gint64
get_quantity (TallStoreFixture *self, gint64 *revision)
{
  g_autoptr (TallOrder) order = tall_fixture_get (self, TALL_TEST_ORDER, revision);
  g_assert_cmpuint (order->shipping_locations[0]->line_items[0]->quantity->scale, ==, 0);
  return order->shipping_locations[0]->line_items[0]->quantity->unscaled;
}

static void
test_parts (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  expect_refused (self->front, "currency=EUR", NULL, TALL_ERROR_NOT_FOUND);
  gint64 first = put_zero (self);
  gint64 second = patch (self->front, "line[1].quantity+=5", NULL);
  g_assert_cmpint (second, >, first);
  gint64 now;
  g_assert_cmpint (get_quantity (self, &now), ==, 5);
  g_assert_cmpint (now, ==, second);

  g_autoptr (GError) error = NULL;
  const char *const changes[] = { "line[1].quantity=7", "-line[2]", "line[2].price=1" };
  g_assert_false (tall_front_patch_order (self->front, TALL_TEST_CUSTOMER, TALL_TEST_ORDER, changes,
                                          G_N_ELEMENTS (changes), NULL, NULL, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpstr (tall_error_get_field (error), ==, "line[2]");
  tall_fixture_assert_prefix (error, "Patching order 10248 of VINET: line[2]: ");
  g_assert_cmpint (get_quantity (self, &now), ==, 5);
  g_assert_cmpint (now, ==, second);

  patch (self->front, "-location[1]", NULL);
  g_autoptr (TallOrder) order = tall_fixture_get (self, TALL_TEST_ORDER, NULL);
  g_assert_cmpuint (order->n_shipping_locations, ==, 1);
  tall_fixture_delete (self, TALL_TEST_ORDER, NULL);
  expect_refused (self->front, "currency=EUR", NULL, TALL_ERROR_NOT_FOUND);
}

static void
test_conditions (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  gint64 first = put_zero (self);
  TallWriteOptions if_first = { .condition = TALL_IF_REVISION, .revision = first };
  const TallWriteOptions if_absent = { .condition = TALL_IF_ABSENT };
  gint64 second = patch (self->front, "line[1].quantity+=1", &if_first);
  g_autoptr (GError) error =
      refuse (self->front, "line[1].quantity+=1", &if_first, TALL_ERROR_CONFLICT);
  g_assert_cmpint (tall_error_get_revision (error), ==, second);
  expect_refused (self->front, "line[1].quantity+=1", &if_absent, TALL_ERROR_INVALID);

  /* With a token the same one is recognised; after another's write nothing is done. */
  TallWriteOptions once = {
    .condition = TALL_IF_REVISION, .revision = second, .has_token = TRUE, .token = { 1 }
  };
  gint64 third = patch (self->front, "line[1].quantity+=1", &once);
  g_assert_cmpint (patch (self->front, "line[1].quantity+=1", &once), ==, third);
  patch (self->front, "currency=EUR", NULL);
  expect_refused (self->front, "line[1].quantity+=1", &once, TALL_ERROR_CONFLICT);
  g_assert_cmpint (get_quantity (self, NULL), ==, 2);
}

static TallWriteOptions
make_once (gint64 base, guint8 token)
{
  return (TallWriteOptions){ .has_token = TRUE, .token = { token }, .base = base };
}

static void
test_once (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  TallTestClock clock = { .now = TALL_TEST_NOW };
  g_autoptr (TallStore) others = tall_test_open (self->table, &clock);
  gint64 first = put_zero (self);
  TallWriteOptions once = make_once (first, 1);
  gint64 done = patch (self->front, "line[1].quantity+=1", &once);
  g_assert_cmpint (patch (self->front, "line[1].quantity+=1", &once), ==, done);
  g_assert_cmpint (patch (TALL_FRONT (others), "line[1].quantity+=1", &once), ==, done);
  g_assert_cmpint (get_quantity (self, NULL), ==, 1);

  /* Somebody has written since: it was done, but nobody else can see that. */
  gint64 now = patch (TALL_FRONT (others), "currency=EUR", NULL);
  g_autoptr (GError) doubt =
      refuse (TALL_FRONT (others), "line[1].quantity+=1", &once, TALL_ERROR_OUTCOME_UNKNOWN);
  g_assert_cmpint (tall_error_get_revision (doubt), ==, now);
  g_assert_cmpint (get_quantity (self, NULL), ==, 1);

  /* One commit since the base says what it has replaced. Two do not. */
  TallWriteOptions late = make_once (now, 2);
  patch (TALL_FRONT (others), "currency=USD", NULL);
  now = patch (self->front, "line[1].quantity+=1", &late);
  g_assert_cmpint (get_quantity (self, NULL), ==, 2);
  TallWriteOptions later = make_once (now, 3);
  patch (TALL_FRONT (others), "currency=EUR", NULL);
  now = patch (TALL_FRONT (others), "currency=USD", NULL);
  g_autoptr (GError) passed =
      refuse (self->front, "line[1].quantity+=1", &later, TALL_ERROR_OUTCOME_UNKNOWN);
  later.base = tall_error_get_revision (passed);
  g_assert_cmpint (later.base, ==, now);
  patch (self->front, "line[1].quantity+=1", &later);
  g_assert_cmpint (get_quantity (self, NULL), ==, 3);
}

/* A process knows its own commits, however many have come since. */
static void
test_remembered (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  TallTestClock clock = { .now = TALL_TEST_NOW };
  gint64 first = put_zero (self);
  TallWriteOptions once = make_once (first, 1);
  TallWriteOptions never = make_once (first, 2);
  gint64 done = patch (self->front, "line[1].quantity+=1", &once);
  for (guint i = 0; i < 50; i++)
    {
      self->clock.now += 100 * (i % 3);
      patch (self->front, i % 2 == 0 ? "currency=USD" : "currency=EUR", NULL);
    }
  g_assert_cmpint (patch (self->front, "line[1].quantity+=1", &once), ==, done);
  g_assert_cmpint (get_quantity (self, NULL), ==, 1);
  patch (self->front, "line[1].quantity+=1", &never);
  g_assert_cmpint (get_quantity (self, NULL), ==, 2);
  TallWriteOptions between = make_once (done + 1, 3); /* no commit has that revision */
  expect_refused (self->front, "line[1].quantity+=1", &between, TALL_ERROR_OUTCOME_UNKNOWN);

  /* Until somebody else has written more than once. */
  g_autoptr (TallStore) others = tall_test_open (self->table, &clock);
  patch (TALL_FRONT (others), "currency=USD", NULL);
  g_assert_cmpint (patch (self->front, "line[1].quantity+=1", &once), ==, done);
  patch (TALL_FRONT (others), "currency=EUR", NULL);
  expect_refused (self->front, "line[1].quantity+=1", &once, TALL_ERROR_OUTCOME_UNKNOWN);
  expect_refused (TALL_FRONT (others), "line[1].quantity+=1", &once, TALL_ERROR_OUTCOME_UNKNOWN);
  g_assert_cmpint (get_quantity (self, NULL), ==, 2);
}

static void
test_once_deleted (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  TallTestClock clock = { .now = TALL_TEST_NOW };
  g_autoptr (TallStore) others = tall_test_open (self->table, &clock);
  TallWriteOptions once = make_once (put_zero (self), 1);
  tall_fixture_delete (self, TALL_TEST_ORDER, NULL);
  expect_refused (self->front, "line[1].quantity+=1", &once, TALL_ERROR_NOT_FOUND);
  put_zero (self);
  expect_refused (TALL_FRONT (others), "line[1].quantity+=1", &once, TALL_ERROR_OUTCOME_UNKNOWN);
  g_assert_cmpint (get_quantity (self, NULL), ==, 0);

  TallWriteOptions other = make_once (1, 2);
  tall_fixture_delete (self, TALL_TEST_ORDER, &other);
  g_autoptr (GError) error =
      refuse (self->front, "line[1].quantity+=1", &other, TALL_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "the request token has been used"));
}

static void
test_base (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  gint64 first = put_zero (self);
  const TallWriteOptions wrong[] = {
    { .has_token = TRUE, .token = { 1 } },
    { .base = first },
    { .has_token = TRUE, .token = { 1 }, .base = -1 },
    { .has_token = TRUE, .base = first },
    { .condition = TALL_IF_REVISION, .revision = first, .base = first },
    { .condition = TALL_IF_REVISION,
      .revision = first,
      .has_token = TRUE,
      .token = { 1 },
      .base = first },
  };
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    expect_refused (self->front, "line[1].quantity+=1", &wrong[i], TALL_ERROR_INVALID);
  g_assert_cmpint (get_quantity (self, NULL), ==, 0);
}

/* A writer that has claimed the order gets its time. After that the token still works, unless the
 * claim hides what was replaced. */
static void
test_claimed (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  TallWriteOptions once = make_once (put_zero (self), 1);
  TallState state;
  g_assert_true (tall_test_read_state (self->store, TALL_TEST_ORDER, &state, NULL));
  state.pending = state.revision + 2;
  memset (state.pending_token, 0x55, sizeof state.pending_token);
  tall_test_write_state (self->store, TALL_TEST_ORDER, &state, state.pending);
  gint64 before = self->clock.monotonic;
  patch (self->front, "line[1].quantity+=1", &once);
  g_assert_cmpint (self->clock.monotonic - before, >=, G_USEC_PER_SEC);
  g_assert_cmpint (get_quantity (self, NULL), ==, 1);
}

/* ---- Others come first ---- */

typedef struct
{
  TallFront *other;
  guint n_times;    /* how often the other writer comes first */
  guint n_done;     /* so far */
  gboolean deletes; /* instead of adding 10 */
  guint nth; /* conditional write before which it comes: the first of a claim's is the claim */
  guint n_seen;
} Interloper;

static TallFailure
come_first (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Interloper *self = data;
  if (call->kind != TALL_CALL_APPLY_IF || ++self->n_seen < self->nth
      || self->n_done == self->n_times)
    return TALL_FAILURE_NONE;
  self->n_done++;
  if (self->deletes)
    g_assert_true (
        tall_front_delete_order (self->other, TALL_TEST_CUSTOMER, TALL_TEST_ORDER, NULL, NULL));
  else
    patch (self->other, "line[1].quantity+=10", NULL);
  return TALL_FAILURE_NONE;
}

static TallStore *
open_behind (TallStoreFixture *self, TallTestClock *clock, Interloper *interloper)
{
  g_autoptr (TallTable) table = tall_failing_table_new (self->table);
  tall_failing_table_set_info (TALL_FAILING_TABLE (table), TALL_FAILING_EMBEDDED);
  TallStore *store = tall_test_open (table, clock);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), come_first, NULL, interloper);
  return store;
}

static void
test_overtaken (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  TallTestClock clock = { .now = TALL_TEST_NOW };
  Interloper interloper = { .other = self->front, .n_times = 3 };
  g_autoptr (TallStore) store = open_behind (self, &clock, &interloper);
  TallWriteOptions once = make_once (put_zero (self), 1);
  patch (TALL_FRONT (store), "line[1].quantity+=1", &once);
  g_assert_cmpint (get_quantity (self, NULL), ==, 31);
  g_assert_cmpuint (interloper.n_done, ==, 3);
  g_assert_cmpuint (clock.n_sleeps, >=, 3);
}

/* Always another one: nothing is done, and the end is in time. */
static void
test_out_of_time (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  TallTestClock clock = { .now = TALL_TEST_NOW };
  Interloper interloper = { .other = self->front, .n_times = G_MAXUINT };
  const TallWriteOptions soon = { .timeout = 200 };
  g_autoptr (TallStore) store = open_behind (self, &clock, &interloper);
  put_zero (self);
  expect_refused (TALL_FRONT (store), "line[1].quantity+=1", &soon, TALL_ERROR_TIMED_OUT);
  g_assert_cmpint (get_quantity (self, NULL) % 10, ==, 0);
  g_assert_cmpuint (interloper.n_done, >, 3);
}

static void
test_deleted_under_it (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  TallTestClock clock = { .now = TALL_TEST_NOW };
  gboolean claims = !kind->layout->single_row && !kind->rocksdb;
  Interloper interloper = {
    .other = self->front, .n_times = 1, .deletes = TRUE, .nth = claims ? 2 : 1
  };
  g_autoptr (TallStore) store = open_behind (self, &clock, &interloper);
  put_zero (self);
  expect_refused (TALL_FRONT (store), "line[1].quantity+=1", NULL, TALL_ERROR_NOT_FOUND);
  tall_fixture_assert_absent (self, TALL_TEST_ORDER);
  g_assert_cmpuint (interloper.n_done, ==, 1);
}

/* The answer of each call is lost once; the patch is sent again by its token until it is certain.
 */
static void
test_lost_answers (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  static const TallFailure failures[] = { TALL_FAILURE_BEFORE, TALL_FAILURE_PARTLY,
                                          TALL_FAILURE_LOST, TALL_FAILURE_LATE };
  gint64 n_done = 0;
  put_zero (self);
  for (guint i = 0; i < G_N_ELEMENTS (failures); i++)
    for (guint call = 0; call < 8; call++)
      {
        g_autoptr (TallTable) table = tall_failing_table_new (self->table);
        TallTestClock clock = { .now = TALL_TEST_NOW };
        g_autoptr (TallStore) store = tall_test_open (table, &clock);
        gint64 base;
        get_quantity (self, &base);
        TallWriteOptions once = make_once (base, (guint8)(1 + n_done));
        tall_failing_table_reset (TALL_FAILING_TABLE (table));
        tall_failing_table_fail_at (TALL_FAILING_TABLE (table), call, failures[i]);
        g_autoptr (GError) error = NULL;
        gboolean done = try_patch (TALL_FRONT (store), "line[1].quantity+=1", &once, NULL, &error);
        tall_failing_table_deliver_late (TALL_FAILING_TABLE (table));
        g_autoptr (GError) again = NULL;
        if (!done && !try_patch (self->front, "line[1].quantity+=1", &once, NULL, &again))
          {
            /* A claim that stays, or was given up, hides what was replaced. */
            g_assert_error (again, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
            g_assert_cmpint (get_quantity (self, NULL), >=, n_done);
            n_done = get_quantity (self, NULL);
            continue;
          }
        g_assert_cmpint (get_quantity (self, NULL), ==, ++n_done);
      }
}

/* ---- Many at once ---- */

static gpointer
run_client (gpointer data)
{
  TallFront *front = data;
  const TallWriteOptions patient = { .timeout = 600000 };
  for (guint i = 0; i < n_patches; i++)
    patch (front, "line[1].quantity+=1", &patient);
  return NULL;
}

static void
test_crowd (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  GThread *threads[N_CLIENTS];
  g_autoptr (TallStore) store = must (tall_store_open (self->table, NULL, NULL, NULL, &error));
  put_zero (self);
  for (guint i = 0; i < N_CLIENTS; i++)
    threads[i] = g_thread_new ("client", run_client, store);
  for (guint i = 0; i < N_CLIENTS; i++)
    g_thread_join (threads[i]);
  g_assert_cmpint (get_quantity (self, NULL), ==, N_CLIENTS * n_patches);
  g_test_message ("%u patches of one order", N_CLIENTS * n_patches);
}

/* The last commits are remembered, and no more memory is taken for those before. */
static void
test_forgotten (void)
{
  const guint n = 300000, n_known = 8192;
  struct mallinfo2 before = { 0 };
  TallRecentCommit commit;
  TallRecent *recent = tall_recent_new ();
  const TallStoreContext context = { .layout = &tall_layout_blob };
  const TallOperation operation = { .context = &context,
                                    .customer_number = TALL_TEST_CUSTOMER,
                                    .order_number = TALL_TEST_ORDER };
  for (guint i = 1; i <= n; i++)
    {
      const TallState state = { .revision = i };
      tall_recent_note (recent, &operation, &state);
      if (i == 2 * n_known)
        before = mallinfo2 ();
    }
  struct mallinfo2 after = mallinfo2 ();
  g_assert_cmpuint (after.uordblks + after.hblkhd, <, before.uordblks + before.hblkhd + 1000000);
  g_assert_false (tall_recent_find (recent, &operation, n - n_known, &commit));
  g_assert_true (tall_recent_find (recent, &operation, n - n_known + 1, &commit));
  tall_recent_free (recent);
}

int
main (int argc, char *argv[])
{
  static const TallStoreTest tests[] = {
    { "parts", test_parts },
    { "conditions", test_conditions },
    { "once", test_once },
    { "remembered", test_remembered },
    { "once-deleted", test_once_deleted },
    { "base", test_base },
    { "claimed", test_claimed },
    { "overtaken", test_overtaken },
    { "out-of-time", test_out_of_time },
    { "deleted-under-it", test_deleted_under_it },
    { "lost-answers", test_lost_answers },
  };
  static const TallStoreTest crowd[] = { { "crowd", test_crowd } };
  g_test_init (&argc, &argv, NULL);
  guint64 number;
  if (argc > 1 && g_ascii_string_to_unsigned (argv[1], 10, 1, G_MAXUINT16, &number, NULL))
    n_patches = (guint)number;
  g_test_add_func ("/patch/forgotten", test_forgotten);
  tall_store_fixture_add ("patch", tests, G_N_ELEMENTS (tests));
  tall_store_fixture_add_everywhere ("patch", crowd, G_N_ELEMENTS (crowd));
  return g_test_run ();
}
