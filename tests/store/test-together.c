/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Where the table changes several rows in one step: how many calls that takes, what goes with what
 * is replaced, and what an order does that has too many rows. */
#include <string.h>

#include "tall-broken-table.h"
#include "table/forwarding-table.h"
#include "tall-error.h"
#include "tall-failing-table.h"
#include "store/read/index.h"
#include "table/memory-table.h"
#include "tall-test-store.h"

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

static void
scene_open (Scene *self, gconstpointer layout)
{
  *self = (Scene){ .layout = layout, .clock = { .now = G_GINT64_CONSTANT (1700000000000) } };
  self->memory = tall_test_table_new (layout, &tall_key_hashed);
  tall_memory_table_set_together (TALL_MEMORY_TABLE (self->memory), TOGETHER);
  self->counting = tall_counting_table_new (self->memory);
  self->store = tall_test_open (self->counting, &self->clock);
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
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = make_order (sequence, n_lines, date);
  gboolean done = tall_front_put_order (TALL_FRONT (store), order, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (done);
}

static void
delete_order (TallStore *store)
{
  g_autoptr (GError) error = NULL;
  gboolean done =
      tall_front_delete_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, "1", NULL, &error);
  g_assert_no_error (error);
  g_assert_true (done);
}

static void
expect (TallStore *store, guint sequence)
{
  guint writer, found;
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order =
      tall_front_get_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, "1", NULL, &error);
  g_assert_no_error (error);
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
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrderList) list =
      tall_front_list_orders (TALL_FRONT (store), TALL_TEST_CUSTOMER, &options, &error);
  g_assert_no_error (error);
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
  g_autoptr (GError) error = NULL;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_scan (plan, TALL_INDEX_TABLE, tall_slice (NULL, 0), tall_slice (NULL, 0));
  g_autoptr (TallReadResult) result =
      tall_table_read (self->memory, plan, TALL_NO_DEADLINE, &error);
  g_assert_no_error (error);
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
  g_autoptr (GError) error = NULL;
  g_auto (Scene) scene = { 0 };
  scene_open (&scene, layout);
  put (scene.store, 1, LINES, DAY);
  put (scene.store, 2, LINES, 2 * DAY);
  g_assert_cmpuint (count_hints (&scene), ==, 1);

  g_autoptr (TallOrder) order = make_order (3, LINES, 3 * DAY);
  TallWriteOptions options = { .condition = TALL_IF_ABSENT };
  g_assert_false (tall_front_put_order (TALL_FRONT (scene.store), order, &options, NULL, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_CONFLICT);
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
  g_autoptr (GError) error = NULL;
  TallState state;
  scene_open (&scene, layout);
  put (scene.store, 1, LINES, DAY);
  g_assert_true (tall_test_read_state (scene.store, "1", &state, NULL));

  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_scan (plan, TALL_INDEX_TABLE, tall_slice (NULL, 0), tall_slice (NULL, 0));
  g_autoptr (TallReadResult) result =
      tall_table_read (scene.memory, plan, TALL_NO_DEADLINE, &error);
  g_assert_no_error (error);
  g_autoptr (TallBatch) batch = tall_batch_new ();
  tall_mutation_put (batch,
                     tall_batch_add (batch, TALL_INDEX_TABLE, result->results[0].rows[0].key),
                     TALL_INDEX_QUALIFIER, state.revision + 2, tall_slice_str ("1"));
  g_assert_true (tall_table_apply (scene.memory, (TallMutation *const *)batch->mutations->pdata, 1,
                                   TALL_DURABLE, TALL_NO_DEADLINE, NULL, &error));
  g_assert_no_error (error);

  scene.clock.now += 100;
  put (scene.store, 2, LINES, 2 * DAY);
  g_assert_cmpuint (count_hints (&scene), ==, 2);
}

/* As many rows as one step takes, and one more. A put needs room for the root row and two hints. */
static void
test_limit (gconstpointer layout)
{
  const guint most = TOGETHER - 4; /* of them one is the location */
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
      g_assert_cmpuint (state.n_lines + state.n_locations, ==, TOGETHER - 3 + more);
    }
}

/* Writes what a claim has left that nobody will commit. */
static void
leave_claim (Scene *self, guint n_lines)
{
  TallState state;
  g_autoptr (GError) error = NULL;
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
  g_assert_true (tall_table_apply (self->memory, (TallMutation *const *)batch->mutations->pdata,
                                   batch->mutations->len, TALL_DURABLE, TALL_NO_DEADLINE, NULL,
                                   &error));
  g_assert_no_error (error);
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
