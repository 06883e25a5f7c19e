/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Where the table changes several rows in one step: how many calls that takes, what goes with what
 * is replaced, and what an order does that has too many rows. */
#include <string.h>

#include "tall-broken-table.h"
#include "table/forwarding-table.h"
#include "tall-error.h"
#include "tall-failing-table.h"
#include "tall-limits.h"
#include "store/read/index.h"
#include "table/memory-table.h"
#include "tall-test-cells.h"
#include "tall-test-orders.h"
#include "tall-test-store.h"
#include "tall-must.h"

#define TOGETHER 24
#define LINES 3
#define TOO_MANY_LINES TOGETHER
#define DAY G_GINT64_CONSTANT (86400000)

typedef struct
{
  const TallLayout *layout;
  TallTestClock clock;
  TallTable *memory;
  TallTable *counting;
  TallStore *store;
} Scene;

/* @together: rows that the table changes in one step */
static void
scene_open_with (Scene *self, gconstpointer layout, guint together)
{
  *self = (Scene){ .layout = layout, .clock = { .now = G_GINT64_CONSTANT (1700000000000) } };
  self->memory = tall_test_table_new (layout, &tall_key_hashed);
  tall_memory_table_set_together (TALL_MEMORY_TABLE (self->memory), together);
  self->counting = tall_counting_table_new (self->memory);
  self->store = tall_test_open (self->counting, &self->clock);
}

static void
scene_open (Scene *self, gconstpointer layout)
{
  scene_open_with (self, layout, TOGETHER);
}

static void
scene_close (Scene *self)
{
  g_clear_object (&self->store);
  g_clear_object (&self->counting);
  g_clear_object (&self->memory);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Scene, scene_close)

static TallOrder *
make_order (guint sequence, guint n_lines, gint64 date)
{
  TallOrder *order = tall_test_marked_order ("1", 1, sequence, n_lines);
  order->has_sales_date = TRUE;
  order->sales_date = date;
  return order;
}

static void
put (TallStore *store, guint sequence, guint n_lines, gint64 date)
{
  g_autoptr (TallOrder) order = make_order (sequence, n_lines, date);
  must (tall_front_put_order (TALL_FRONT (store), order, NULL, NULL, &error));
}

static void
delete_order (TallStore *store)
{
  must (tall_front_delete_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, "1", NULL, &error));
}

static void
expect (TallStore *store, guint sequence)
{
  guint writer, found;
  g_autoptr (TallOrder) order =
      must (tall_front_get_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, "1", NULL, &error));
  tall_test_read_mark (order, &writer, &found);
  g_assert_cmpuint (found, ==, sequence);
}

/* It is found by its date. */
static void
expect_listed (TallStore *store, gint64 date)
{
  const TallListOptions options = {
    .has_from = TRUE, .from = date, .has_to = TRUE, .to = date + 1
  };
  g_autoptr (TallOrderList) list =
      must (tall_front_list_orders (TALL_FRONT (store), TALL_TEST_CUSTOMER, &options, &error));
  g_assert_cmpuint (list->n_entries, ==, 1);
}

static TallCost
take_cost (Scene *self)
{
  TallCost cost;
  tall_counting_table_get_cost (TALL_COUNTING_TABLE (self->counting), &cost);
  tall_counting_table_reset (TALL_COUNTING_TABLE (self->counting));
  return cost;
}

/* Reads of the rows that an order may have besides its root row. */
static guint
count_reads (const Scene *self)
{
  g_auto (TallOrderKey) key = { NULL };
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  if (self->layout->single_row)
    return 0;
  tall_order_key_init (&key, &tall_key_hashed, TALL_TEST_CUSTOMER, 0, "1");
  self->layout->plan_children (&key, plan);
  return plan->reads->len;
}

static guint
count_hints (const Scene *self)
{
  g_autoptr (TallReadResult) result = tall_test_scan (self->memory, TALL_INDEX_TABLE);
  return result->results[0].n_rows;
}

/* Nothing lies in the tables but what is committed. */
static void
expect_nothing_else (const Scene *self)
{
  TallState state;
  g_assert_true (tall_test_read_state (self->store, "1", &state, NULL));
  g_assert_cmpuint (tall_test_count_cells (self->memory, self->layout, 0), ==,
                    tall_test_count_cells (self->memory, self->layout, state.revision));
}

static void
test_calls (gconstpointer layout)
{
  g_auto (Scene) scene = { 0 };
  scene_open (&scene, layout);
  take_cost (&scene);
  put (scene.store, 1, LINES, DAY);
  TallCost cost = take_cost (&scene);
  g_assert_cmpuint (cost.calls, ==, 1);
  g_assert_cmpuint (cost.durable, ==, 1);
  g_assert_cmpuint (cost.deletes, ==, 0);
  guint64 n_rows = cost.rows_written;

  put (scene.store, 2, LINES, DAY);
  cost = take_cost (&scene);
  g_assert_cmpuint (cost.calls, ==, 3 + count_reads (&scene));
  g_assert_cmpuint (cost.durable, ==, 1);
  g_assert_cmpuint (cost.rows_written, ==, n_rows);
  expect (scene.store, 2);
  expect_nothing_else (&scene);

  take_cost (&scene);
  delete_order (scene.store);
  cost = take_cost (&scene);
  g_assert_cmpuint (cost.calls, ==, 2 + count_reads (&scene));
  g_assert_cmpuint (cost.rows_written, ==, n_rows);
  expect_nothing_else (&scene);
  g_assert_cmpuint (count_hints (&scene), ==, 0);
}

/* What has too many rows is claimed; what has few may replace it, and it may replace what has few.
 */
static void
test_too_many_rows (gconstpointer layout)
{
  g_auto (Scene) scene = { 0 };
  scene_open (&scene, layout);
  take_cost (&scene);
  put (scene.store, 1, TOO_MANY_LINES, DAY);
  g_assert_cmpuint (take_cost (&scene).calls, ==, scene.layout->single_row ? 1 : 3);
  expect (scene.store, 1);
  put (scene.store, 2, LINES, DAY);
  expect (scene.store, 2);
  expect_nothing_else (&scene);
  put (scene.store, 3, TOO_MANY_LINES, DAY);
  expect (scene.store, 3);
  expect_nothing_else (&scene);
  delete_order (scene.store);
  expect_nothing_else (&scene);
}

/* The hint goes with the date that it leads to; a put that is refused leaves none. */
static void
test_hints (gconstpointer layout)
{
  g_auto (Scene) scene = { 0 };
  scene_open (&scene, layout);
  put (scene.store, 1, LINES, DAY);
  put (scene.store, 2, LINES, 2 * DAY);
  g_assert_cmpuint (count_hints (&scene), ==, 1);

  g_autoptr (TallOrder) order = make_order (3, LINES, 3 * DAY);
  TallWriteOptions options = { .condition = TALL_IF_ABSENT };
  must_fail (tall_front_put_order (TALL_FRONT (scene.store), order, &options, NULL, &error),
             TALL_ERROR_CONFLICT);
  g_assert_cmpuint (count_hints (&scene), ==, 1);
  expect (scene.store, 2);
}

/* Where "did not match" may be a lie, rows are not changed together, though the table could. */
static void
test_lies (gconstpointer layout)
{
  g_auto (Scene) scene = { 0 };
  scene_open (&scene, layout);
  g_autoptr (TallTable) lying = tall_failing_table_new (scene.counting); /* it may */
  g_autoptr (TallStore) store = tall_test_open (lying, &scene.clock);
  take_cost (&scene);
  put (store, 1, LINES, DAY);
  g_assert_cmpuint (take_cost (&scene).calls, ==, scene.layout->single_row ? 2 : 3);
  expect (store, 1);
}

/* A hint that is younger than what is replaced stays: somebody may be about to commit it. */
static void
test_younger_hint (gconstpointer layout)
{
  g_auto (Scene) scene = { 0 };
  TallState state;
  scene_open (&scene, layout);
  put (scene.store, 1, LINES, DAY);
  g_assert_true (tall_test_read_state (scene.store, "1", &state, NULL));

  g_autoptr (TallReadResult) result = tall_test_scan (scene.memory, TALL_INDEX_TABLE);
  g_autoptr (TallBatch) batch = tall_batch_new ();
  tall_mutation_put (batch,
                     tall_batch_add (batch, TALL_INDEX_TABLE, result->results[0].rows[0].key),
                     TALL_INDEX_QUALIFIER, state.revision + 2, tall_slice_str ("1"));
  must (tall_table_apply (scene.memory, (TallMutation *const *)batch->mutations->pdata, 1,
                          TALL_DURABLE, TALL_NO_DEADLINE, &error));

  scene.clock.now += 100;
  put (scene.store, 2, LINES, 2 * DAY);
  g_assert_cmpuint (count_hints (&scene), ==, 2);
}

/* As many rows as one step takes, and one more. A put needs room for the root row and
 * its entry. */
static void
test_limit (gconstpointer layout)
{
  const guint most = TOGETHER - 3; /* of them one is the location */
  for (guint more = 0; more < 2; more++)
    {
      g_auto (Scene) scene = { 0 };
      TallState state;
      scene_open (&scene, layout);
      take_cost (&scene);
      put (scene.store, 1, most + more, DAY);
      gboolean claims = more > 0 && !scene.layout->single_row;
      g_assert_cmpuint (take_cost (&scene).calls, ==, claims ? 3 : 1);
      g_assert_true (tall_test_read_state (scene.store, "1", &state, NULL));
      g_assert_cmpuint (state.n_lines + state.n_locations, ==, TOGETHER - 2 + more);
    }
}

/* Writes what a claim has left that nobody will commit. */
static void
leave_claim (Scene *self, guint n_lines)
{
  TallState state;
  g_autoptr (TallOrder) left = make_order (2, n_lines, DAY);
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_auto (TallOrderKey) key = { NULL };
  g_assert_true (tall_test_read_state (self->store, "1", &state, NULL));
  state.pending = state.revision + 10;
  memset (state.pending_token, 9, sizeof state.pending_token);
  tall_test_write_state (self->store, "1", &state, state.pending);
  if (self->layout->single_row)
    return;
  tall_order_key_init (&key, &tall_key_hashed, TALL_TEST_CUSTOMER, 0, "1");
  self->layout->append_children (&key, left, state.pending, batch);
  must (tall_table_apply (self->memory, (TallMutation *const *)batch->mutations->pdata,
                          batch->mutations->len, TALL_DURABLE, TALL_NO_DEADLINE, &error));
}

/* It goes, too. */
static void
test_left_claim (gconstpointer layout)
{
  g_auto (Scene) scene = { 0 };
  scene_open (&scene, layout);
  put (scene.store, 1, LINES, DAY);
  leave_claim (&scene, LINES + 3);
  put (scene.store, 3, LINES, DAY);
  expect (scene.store, 3);
  expect_nothing_else (&scene);
}

/* More than one step removes goes with the next ones. */
static void
test_left_much (gconstpointer layout)
{
  g_auto (Scene) scene = { 0 };
  scene_open (&scene, layout);
  put (scene.store, 1, LINES, DAY);
  leave_claim (&scene, 2 * TOGETHER);
  for (guint sequence = 3; sequence < 7; sequence++)
    {
      put (scene.store, sequence, LINES, DAY);
      expect (scene.store, sequence);
    }
  expect_nothing_else (&scene);
}

/* Rows that cannot be read keep nobody from replacing or deleting the order. */
static void
test_unreadable (gconstpointer data)
{
  const TallLayout *layout = data;
  g_auto (Scene) scene = { 0 };
  g_auto (TallOrderKey) key = { NULL };
  scene_open (&scene, layout);
  if (layout->single_row)
    return;
  g_autoptr (TallTable) broken = tall_broken_table_new (scene.memory);
  g_autoptr (TallStore) store = tall_test_open (broken, &scene.clock);
  g_autoptr (TallOrder) order = make_order (1, LINES, DAY);
  g_autoptr (TallBatch) batch = tall_batch_new ();
  put (store, 1, LINES, DAY);
  tall_order_key_init (&key, &tall_key_hashed, TALL_TEST_CUSTOMER, 0, "1");
  layout->append_children (&key, order, 1, batch);
  tall_broken_table_break (TALL_BROKEN_TABLE (broken),
                           ((TallMutation *)batch->mutations->pdata[0])->row, TALL_ERROR_DAMAGED);
  tall_broken_table_break_scans (TALL_BROKEN_TABLE (broken));
  put (store, 2, LINES, 2 * DAY);
  expect (scene.store, 2);
  expect_listed (scene.store, 2 * DAY);
  delete_order (store);
  put (scene.store, 3, LINES, DAY);
  expect (scene.store, 3);
  expect_nothing_else (&scene);
}

#define MANY 10

/* Orders 1 … MANY. */
static GPtrArray *
make_many (guint sequence)
{
  GPtrArray *orders = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_order_free);
  for (guint i = 1; i <= MANY; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      g_ptr_array_add (orders, tall_test_marked_order (number, 1, sequence, LINES));
    }
  return orders;
}

static void
put_many (TallStore *store,
          GPtrArray *orders,
          const TallWriteOptions *options,
          TallOutcome outcomes[MANY])
{
  memset (outcomes, 0, MANY * sizeof *outcomes);
  must (tall_front_put_orders (TALL_FRONT (store), (TallOrder *const *)orders->pdata, options,
                               orders->len, outcomes, &error));
}

static void
clear_outcomes (TallOutcome outcomes[MANY])
{
  for (guint i = 0; i < MANY; i++)
    tall_outcome_clear (&outcomes[i]);
}

/* Returns: the sequence of the order that is there; 0: there is none */
static guint
find_sequence (TallStore *store, guint i, gint64 *revision)
{
  guint writer, sequence;
  g_autoptr (GError) error = NULL;
  g_autofree char *number = g_strdup_printf ("%u", i);
  g_autoptr (TallOrder) order =
      tall_front_get_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, number, revision, &error);
  if (g_error_matches (error, TALL_ERROR, TALL_ERROR_NOT_FOUND))
    return 0;
  g_assert_no_error (error);
  tall_test_read_mark (order, &writer, &sequence);
  return sequence;
}

static void
expect_many (TallStore *store, const TallOutcome outcomes[MANY], guint sequence)
{
  for (guint i = 0; i < MANY; i++)
    {
      gint64 revision;
      g_assert_no_error (outcomes[i].error);
      g_assert_cmpuint (find_sequence (store, i + 1, &revision), ==, sequence);
      g_assert_cmpint (revision, ==, outcomes[i].revision);
    }
}

/* Rows without children say who made them. */
static void
expect_mark (const Scene *self, guint i)
{
  static const guint8 none[8];
  TallState state;
  gint64 timestamp;
  g_autofree char *number = g_strdup_printf ("%u", i);
  g_assert_true (tall_test_read_state (self->store, number, &state, &timestamp));
  gboolean has_mark = memcmp (state.pending_token, none, sizeof none) != 0;
  g_assert_cmpint (has_mark, ==, self->layout->single_row);
}

/* Many new orders are put in as few steps as their rows allow, without reading anything. */
static void
try_many (gconstpointer layout, guint together)
{
  g_auto (Scene) scene = { 0 };
  g_auto (Scene) probe = { 0 };
  TallOutcome outcomes[MANY];
  scene_open_with (&scene, layout, together);
  scene_open (&probe, layout);
  g_autoptr (GPtrArray) orders = make_many (1);
  take_cost (&probe);
  put (probe.store, 1, LINES, DAY);
  guint64 n_rows = take_cost (&probe).rows_written;
  /* Root row, hint, location and lines; not all layouts have a row of the location. */
  guint64 n_most = scene.layout->single_row ? 2 : 3 + LINES;
  guint64 n_fit = 0;
  while (n_fit * n_rows + n_most <= together)
    n_fit++;
  take_cost (&scene);
  gint64 n_commits = tall_store_get_count (TALL_STORE_COMMITS);
  put_many (scene.store, orders, NULL, outcomes);
  TallCost cost = take_cost (&scene);
  g_assert_cmpint (tall_store_get_count (TALL_STORE_COMMITS), ==, n_commits + MANY);
  g_assert_cmpuint (cost.durable, ==, (MANY + n_fit - 1) / n_fit);
  g_assert_cmpuint (cost.calls, ==, cost.durable);
  expect_many (scene.store, outcomes, 1);
  for (guint i = 1; i <= MANY; i++)
    expect_mark (&scene, i);
  clear_outcomes (outcomes);
}

static void
test_many (gconstpointer layout)
{
  for (guint together = TOGETHER / 2; together <= TOGETHER; together++)
    try_many (layout, together);
}

static gint64
tick (gpointer data)
{
  gint64 *now = data;
  return ++*now;
}

/* Each has its own revision. */
static void
test_many_revisions (gconstpointer layout)
{
  g_auto (Scene) scene = { 0 };
  TallOutcome outcomes[MANY];
  gint64 now = TALL_FIRST_REVISION + 1;
  const TallStoreHooks hooks = { .now = tick, .data = &now };
  scene_open (&scene, layout);
  g_autoptr (TallStore) store = must (tall_store_open (scene.memory, NULL, NULL, &hooks, &error));
  g_autoptr (GPtrArray) orders = make_many (1);
  put_many (store, orders, NULL, outcomes);
  g_assert_cmpint (outcomes[0].revision, !=, outcomes[1].revision);
  expect_many (store, outcomes, 1);
  clear_outcomes (outcomes);
}

/* A step takes about a MiB, and the order that goes beyond. */
static void
test_many_large (gconstpointer layout)
{
  enum
  {
    SIZE = 300 * 1024,
    FIT = 4
  };
  g_auto (Scene) scene = { 0 };
  TallOutcome outcomes[MANY];
  g_autofree char *text = g_strnfill (SIZE, 'x');
  scene_open_with (&scene, layout, 1000);
  g_autoptr (GPtrArray) orders = make_many (1);
  for (guint i = 0; i < MANY; i++)
    ((TallOrder *)orders->pdata[i])->shipping_locations[0]->line_items[0]->description = text;
  take_cost (&scene);
  put_many (scene.store, orders, NULL, outcomes);
  g_assert_cmpuint (take_cost (&scene).durable, ==, (MANY + FIT - 1) / FIT);
  clear_outcomes (outcomes);
}

/* One that is there, or must not be put, does not keep the others from being stored. */
static void
test_many_there (gconstpointer layout)
{
  g_auto (Scene) scene = { 0 };
  TallOutcome outcomes[MANY];
  TallWriteOptions options[MANY] = { { .condition = TALL_IF_ABSENT } };
  scene_open (&scene, layout);
  g_autoptr (GPtrArray) first = make_many (1);
  options[3] = (TallWriteOptions){ .condition = TALL_IF_REVISION, .revision = 1 };
  options[4].has_token = TRUE; /* of zeros */
  put_many (scene.store, first, options, outcomes);
  g_assert_error (outcomes[3].error, TALL_ERROR, TALL_ERROR_CONFLICT);
  g_assert_error (outcomes[4].error, TALL_ERROR, TALL_ERROR_INVALID);
  for (guint i = 0; i < MANY; i++)
    g_assert_cmpuint (find_sequence (scene.store, i + 1, NULL), ==, i == 3 || i == 4 ? 0 : 1);
  clear_outcomes (outcomes);

  g_autoptr (GPtrArray) second = make_many (2);
  for (guint i = 0; i < MANY; i++)
    options[i] = (TallWriteOptions){ i % 2 == 0 ? TALL_IF_ABSENT : TALL_IF_ANY };
  put_many (scene.store, second, options, outcomes);
  for (guint i = 0; i < MANY; i++)
    if (i % 2 == 0 && i != 4)
      {
        g_assert_error (outcomes[i].error, TALL_ERROR, TALL_ERROR_CONFLICT);
        g_assert_cmpuint (find_sequence (scene.store, i + 1, NULL), ==, 1);
      }
    else
      {
        g_assert_no_error (outcomes[i].error);
        g_assert_cmpuint (find_sequence (scene.store, i + 1, NULL), ==, 2);
      }
  clear_outcomes (outcomes);
}

/* One among new ones is there: that one is left, and no step replaces it. */
static void
test_many_one_there (gconstpointer layout)
{
  g_auto (Scene) scene = { 0 };
  TallOutcome outcomes[MANY];
  TallWriteOptions options[MANY];
  scene_open (&scene, layout);
  g_autoptr (GPtrArray) orders = make_many (1);
  g_autoptr (TallOrder) there = tall_test_marked_order ("2", 1, 7, LINES);
  must (tall_front_put_order (TALL_FRONT (scene.store), there, NULL, NULL, &error));
  for (guint i = 0; i < MANY; i++)
    options[i] = (TallWriteOptions){ TALL_IF_ABSENT };
  put_many (scene.store, orders, options, outcomes);
  for (guint i = 0; i < MANY; i++)
    g_assert_cmpuint (find_sequence (scene.store, i + 1, NULL), ==, i == 1 ? 7 : 1);
  g_assert_error (outcomes[1].error, TALL_ERROR, TALL_ERROR_CONFLICT);
  clear_outcomes (outcomes);
}

/* Two texts with the same MD5 (M. Stevens, 2024). */
#define COLLIDING "TEXTCOLLBYfGiJUETHQ4hAcKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak"
#define COLLIDED "TEXTCOLLBYfGiJUETHQ4hEcKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak"

/* Of two orders with one row key one is refused, and both must not share a step. */
static void
test_many_collide (gconstpointer layout)
{
  g_auto (Scene) scene = { 0 };
  TallOutcome outcomes[MANY];
  guint n_stored = 0;
  scene_open (&scene, layout);
  g_autoptr (GPtrArray) orders = make_many (1);
  ((TallOrder *)orders->pdata[0])->order_number = (char *)COLLIDING;
  ((TallOrder *)orders->pdata[2])->order_number = (char *)COLLIDED;
  put_many (scene.store, orders, NULL, outcomes);
  for (guint i = 0; i < MANY; i++)
    {
      const TallOrder *order = orders->pdata[i];
      g_autoptr (GError) error = NULL;
      g_autoptr (TallOrder) got =
          tall_front_get_order (TALL_FRONT (scene.store), TALL_TEST_CUSTOMER, order->order_number,
                                NULL, &error);
      g_assert_true ((outcomes[i].error == NULL) == (got != NULL));
      if (got == NULL)
        g_assert_error (outcomes[i].error, TALL_ERROR, TALL_ERROR_KEY_COLLISION);
      else
        tall_test_assert_order_equal (order, got);
      n_stored += got != NULL;
    }
  g_assert_cmpuint (n_stored, ==, MANY - 1);
  clear_outcomes (outcomes);
}

static void
note_deadline (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  gint64 *most = data;
  if (call->kind == TALL_CALL_APPLY_IF)
    *most = MAX (*most, call->deadline - g_get_monotonic_time ());
}

/* A step has the time of that order which has the least. */
static void
test_many_time (gconstpointer layout)
{
  g_auto (Scene) scene = { 0 };
  TallOutcome outcomes[MANY];
  TallWriteOptions options[MANY] = { 0 };
  gint64 most = 0;
  scene_open (&scene, layout);
  if (!scene.layout->single_row) /* they are of several steps */
    return;
  g_autoptr (TallTable) failing = tall_failing_table_new (scene.memory);
  tall_failing_table_set_info (TALL_FAILING_TABLE (failing), TALL_FAILING_EMBEDDED);
  g_autoptr (TallStore) store = tall_test_open (failing, &scene.clock);
  g_autoptr (GPtrArray) orders = make_many (1);
  for (guint i = 0; i < MANY; i++)
    options[i].timeout = i == 4 ? 60000 : 120000;
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (failing), NULL, note_deadline, &most);
  put_many (store, orders, options, outcomes);
  g_assert_cmpint (most, >, 0);
  g_assert_cmpint (most, <=, 60 * G_USEC_PER_SEC);
  expect_many (scene.store, outcomes, 1);
  clear_outcomes (outcomes);
}

/* The first step is done, but its answer comes to nothing, and that takes all of the time. */
static TallFailure
lose_late (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  TallTestClock *clock = data;
  if (call->kind != TALL_CALL_APPLY_IF || clock->monotonic > 0)
    return TALL_FAILURE_NONE;
  clock->monotonic += (gint64)2 * TALL_USUAL_TIMEOUT * 1000;
  return TALL_FAILURE_LOST;
}

/* Of an order whose step may have been done nobody says that nothing was. */
static void
test_many_late (gconstpointer layout)
{
  g_auto (Scene) scene = { 0 };
  TallOutcome outcomes[MANY];
  guint n_unknown = 0;
  scene_open (&scene, layout);
  g_autoptr (TallTable) failing = tall_failing_table_new (scene.memory);
  tall_failing_table_set_info (TALL_FAILING_TABLE (failing), TALL_FAILING_EMBEDDED);
  g_autoptr (TallStore) store = tall_test_open (failing, &scene.clock);
  g_autoptr (GPtrArray) orders = make_many (1);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (failing), lose_late, NULL, &scene.clock);
  put_many (store, orders, NULL, outcomes);
  for (guint i = 0; i < MANY; i++)
    if (find_sequence (scene.store, i + 1, NULL) == 0)
      g_assert_error (outcomes[i].error, TALL_ERROR, TALL_ERROR_TIMED_OUT);
    else
      {
        g_assert_error (outcomes[i].error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN);
        n_unknown++;
      }
  g_assert_cmpuint (n_unknown, >, 1);
  clear_outcomes (outcomes);
}

/* A put that is sent again with its token, alone or with others, is done once. */
static void
test_many_again (gconstpointer layout)
{
  g_auto (Scene) scene = { 0 };
  TallOutcome first[MANY], second[MANY];
  TallWriteOptions options[MANY] = { 0 };
  scene_open (&scene, layout);
  g_autoptr (GPtrArray) orders = make_many (1);
  for (guint i = 0; i < MANY; i++)
    {
      options[i].has_token = TRUE;
      memset (options[i].token, (gint)i + 1, TALL_TOKEN_SIZE);
    }
  put_many (scene.store, orders, options, first);
  put_many (scene.store, orders, options, second);
  for (guint i = 0; i < MANY; i++)
    g_assert_cmpint (second[i].revision, ==, first[i].revision);
  expect_many (scene.store, second, 1);
  clear_outcomes (first);
  clear_outcomes (second);
}

/* Whichever call fails, however: what is answered is true of each order, and the others go on. */
static void
test_many_failures (gconstpointer layout)
{
  static const TallFailure failures[] = { TALL_FAILURE_BEFORE, TALL_FAILURE_LOST,
                                          TALL_FAILURE_LATE };
  gboolean reached = TRUE;
  for (guint at = 0; reached; at++)
    for (guint f = 0; f < G_N_ELEMENTS (failures); f++)
      {
        g_auto (Scene) scene = { 0 };
        TallOutcome outcomes[MANY];
        scene_open (&scene, layout);
        g_autoptr (TallTable) failing = tall_failing_table_new (scene.memory);
        tall_failing_table_set_info (TALL_FAILING_TABLE (failing), TALL_FAILING_EMBEDDED);
        g_autoptr (TallStore) store = tall_test_open (failing, &scene.clock);
        g_autoptr (GPtrArray) orders = make_many (1);
        TallWriteOptions options[MANY] = { 0 };
        for (guint i = 0; i < MANY; i++)
          options[i].condition = i % 2 == 0 ? TALL_IF_ABSENT : TALL_IF_ANY;
        tall_failing_table_reset (TALL_FAILING_TABLE (failing));
        tall_failing_table_fail_at (TALL_FAILING_TABLE (failing), at, failures[f]);
        put_many (store, orders, options, outcomes);
        reached = tall_failing_table_count_calls (TALL_FAILING_TABLE (failing)) > at;
        tall_failing_table_deliver_late (TALL_FAILING_TABLE (failing));
        for (guint i = 0; i < MANY; i++)
          {
            gint64 revision = 0;
            guint sequence = find_sequence (scene.store, i + 1, &revision);
            if (outcomes[i].error == NULL)
              g_assert_cmpint (revision, ==, outcomes[i].revision);
            else if (!g_error_matches (outcomes[i].error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN))
              g_assert_cmpuint (sequence, ==, 0);
          }
        if (failures[f] != TALL_FAILURE_LATE)
          expect_many (scene.store, outcomes, 1);
        clear_outcomes (outcomes);
      }
}

static const struct
{
  const char *name;
  GTestDataFunc test;
} tests[] = {
  { "calls", test_calls },
  { "lies", test_lies },
  { "too-many-rows", test_too_many_rows },
  { "hints", test_hints },
  { "younger-hint", test_younger_hint },
  { "limit", test_limit },
  { "left-claim", test_left_claim },
  { "left-much", test_left_much },
  { "unreadable", test_unreadable },
  { "many", test_many },
  { "many-revisions", test_many_revisions },
  { "many-large", test_many_large },
  { "many-there", test_many_there },
  { "many-one-there", test_many_one_there },
  { "many-collide", test_many_collide },
  { "many-time", test_many_time },
  { "many-late", test_many_late },
  { "many-again", test_many_again },
  { "many-failures", test_many_failures },
};

int
main (int argc, char *argv[])
{
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < n; i++)
    for (guint j = 0; j < G_N_ELEMENTS (tests); j++)
      {
        g_autofree char *path =
            g_strdup_printf ("/together/%s/%s", layouts[i]->name, tests[j].name);
        g_test_add_data_func (path, layouts[i], tests[j].test);
      }
  return g_test_run ();
}
