/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Migrations inside of a server, which its clients begin, follow, join and give up. */

#include "service/client/client.h"
#include "tall-error.h"
#include "tall-failing-table.h"
#include "service/calls/idl-tasks.h"
#include "service/access/places.h"
#include "service/server/server.h"
#include "table/table-kind.h"
#include "tall-test-moves.h"
#include "tall-test-store.h"
#include "tall-must.h"

/* So many at one a second last longer than any test. */
#define N_ORDERS 200
#define SLOW 1

#define LOOK_EVERY (G_USEC_PER_SEC / 100)

/* A server with orders in the layout blob. */
typedef struct
{
  TallTestMoves moves;
  TallServer *server;
  TallFront *front;   /* the client */
  TallClient *client; /* the same */
} Service;

static guint64
find_room (const char *place)
{
  return g_str_equal (place, "/") ? 1 << 30 : 0;
}

static gboolean
check_spec (const TallTableSpec *spec G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  return TRUE;
}

static void
service_start (Service *self, const TallServerOptions *given)
{
  g_autoptr (GError) error = NULL;
  TallServerOptions options = given != NULL ? *given : (TallServerOptions){ 0 };
  static const TallTableKind kind = { .find_room = find_room, .check_spec = check_spec };
  const TallTableAddress address = { .kind = &kind, .place = (char *)"/" };
  tall_test_moves_init (&self->moves, N_ORDERS, &address);
  options.moves = self->moves.runner;
  self->server =
      must (tall_server_new (TALL_FRONT (self->moves.store), "127.0.0.1:0", &options, &error));
  self->front = tall_client_new (tall_server_get_address (self->server), &error);
  self->client = TALL_CLIENT (self->front);
  g_assert_no_error (error);
}

static void
service_stop (Service *self)
{
  g_object_unref (self->front);
  tall_migrate_runner_stop (self->moves.runner);
  g_assert_true (tall_server_stop (self->server));
  g_object_unref (self->server);
  tall_test_moves_clear (&self->moves);
}

static TallMigrateState *
start (Service *self, TallMigrateWish wish)
{
  return must (tall_client_start_migration (self->client, &wish, &error));
}

static void
expect_refusal (Service *self, TallMigrateWish wish, TallError code, const char *words)
{
  must_fail (tall_client_start_migration (self->client, &wish, &error), code, words);
}

static TallMigrateState *
look (gpointer data, const char *id)
{
  const Service *self = data;
  return must (tall_client_get_migration (self->client, id, 0, &error));
}

static void
expect_layout (Service *self, const char *layout, guint64 generation)
{
  g_autoptr (TallDescription) description = must (tall_front_describe (self->front, &error));
  g_assert_cmpstr (description->layout, ==, layout);
  g_assert_cmpuint (description->generation, ==, generation);
  g_assert_cmpstr (description->phase, ==, "none");
  g_autoptr (TallOrder) order =
      must (tall_front_get_order (self->front, TALL_TEST_CUSTOMER, "7", NULL, &error));
  g_assert_cmpstr (order->order_number, ==, "7");
}

/* Everything arrives that a client shows. */
static void
test_move (void)
{
  Service service;
  service_start (&service, NULL);
  g_autoptr (TallMigrateState) none = look (&service, NULL);
  g_assert_null (none->id);
  g_assert_false (none->is_running);
  TallMigrateWish wish = tall_test_wish_layout ("wide");
  wish.pause = 7 * G_USEC_PER_SEC;
  g_autoptr (TallMigrateState) first = start (&service, wish);
  g_assert_false (first->is_joined);
  g_autoptr (TallMigrateState) last = tall_test_await_end (look, &service, first->id);
  g_assert_no_error (last->error);
  g_assert_cmpstr (last->id, ==, first->id);
  g_assert_cmpint (last->summary.outcome, ==, TALL_MIGRATE_SWITCHED);
  g_assert_cmpuint (last->summary.generation, ==, 2);
  g_assert_cmpuint (last->summary.n_looked, ==, N_ORDERS);
  g_assert_cmpuint (last->summary.n_copied, ==, N_ORDERS);
  g_assert_cmpuint (last->summary.n_passes, >=, 3);
  g_assert_cmpint (last->summary.pause, >, 0);
  g_assert_cmpuint (last->summary.n_unfit, ==, 0);
  g_assert_cmpint (last->progress.stage, ==, TALL_MIGRATE_CLOSING);
  g_assert_cmpuint (last->progress.n_all, ==, N_ORDERS);
  const TallMigratePlan *plan = last->plan;
  g_assert_cmpstr (plan->from_layout, ==, "blob");
  g_assert_cmpstr (plan->to_layout, ==, "wide");
  g_assert_cmpstr (plan->from_key_strategy, ==, "hashed");
  g_assert_cmpstr (plan->to_key_strategy, ==, "hashed");
  g_assert_cmpstr (plan->from_index, ==, "date");
  g_assert_cmpstr (plan->to_index, ==, "date");
  g_assert_cmpuint (plan->generation, ==, 1);
  g_assert_cmpuint (plan->target, ==, 2);
  g_assert_cmpuint (plan->n_orders, ==, N_ORDERS);
  g_assert_cmpuint (plan->n_lines, ==, 2 * N_ORDERS);
  g_assert_cmpuint (plan->n_bytes, >, 0);
  g_assert_cmpuint (plan->needed, >, plan->n_bytes);
  g_assert_cmpuint (plan->room, ==, 1 << 30);
  g_assert_cmpint (plan->copy_time, >, 0);
  g_assert_cmpint (plan->pause, >, 0);
  g_assert_cmpint (plan->pause_limit, ==, 7 * G_USEC_PER_SEC);
  expect_layout (&service, "wide", 2);
  service_stop (&service);
}

/* While it copies, a client sees how fast it is in this pass, and what is left of it. */
static void
test_pace (void)
{
  Service service;
  TallMigrateWish wish = tall_test_wish_layout ("wide");
  const guint n = 2500; /* more than are looked at before the first is copied */
  service_start (&service, NULL);
  tall_test_moves_fill (&service.moves, N_ORDERS, n);
  wish.rate = SLOW;
  gint64 begin = g_get_monotonic_time ();
  g_autoptr (TallMigrateState) first = start (&service, wish);
  tall_test_await_copying (look, &service);
  g_autoptr (TallMigrateState) state = look (&service, first->id);
  while (state->rate > n) /* for about half a second */
    {
      g_usleep (LOOK_EVERY);
      tall_migrate_state_free (state);
      state = look (&service, first->id);
    }
  gdouble passed = (gdouble)(g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
  g_assert_cmpuint (state->progress.n_all, ==, n);
  g_assert_cmpuint (state->progress.n_looked, <, n);
  g_assert_cmpfloat ((gdouble)state->rate * passed, >=, (gdouble)state->progress.n_looked / 2);
  gdouble left = (gdouble)(n - state->progress.n_looked) / (gdouble)state->rate;
  g_assert_cmpfloat ((gdouble)state->time_left / G_USEC_PER_SEC, <=, left + 0.001);
  g_assert_cmpfloat ((gdouble)state->time_left / G_USEC_PER_SEC, >=, left - 0.002);
  service_stop (&service);
}

/* What fails later is said when somebody looks. The tables from before go. */
static void
test_end (void)
{
  Service service;
  service_start (&service, NULL);
  g_autoptr (TallMigrateState) same = start (&service, tall_test_wish_layout ("blob"));
  g_autoptr (TallMigrateState) unchanged = tall_test_await_end (look, &service, same->id);
  g_assert_no_error (unchanged->error);
  g_assert_cmpint (unchanged->summary.outcome, ==, TALL_MIGRATE_UNCHANGED);

  g_autoptr (TallMigrateState) first =
      start (&service, (TallMigrateWish){ .task = TALL_MIGRATE_MOVE });
  g_autoptr (TallMigrateState) failed = tall_test_await_end (look, &service, first->id);
  g_assert_error (failed->error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_nonnull (strstr (failed->error->message, "No migration has begun"));

  g_autoptr (TallMigrateState) second = start (&service, tall_test_wish_layout ("normalized"));
  g_autoptr (TallMigrateState) still = look (&service, first->id);
  g_assert_cmpstr (still->id, ==, first->id);
  g_assert_error (still->error, TALL_ERROR, TALL_ERROR_INVALID);
  g_autoptr (TallMigrateState) moved = tall_test_await_end (look, &service, second->id);
  g_assert_no_error (moved->error);
  g_autoptr (TallMigrateState) third =
      start (&service, (TallMigrateWish){ .task = TALL_MIGRATE_DROP_SOURCE });
  g_autoptr (TallMigrateState) dropped = tall_test_await_end (look, &service, third->id);
  g_assert_no_error (dropped->error);
  g_assert_cmpint (dropped->task, ==, TALL_MIGRATE_DROP_SOURCE);
  g_assert_cmpuint (dropped->n_dropped, ==, 3); /* orders, customers, index */
  expect_layout (&service, "normalized", 2);
  service_stop (&service);
}

static TallFailure
fail_create (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  const TallFailure *failure = data;
  return call->kind == TALL_CALL_CREATE_TABLE ? *failure : TALL_FAILURE_NONE;
}

/* What fails in the middle has done something: the usual words for calls would be wrong. */
static void
test_failure (void)
{
  static TallFailure kinds[] = { TALL_FAILURE_BEFORE, TALL_FAILURE_LOST };
  Service service;
  service_start (&service, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      tall_failing_table_set_hooks (TALL_FAILING_TABLE (service.moves.table), fail_create, NULL,
                                    &kinds[i]);
      g_autoptr (TallMigrateState) first = start (&service, tall_test_wish_layout ("wide"));
      g_autoptr (TallMigrateState) last = tall_test_await_end (look, &service, first->id);
      tall_failing_table_set_hooks (TALL_FAILING_TABLE (service.moves.table), NULL, NULL, NULL);
      g_assert_nonnull (last->error);
      g_assert_true (tall_error_is_passing (last->error));
      g_assert_null (strstr (last->error->message, "nothing was done"));
      g_assert_nonnull (strstr (last->error->message, "migrate again"));
      g_autoptr (TallMigrateState) up =
          start (&service, (TallMigrateWish){ .task = TALL_MIGRATE_ABORT });
      tall_migrate_state_free (tall_test_await_end (look, &service, up->id));
    }
  expect_layout (&service, "blob", 1);
  service_stop (&service);
}

/* The same is joined, also if less is said. Everything else is refused by name. An abort takes the
 * place of what runs. */
static void
test_join (void)
{
  Service service;
  TallMigrateWish wish = tall_test_wish_layout ("wide");
  service_start (&service, NULL);
  wish.rate = SLOW;
  wish.pause = 2 * G_USEC_PER_SEC;
  wish.move.compression = "snappy";
  wish.move.regions = 1;
  wish.move.has_index = TRUE;
  g_autoptr (TallMigrateState) first = start (&service, wish);
  g_autoptr (TallMigrateState) same = start (&service, wish);
  g_autoptr (TallMigrateState) less = start (&service, (TallMigrateWish){ 0 });
  g_assert_true (same->is_joined && less->is_joined);
  g_assert_cmpstr (same->id, ==, first->id);
  g_assert_cmpstr (less->id, ==, first->id);

#define REFUSE(words, ...)                                                                         \
  expect_refusal (&service, (TallMigrateWish){ __VA_ARGS__ }, TALL_ERROR_CONFLICT, words)
  expect_refusal (&service, tall_test_wish_layout ("normalized"), TALL_ERROR_CONFLICT,
                  "its layout is wide, not normalized");
  REFUSE ("its key strategy is not given, not raw",
          .move.key_strategy = tall_key_strategy_find ("raw", NULL));
  REFUSE ("its index is date, not none", .move.has_index = TRUE, .move.index = TALL_INDEX_NONE);
  REFUSE ("its number of regions is 1, not 2", .move.regions = 2);
  REFUSE ("its compression is snappy, not zstd", .move.compression = "zstd");
  REFUSE ("its Bloom filter is not given, not row", .move.bloom_filter = "row");
  REFUSE ("its encoding is not given, not prefix", .move.block_encoding = "prefix");
  REFUSE ("its pause is 2 s, not 3 s", .pause = 3 * G_USEC_PER_SEC);
  REFUSE ("its rate is 1 a second, not 2 a second", .rate = 2);
  REFUSE ("leave --pass-only out", .pass_only = TRUE);
  REFUSE ("A migration is going on here", .task = TALL_MIGRATE_DROP_SOURCE);
#undef REFUSE

  tall_test_await_copying (look, &service);
  g_autoptr (TallMigrateState) abort =
      start (&service, (TallMigrateWish){ .task = TALL_MIGRATE_ABORT });
  g_assert_cmpstr (abort->id, ==, first->id);
  g_assert_cmpint (abort->task, ==, TALL_MIGRATE_ABORT);
  g_autoptr (TallMigrateState) last = tall_test_await_end (look, &service, first->id);
  g_assert_no_error (last->error);
  g_assert_cmpint (last->task, ==, TALL_MIGRATE_ABORT);
  expect_layout (&service, "blob", 1);
  service_stop (&service);
}

/* An abort that replaces a migration is none that ran already, and shows nothing of it. It can be
 * asked for again. */
static void
test_abort (void)
{
  Service service;
  const TallMigrateWish abort = { .task = TALL_MIGRATE_ABORT };
  TallMigrateWish wish = tall_test_wish_layout ("wide");
  service_start (&service, NULL);
  wish.rate = SLOW;
  wish.pass_only = TRUE;
  g_autoptr (TallMigrateState) first = start (&service, wish);
  tall_test_await_copying (look, &service);
  g_autoptr (TallMigrateState) one = start (&service, abort);
  g_autoptr (TallMigrateState) again = start (&service, abort);
  g_assert_false (one->is_joined);
  g_assert_cmpstr (one->id, ==, first->id);
  g_assert_null (one->plan);
  g_autoptr (TallMigrateState) last = tall_test_await_end (look, &service, again->id);
  g_assert_no_error (last->error);
  g_assert_null (last->plan);
  g_assert_cmpuint (last->n_unfit, ==, 0);
  expect_layout (&service, "blob", 1);
  service_stop (&service);
}

/* A server that ends leaves a migration where another one goes on. */
static void
test_stop (void)
{
  Service service;
  TallMigrateWish wish = tall_test_wish_layout ("record-type");
  service_start (&service, NULL);
  wish.rate = SLOW;
  wish.pass_only = TRUE;
  g_autoptr (TallMigrateState) first = start (&service, wish);
  expect_refusal (&service, (TallMigrateWish){ 0 }, TALL_ERROR_CONFLICT, "only copies");
  tall_test_await_copying (look, &service);
  tall_migrate_runner_stop (service.moves.runner);
  g_autoptr (TallMigrateState) last = tall_test_await_end (look, &service, first->id);
  g_assert_no_error (last->error);
  g_assert_cmpint (last->summary.outcome, ==, TALL_MIGRATE_STOPPED);
  expect_refusal (&service, wish, TALL_ERROR_UNAVAILABLE, "nothing was done");

  TallMigrateRunner *next = tall_migrate_runner_new (service.moves.table, NULL);
  const TallMigrateWish rest = { 0 };
  g_autoptr (TallMigrateState) resumed = tall_migrate_runner_start (next, &rest, NULL);
  while (resumed->is_running)
    {
      g_usleep (LOOK_EVERY);
      tall_migrate_state_free (resumed);
      resumed = tall_migrate_runner_look (next, NULL, 0, 0, NULL);
    }
  g_assert_no_error (resumed->error);
  g_assert_true (resumed->plan->resumed);
  g_assert_cmpuint (resumed->plan->room, ==, G_MAXUINT64);
  g_assert_cmpint (resumed->summary.outcome, ==, TALL_MIGRATE_SWITCHED);
  g_assert_cmpuint (resumed->summary.n_copied, <, N_ORDERS);
  g_assert_true (tall_migrate_runner_end (next, 0));
  expect_layout (&service, "record-type", 2);
  service_stop (&service);
}

/* Asks as often as there is more. Returns: how many came, all different */
static guint
collect_unfit (Service *self)
{
  g_autoptr (GHashTable) rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint n = 0, more;
  do
    {
      g_autoptr (TallMigrateState) state =
          must (tall_client_get_migration (self->client, NULL, n, &error));
      more = state->n_unfit;
      g_assert_cmpuint (more, <=, TALL_IDL_MANY_UNFIT);
      for (guint i = 0; i < more; i++)
        {
          const TallMigrateUnfit *unfit = &state->unfit[i];
          g_assert_cmpstr (unfit->table, ==, "orders");
          g_assert_null (unfit->order_number);
          g_assert_cmpuint (strlen (unfit->message), >, 0);
          g_assert_true (
              g_hash_table_add (rows, g_strndup ((const char *)unfit->row.data, unfit->row.len)));
        }
      n += more;
    }
  while (more > 0);
  return n;
}

/* What cannot be copied is named, in as many answers as it takes, but not without end. */
static void
test_unfit (void)
{
  Service service;
  service_start (&service, NULL);
  tall_test_moves_spoil (&service.moves, 150);
  for (guint all = 150; all <= TALL_MIGRATE_MAX_UNFIT + 50; all += TALL_MIGRATE_MAX_UNFIT - 100)
    {
      tall_test_moves_spoil (&service.moves, all);
      g_autoptr (TallMigrateState) first = start (&service, tall_test_wish_layout ("wide"));
      g_autoptr (TallMigrateState) last = tall_test_await_end (look, &service, first->id);
      g_assert_no_error (last->error);
      g_assert_cmpint (last->summary.outcome, ==, TALL_MIGRATE_UNFIT);
      g_assert_cmpuint (last->summary.n_unfit, ==, all);
      g_assert_cmpuint (collect_unfit (&service), ==, MIN (all, TALL_MIGRATE_MAX_UNFIT));
    }
  service_stop (&service);
}

/* A proxy on this machine speaks for clients elsewhere. */
static void
test_proxy (void)
{
  Service service;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) proxies = tall_networks_parse ("127.0.0.0/8", &error);
  service_start (&service, &(TallServerOptions){ .trusted_proxies = proxies });
  expect_refusal (&service, tall_test_wish_layout ("wide"), TALL_ERROR_FORBIDDEN,
                  "on its own machine");
  must_fail (tall_client_get_migration (service.client, NULL, 0, &error), TALL_ERROR_FORBIDDEN);
  g_autoptr (TallMigrateState) state =
      tall_migrate_runner_look (service.moves.runner, NULL, 0, 0, NULL);
  g_assert_null (state->id);
  service_stop (&service);
}

static void
expect_invalid (TallIdlMigration request, const char *field)
{
  g_autoptr (GError) error = NULL;
  TallMigrateWish wish;
  g_assert_false (tall_idl_migration_parse (&request, &wish, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpstr (tall_error_get_field (error), ==, field);
}

/* Numbers at and beyond their bounds, words that are none. */
static void
test_bounds (void)
{
  static char odd[] = "odd", abort[] = "abort", drop[] = "drop-source", wide[] = "wide";
  static const struct
  {
    gint64 pause;
    gint32 regions;
    gint32 rate;
  } good[] = { { 0, 1, 1 }, { 3600000, TALL_MAX_REGIONS, G_MAXINT32 } };
#define BAD(field, ...) expect_invalid ((TallIdlMigration){ __VA_ARGS__ }, field)
  BAD ("task", .task = odd);
  BAD ("layout", .layout = odd);
  BAD ("key_strategy", .key_strategy = odd);
  BAD ("index", .index = odd);
  BAD ("regions", .regions = 0, .has_regions = TRUE);
  BAD ("regions", .regions = G_MININT32, .has_regions = TRUE);
  BAD ("regions", .regions = TALL_MAX_REGIONS + 1, .has_regions = TRUE);
  BAD ("pause_ms", .pause_ms = -1, .has_pause_ms = TRUE);
  BAD ("pause_ms", .pause_ms = 3600001, .has_pause_ms = TRUE);
  BAD ("pause_ms", .pause_ms = G_MAXINT64, .has_pause_ms = TRUE);
  BAD ("rate", .rate = 0, .has_rate = TRUE);
  BAD ("rate", .rate = -1, .has_rate = TRUE);
  BAD ("task", .task = abort, .layout = wide);
  BAD ("task", .task = abort, .pass_only = TRUE);
  BAD ("task", .task = drop, .rate = 1, .has_rate = TRUE);
  BAD ("task", .task = drop, .pause_ms = 0, .has_pause_ms = TRUE);
#undef BAD
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      const TallIdlMigration request = { .regions = good[i].regions,
                                         .has_regions = TRUE,
                                         .pause_ms = good[i].pause,
                                         .has_pause_ms = TRUE,
                                         .rate = good[i].rate,
                                         .has_rate = TRUE };
      TallMigrateWish wish;
      g_assert_true (tall_idl_migration_parse (&request, &wish, NULL));
      g_assert_cmpint (wish.pause, ==, MAX (good[i].pause * 1000, 1));
      g_assert_cmpuint (wish.rate, ==, (guint)good[i].rate);
      g_assert_cmpuint (wish.move.regions, ==, (guint)good[i].regions);
    }
}

/* Every setting goes there and back. */
static void
test_request (void)
{
  const TallMigrateWish wish = { .move = { .layout = tall_layout_find ("wide", NULL),
                                           .key_strategy = tall_key_strategy_find ("raw", NULL),
                                           .has_index = TRUE,
                                           .index = TALL_INDEX_NONE,
                                           .regions = 3,
                                           .compression = "a",
                                           .bloom_filter = "b",
                                           .block_encoding = "c" },
                                 .pause = 4000,
                                 .rate = 5,
                                 .pass_only = TRUE };
  TallIdlMigration request;
  TallMigrateWish again;
  tall_idl_migration_init (&request, &wish);
  g_assert_true (tall_idl_migration_parse (&request, &again, NULL));
  g_assert_true (again.task == wish.task && again.move.layout == wish.move.layout);
  g_assert_true (again.move.key_strategy == wish.move.key_strategy);
  g_assert_true (again.move.has_index && again.move.index == TALL_INDEX_NONE);
  g_assert_cmpuint (again.move.regions, ==, 3);
  g_assert_cmpstr (again.move.compression, ==, "a");
  g_assert_cmpstr (again.move.bloom_filter, ==, "b");
  g_assert_cmpstr (again.move.block_encoding, ==, "c");
  g_assert_cmpint (again.pause, ==, 4000);
  g_assert_cmpuint (again.rate, ==, 5);
  g_assert_true (again.pass_only);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_log_set_always_fatal (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL); /* failures are logged */
  g_test_add_func ("/service/migrate/move", test_move);
  g_test_add_func ("/service/migrate/pace", test_pace);
  g_test_add_func ("/service/migrate/end", test_end);
  g_test_add_func ("/service/migrate/failure", test_failure);
  g_test_add_func ("/service/migrate/join", test_join);
  g_test_add_func ("/service/migrate/abort", test_abort);
  g_test_add_func ("/service/migrate/stop", test_stop);
  g_test_add_func ("/service/migrate/unfit", test_unfit);
  g_test_add_func ("/service/migrate/proxy", test_proxy);
  g_test_add_func ("/service/migrate/bounds", test_bounds);
  g_test_add_func ("/service/migrate/request", test_request);
  return g_test_run ();
}
