/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Parts of orders: each is that of one whole version, also if somebody replaces the order between
 * any two reads. */
#include <stdio.h>

#include "table/forwarding-table.h"
#include "table/memory-table.h"
#include "tall-error.h"
#include "tall-limits.h"
#include "tall-store-fixture.h"
#include "tall-test-orders.h"
#include "tall-must.h"

#define N_RANDOM 20
#define N_LOCATIONS 5
#define MANY_LINES 40
#define TTL 3600 /* seconds */

static TallOrder *
get_part (TallFront *front,
          const TallOrder *order,
          TallPartKind kind,
          gint32 location,
          TallOutcome *outcome)
{
  const TallOrderId id = { order->customer_number, order->order_number };
  const TallOrderPart part = { kind, location };
  *outcome = (TallOutcome){ 0 };
  must (tall_front_get_parts (front, &id, 1, &part, outcome, &error));
  return outcome->order;
}

static void
assert_part (TallFront *front, TallOrder *order, TallPartKind part, gint32 location)
{
  TallOutcome outcome;
  get_part (front, order, part, location, &outcome);
  g_assert_no_error (outcome.error);
  g_assert_cmpint (outcome.revision, >, 0);
  g_assert_null (outcome.entry);
  TallShippingLocation **all = order->shipping_locations, *one = NULL;
  gsize n_all = order->n_shipping_locations;
  for (gsize i = 0; part == TALL_PART_LOCATION && i < n_all; i++)
    if (all[i]->number == location)
      one = all[i];
  order->shipping_locations = &one;
  order->n_shipping_locations = part == TALL_PART_LOCATION ? 1 : 0;
  tall_test_assert_order_equal (order, outcome.order);
  order->shipping_locations = all;
  order->n_shipping_locations = n_all;
  tall_outcome_clear (&outcome);
}

static void
assert_summary (TallFront *front, const TallOrder *order)
{
  TallOutcome outcome;
  get_part (front, order, TALL_PART_SUMMARY, 0, &outcome);
  g_assert_no_error (outcome.error);
  g_autoptr (TallOrderList) list =
      must (tall_front_list_orders (front, order->customer_number, NULL, &error));
  const TallOrderEntry *listed = NULL;
  for (guint i = 0; i < list->n_entries; i++)
    if (g_str_equal (list->entries[i].order_number, order->order_number))
      listed = &list->entries[i];
  const TallOrderEntry *entry = outcome.entry;
  g_assert_nonnull (listed);
  g_assert_nonnull (entry);
  g_assert_cmpstr (entry->order_number, ==, listed->order_number);
  g_assert_cmpstr (entry->currency, ==, listed->currency);
  g_assert_cmpint (entry->revision, ==, listed->revision);
  g_assert_cmpint (outcome.revision, ==, listed->revision);
  g_assert_cmpint (entry->has_sales_date, ==, listed->has_sales_date);
  g_assert_cmpint (entry->sales_date, ==, listed->sales_date);
  g_assert_cmpuint (entry->n_lines, ==, listed->n_lines);
  g_assert_cmpint (entry->has_total, ==, listed->has_total);
  if (entry->has_total)
    g_assert_cmpint (tall_decimal_compare (entry->total, listed->total), ==, 0);
  g_assert_cmpstr (outcome.order->currency, ==, order->currency);
  g_assert_cmpint (outcome.order->has_sales_date, ==, order->has_sales_date);
  g_assert_cmpuint (outcome.order->n_shipping_locations, ==, 0);
  g_assert_cmpuint (outcome.order->n_attributes, ==, 0);
  g_assert_cmpuint (outcome.order->n_adjustments, ==, 0);
  g_assert_null (outcome.order->billing_address);
  tall_outcome_clear (&outcome);
}

static void
assert_not_found (TallFront *front, const TallOrder *order, TallPartKind part, gint32 location)
{
  TallOutcome outcome;
  get_part (front, order, part, location, &outcome);
  g_assert_error (outcome.error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
  g_assert_null (outcome.order);
  tall_outcome_clear (&outcome);
}

static gint32
find_free_number (const TallOrder *order)
{
  gint32 number = 1;
  for (gsize i = 0; i < order->n_shipping_locations; i++)
    number += order->shipping_locations[i]->number == number;
  return number;
}

static void
test_random (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (42);
  for (guint i = 0; i < N_RANDOM; i++)
    {
      g_autoptr (TallOrder) order = tall_test_random_order (rand, 12);
      tall_fixture_put (self, order, NULL);
      assert_summary (self->front, order);
      assert_part (self->front, order, TALL_PART_HEADER, 0);
      for (gsize j = 0; j < order->n_shipping_locations; j++)
        assert_part (self->front, order, TALL_PART_LOCATION, order->shipping_locations[j]->number);
      assert_not_found (self->front, order, TALL_PART_LOCATION, find_free_number (order));
      tall_fixture_put (self, order, NULL); /* over its earlier rows */
      assert_part (self->front, order, TALL_PART_HEADER, 0);
    }
}

static TallOrder *
make_long (guint version)
{
  TallOrder *order = tall_test_empty_order (TALL_TEST_CUSTOMER, TALL_TEST_ORDER, N_LOCATIONS);
  TallArena *arena = tall_order_get_arena (order);
  order->currency = tall_arena_printf (arena, "V%u", version);
  for (guint i = 0; i < N_LOCATIONS; i++)
    {
      order->shipping_locations[i]->name = tall_arena_printf (arena, "version %u", version);
      tall_test_add_lines (order, i, (gint32)(1 + i * 1000), MANY_LINES / (1 + version % 3));
    }
  for (guint i = 0; i < N_LOCATIONS; i++)
    for (gsize j = 0; j < order->shipping_locations[i]->n_line_items; j++)
      order->shipping_locations[i]->line_items[j]->description =
          tall_arena_printf (arena, "version %u", version);
  return order;
}

static void
test_wrong (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  static const struct
  {
    TallOrderPart part;
    const char *field;
  } wrong[] = {
    { { TALL_PART_LOCATION, 0 }, "part.location" },
    { { TALL_PART_LOCATION, -1 }, "part.location" },
    { { TALL_PART_LOCATION + 1, 1 }, "part.kind" },
  };
  g_autoptr (TallOrder) order = make_long (1);
  const TallOrderId id = { order->customer_number, order->order_number };
  for (guint part = TALL_PART_SUMMARY; part <= TALL_PART_LOCATION; part++)
    assert_not_found (self->front, order, (TallPartKind)part, 1);
  tall_fixture_put (self, order, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      TallOutcome outcome = { 0 };
      g_autoptr (GError) error = NULL;
      g_assert_false (tall_front_get_parts (self->front, &id, 1, &wrong[i].part, &outcome, &error));
      g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
      g_assert_cmpstr (tall_error_get_field (error), ==, wrong[i].field);
    }
  tall_fixture_delete (self, TALL_TEST_ORDER, NULL);
  for (guint part = TALL_PART_SUMMARY; part <= TALL_PART_LOCATION; part++)
    assert_not_found (self->front, order, (TallPartKind)part, 1);
}

/* Two texts with the same MD5 (M. Stevens, 2024). */
#define COLLIDING "TEXTCOLLBYfGiJUETHQ4hAcKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak"
#define COLLIDED "TEXTCOLLBYfGiJUETHQ4hEcKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak"

/* No part of an order is taken for one of another that has its row key. */
static void
test_collision (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_autoptr (TallOrder) order = make_long (1);
  tall_store_fixture_reset (self, kind, tall_test_table_new (kind->layout, &tall_key_hashed));
  order->order_number = (char *)COLLIDING;
  tall_fixture_put (self, order, NULL);
  order->order_number = (char *)COLLIDED;
  for (guint part = TALL_PART_SUMMARY; part <= TALL_PART_LOCATION; part++)
    {
      TallOutcome outcome;
      get_part (self->front, order, (TallPartKind)part, 1, &outcome);
      g_assert_error (outcome.error, TALL_ERROR, TALL_ERROR_KEY_COLLISION);
      g_assert_null (outcome.order);
      tall_outcome_clear (&outcome);
    }
}

static TallCost
measure (TallTable *counting, TallFront *front, const TallOrder *order, TallPartKind kind, guint n)
{
  TallCost cost;
  const TallOrderPart part = { kind, kind == TALL_PART_LOCATION ? 2 : 0 };
  const TallOrderId ids[] = { { order->customer_number, order->order_number },
                              { order->customer_number, order->order_number } };
  TallOutcome outcomes[G_N_ELEMENTS (ids)] = { 0 };
  const gsize wanted[] = { order->n_shipping_locations, 0, 0, 1 };
  tall_counting_table_reset (TALL_COUNTING_TABLE (counting));
  must (tall_front_get_parts (front, ids, n, &part, outcomes, &error));
  tall_counting_table_get_cost (TALL_COUNTING_TABLE (counting), &cost);
  for (guint i = 0; i < n; i++)
    {
      g_assert_no_error (outcomes[i].error);
      g_assert_cmpuint (outcomes[i].order->n_shipping_locations, ==, wanted[kind]);
      g_assert_true ((outcomes[i].entry != NULL) == (kind == TALL_PART_SUMMARY));
      tall_outcome_clear (&outcomes[i]);
    }
  return cost;
}

/* What a layout can read by itself costs no more than that. */
static void
test_cost (TallStoreFixture *self G_GNUC_UNUSED, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_autoptr (TallTable) inner = tall_test_table_new (kind->layout, kind->key_strategy);
  g_autoptr (TallTable) counting = tall_counting_table_new (inner);
  g_autoptr (TallStore) store = tall_test_open (counting, NULL);
  g_autoptr (TallOrder) order = make_long (0);
  must (tall_front_put_order (TALL_FRONT (store), order, NULL, NULL, &error));
  TallFront *front = TALL_FRONT (store);
  TallCost whole = measure (counting, front, order, TALL_PART_WHOLE, 1);
  TallCost summary = measure (counting, front, order, TALL_PART_SUMMARY, 1);
  TallCost header = measure (counting, front, order, TALL_PART_HEADER, 1);
  TallCost location = measure (counting, front, order, TALL_PART_LOCATION, 1);
  g_assert_cmpuint (summary.calls, ==, 1);
  g_assert_cmpuint (summary.cells_read, ==, 2);
  g_assert_cmpuint (header.calls, ==, 1);
  gboolean is_blob = kind->layout == &tall_layout_blob;
  g_assert_cmpuint (header.bytes_read, <=, is_blob ? whole.bytes_read : 1000);
  if (kind->layout->plan_location != NULL)
    {
      g_assert_cmpuint (location.calls, ==, 5); /* root · root, location, lines · root */
      g_assert_cmpuint (location.bytes_read, <, whole.bytes_read / 3);
    }
  else
    g_assert_cmpmem (&location, sizeof location, &whole, sizeof whole);
}

/* Of many orders one call reads it all, and the only location of an order is read with the rest. */
static void
test_cost_of_more (TallStoreFixture *self G_GNUC_UNUSED, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_autoptr (TallTable) inner = tall_test_table_new (kind->layout, kind->key_strategy);
  g_autoptr (TallTable) counting = tall_counting_table_new (inner);
  g_autoptr (TallStore) store = tall_test_open (counting, NULL);
  TallFront *front = TALL_FRONT (store);
  g_autoptr (TallOrder) order = make_long (0);
  must (tall_front_put_order (front, order, NULL, NULL, &error));
  TallCost whole = measure (counting, front, order, TALL_PART_WHOLE, 2);
  for (guint part = TALL_PART_SUMMARY; part <= TALL_PART_LOCATION; part++)
    {
      TallCost cost = measure (counting, front, order, (TallPartKind)part, 2);
      g_assert_cmpuint (cost.calls, <=, whole.calls);
      g_assert_cmpuint (cost.bytes_read, <=, whole.bytes_read);
    }

  order->shipping_locations[0] = order->shipping_locations[1]; /* number 2 */
  order->n_shipping_locations = 1;
  must (tall_front_put_order (front, order, NULL, NULL, &error));
  TallCost only = measure (counting, front, order, TALL_PART_LOCATION, 1);
  g_assert_cmpuint (only.calls, <, 5);
}

/* Somebody who replaces the order with its next version, before or after a call of a reader. */
typedef struct
{
  TallFront *front;
  TallTestClock clock;
  guint version;
  guint at; /* the call */
  gboolean after;
  guint n_calls;
} Replacer;

static void
replace (Replacer *self)
{
  g_autoptr (TallOrder) order = make_long (++self->version);
  self->clock.now += 10;
  must (tall_front_put_order (self->front, order, NULL, NULL, &error));
}

static TallFailure
before_call (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Replacer *self = data;
  if (call->kind == TALL_CALL_READ && self->n_calls++ == self->at && !self->after)
    replace (self);
  return TALL_FAILURE_NONE;
}

static void
after_call (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Replacer *self = data;
  if (call->kind == TALL_CALL_READ && self->n_calls == self->at + 1 && self->after)
    replace (self);
}

/* What is returned is of one version, and its revision is that version's. */
static void
assert_one_version (const TallOutcome *outcome, TallPartKind part, guint version)
{
  g_autoptr (TallOrder) whole = make_long (version);
  g_assert_no_error (outcome->error);
  g_assert_cmpstr (outcome->order->currency, ==, whole->currency);
  if (part != TALL_PART_LOCATION)
    return;
  const TallShippingLocation *wanted = whole->shipping_locations[1];
  const TallShippingLocation *got = outcome->order->shipping_locations[0];
  g_assert_cmpuint (outcome->order->n_shipping_locations, ==, 1);
  g_assert_cmpstr (got->name, ==, wanted->name);
  g_assert_cmpuint (got->n_line_items, ==, wanted->n_line_items);
  for (gsize i = 0; i < got->n_line_items; i++)
    g_assert_cmpstr (got->line_items[i]->description, ==, wanted->line_items[i]->description);
}

static gboolean
try_replaced (const TallStoreKind *kind, TallPartKind part, guint at, gboolean after)
{
  g_autoptr (TallTable) inner = tall_test_table_new (kind->layout, kind->key_strategy);
  g_autoptr (TallTable) table = tall_failing_table_new (inner);
  Replacer replacer = { .clock = { .now = TALL_TEST_NOW }, .at = G_MAXUINT, .after = after };
  TallTestClock clock = { .now = TALL_TEST_NOW };
  g_autoptr (TallStore) writer = tall_test_open (inner, &replacer.clock);
  g_autoptr (TallStore) reader = tall_test_open (table, &clock);
  g_autoptr (TallOrder) order = make_long (0);
  TallOutcome outcome;
  replacer.front = TALL_FRONT (writer);
  replace (&replacer);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), before_call, after_call, &replacer);
  replacer.at = at;
  get_part (TALL_FRONT (reader), order, part, order->shipping_locations[1]->number, &outcome);
  guint version = 0;
  g_assert_cmpint (sscanf (outcome.order->currency, "V%u", &version), ==, 1);
  g_assert_true (version == 1 || version == replacer.version);
  assert_one_version (&outcome, part, version);
  gint64 revision;
  g_autoptr (TallOrder) now = must (tall_front_get_order (TALL_FRONT (writer), TALL_TEST_CUSTOMER,
                                                          TALL_TEST_ORDER, &revision, &error));
  g_assert_true ((outcome.revision == revision) == (version == replacer.version));
  tall_outcome_clear (&outcome);
  return replacer.n_calls > at;
}

static void
test_replaced (TallStoreFixture *self G_GNUC_UNUSED, gconstpointer kind)
{
  for (guint part = TALL_PART_SUMMARY; part <= TALL_PART_LOCATION; part++)
    for (guint after = 0; after < 2; after++)
      for (guint at = 0; try_replaced (kind, (TallPartKind)part, at, after != 0); at++)
        continue;
}

/* Looks at every part between any two calls of the writer. */
typedef struct
{
  TallFront *front;
  guint version;
} Looker;

static void
look (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call G_GNUC_UNUSED, gpointer data)
{
  Looker *self = data;
  g_autoptr (TallOrder) order = make_long (self->version);
  for (guint part = TALL_PART_SUMMARY; part <= TALL_PART_LOCATION; part++)
    {
      TallOutcome outcome;
      guint version = 0;
      get_part (self->front, order, (TallPartKind)part, order->shipping_locations[1]->number,
                &outcome);
      g_assert_no_error (outcome.error);
      g_assert_cmpint (sscanf (outcome.order->currency, "V%u", &version), ==, 1);
      g_assert_true (version == self->version || version == self->version - 1);
      assert_one_version (&outcome, (TallPartKind)part, version);
      tall_outcome_clear (&outcome);
    }
}

/* What is written for a version that is not committed yet hides nothing of the one that is. */
static void
test_half_written (TallStoreFixture *self G_GNUC_UNUSED, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_autoptr (TallTable) inner = tall_test_table_new (kind->layout, kind->key_strategy);
  g_autoptr (TallTable) table = tall_failing_table_new (inner);
  Replacer replacer = { .clock = { .now = TALL_TEST_NOW } };
  TallTestClock clock = { .now = TALL_TEST_NOW };
  g_autoptr (TallStore) writer = tall_test_open (table, &replacer.clock);
  g_autoptr (TallStore) reader = tall_test_open (inner, &clock);
  Looker looker = { TALL_FRONT (reader), 1 };
  replacer.front = TALL_FRONT (writer);
  replace (&replacer);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), NULL, look, &looker);
  while (looker.version++ < 4)
    replace (&replacer);
}

/* What a newer version has stored is read as a whole, whose digest shows that it is understood. */
static void
test_newer_schema (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  TallState state;
  gint64 timestamp;
  g_autoptr (TallOrder) order = make_long (1);
  tall_fixture_put (self, order, NULL);
  g_assert_true (tall_test_read_state (self->store, TALL_TEST_ORDER, &state, &timestamp));
  state.schema = TALL_SCHEMA + 1;
  tall_test_write_state (self->store, TALL_TEST_ORDER, &state, timestamp);
  assert_part (self->front, order, TALL_PART_HEADER, 0);
  assert_part (self->front, order, TALL_PART_LOCATION, order->shipping_locations[2]->number);
  state.digest[0] ^= 1;
  tall_test_write_state (self->store, TALL_TEST_ORDER, &state, timestamp);
  for (guint part = TALL_PART_HEADER; part <= TALL_PART_LOCATION; part++)
    {
      TallOutcome outcome;
      get_part (self->front, order, (TallPartKind)part, 1, &outcome);
      g_assert_error (outcome.error, TALL_ERROR, TALL_ERROR_NEWER_VERSION);
      tall_outcome_clear (&outcome);
    }
}

static void
assert_damaged (TallFront *front, const TallOrder *order, TallPartKind part, gint32 location)
{
  TallOutcome outcome;
  get_part (front, order, part, location, &outcome);
  g_assert_error (outcome.error, TALL_ERROR, TALL_ERROR_DAMAGED);
  g_assert_null (outcome.order);
  g_assert_null (outcome.entry);
  tall_outcome_clear (&outcome);
}

static void
apply (TallTable *table, TallMutation *mutation)
{
  must (tall_table_apply (table, &mutation, 1, TALL_DURABLE, TALL_NO_DEADLINE, &error));
}

/* A date unlike that of the state cell, or text that is not UTF-8: all of the order is read, and
 * that shows the damage. */
static void
test_damaged_header (TallStoreFixture *self, gconstpointer data)
{
  static const struct
  {
    const char *qualifier;
    const char *bytes;
    gsize len;
  } damages[] = {
    { "sales_date", "\0\0\0\0\0\0\0\6", 8 },
    { "currency", "\xff", 1 },
  };
  const TallStoreKind *kind = data;
  if (kind->layout->plan_header == NULL || kind->key_strategy->needs_id)
    return g_test_skip ("the header is one cell, or the row key has an id");
  g_auto (TallOrderKey) key = { 0 };
  g_autoptr (GByteArray) row = g_byte_array_new ();
  g_autoptr (TallOrder) order = make_long (1);
  order->has_sales_date = TRUE;
  order->sales_date = 5;
  tall_order_key_init (&key, kind->key_strategy, TALL_TEST_CUSTOMER, 0, TALL_TEST_ORDER);
  const char *table = kind->layout->locate_order (&key, row);
  for (guint i = 0; i < G_N_ELEMENTS (damages); i++)
    {
      g_autoptr (TallBatch) batch = tall_batch_new ();
      gint64 revision = tall_fixture_put (self, order, NULL);
      TallMutation *root = tall_batch_add (batch, table, tall_slice_array (row));
      tall_mutation_put (batch, root, tall_slice_str (damages[i].qualifier), revision,
                         tall_slice (damages[i].bytes, damages[i].len));
      apply (self->table, root);
      assert_damaged (self->front, order, TALL_PART_HEADER, 0);
      assert_summary (self->front, order);
    }
}

/* A row of a line of location 2 goes by itself: nothing shows that in the part, unless the TTL may
 * have begun to take cells. Then all is read. */
static void
lose_line (TallStoreFixture *self, const TallStoreKind *kind, TallOrder *order)
{
  g_auto (TallOrderKey) key = { 0 };
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_fixture_put (self, order, NULL);
  tall_order_key_init (&key, kind->key_strategy, TALL_TEST_CUSTOMER, 0, TALL_TEST_ORDER);
  kind->layout->plan_location (&key, 2, plan);
  g_autoptr (TallReadResult) found =
      must (tall_table_read (self->table, plan, TALL_NO_DEADLINE, &error));
  guint last = found->n_results - 1;
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *line = tall_batch_add (batch, tall_read_plan_get (plan, last)->table,
                                       found->results[last].rows[0].key);
  tall_mutation_delete_up_to (batch, line, G_MAXINT64 - 1);
  apply (self->table, line);
}

static void
test_lost_line (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  if (kind->layout->plan_location == NULL || kind->key_strategy->needs_id)
    return g_test_skip ("a location is not read by itself, or the row key has an id");
  TallOutcome outcome;
  g_autoptr (TallOrder) order = make_long (1);
  lose_line (self, kind, order);
  assert_part (self->front, order, TALL_PART_HEADER, 0);
  assert_part (self->front, order, TALL_PART_LOCATION, 1);
  assert_damaged (self->front, order, TALL_PART_WHOLE, 0);
  get_part (self->front, order, TALL_PART_LOCATION, 2, &outcome);
  g_assert_no_error (outcome.error);
  g_assert_cmpuint (tall_order_count_lines (outcome.order), ==, MANY_LINES / 2 - 1);
  tall_outcome_clear (&outcome);

  TallTable *table = tall_memory_table_new ();
  self->clock.now = g_get_real_time () / 2000 * 2;
  tall_test_create (table, kind->layout->name, kind->key_strategy->name, TTL);
  tall_store_fixture_reset (self, kind, table);
  lose_line (self, kind, order);
  self->clock.now += TTL * G_GINT64_CONSTANT (1000);
  if (kind->layout == &tall_layout_record_type) /* which keeps rows */
    return;
  assert_not_found (self->front, order, TALL_PART_LOCATION, 2);
}

int
main (int argc, char **argv)
{
  static const TallStoreTest everywhere[] = {
    { "random", test_random },
    { "wrong", test_wrong },
  };
  static const TallStoreTest in_memory[] = {
    { "collision", test_collision },           { "cost", test_cost },
    { "cost-of-more", test_cost_of_more },     { "replaced", test_replaced },
    { "half-written", test_half_written },     { "newer-schema", test_newer_schema },
    { "damaged-header", test_damaged_header }, { "lost-line", test_lost_line },
  };
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add_everywhere ("parts", everywhere, G_N_ELEMENTS (everywhere));
  tall_store_fixture_add ("parts", in_memory, G_N_ELEMENTS (in_memory));
  return g_test_run ();
}
