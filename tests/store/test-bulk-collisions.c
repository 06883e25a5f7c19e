/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/record/indexes.h"
#include "tall-bulk.h"
#include "tall-error.h"
#include "tall-failing-table.h"
#include "tall-test-directory.h"
#include "tall-test-findings.h"
#include "tall-test-orders.h"
#include "tall-test-store.h"
#include "tall-must.h"

/* Loads that put two orders of one row key (two texts with one MD5), and orders that were deleted:
 * of two, one is stored and stays, and the other is refused. */

#define FIRST "TEXTCOLLBYfGiJUETHQ4hAcKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak"
#define SECOND "TEXTCOLLBYfGiJUETHQ4hEcKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak"

/* A store, and a load into it. */
typedef struct
{
  TallTestClock clock;
  char *directory; /* owned; NULL: in memory */
  TallTable *failing;
  TallStore *store;
  TallBulk *bulk;
} Place;

static void
place_init (Place *self, const TallLayout *layout, gboolean embedded, gboolean assume_new)
{
  const TallBulkOptions options = { .assume_new = assume_new };
  TallStoreSettings settings = { .layout = layout, .key_strategy = &tall_key_hashed };
  *self = (Place){ .clock = { .now = TALL_FIRST_REVISION + 1000, .patience = 1 } };
  self->directory = embedded ? tall_test_directory_new () : NULL;
  g_autoptr (TallTable) table = tall_test_open_table (self->directory);
  must (tall_indexes_parse ("item=line.item_number", &settings.index, &settings.indexes, &error));
  must (tall_store_create (table, &settings, &error));
  self->failing = tall_failing_table_new (table);
  if (embedded)
    tall_failing_table_set_info (TALL_FAILING_TABLE (self->failing), TALL_FAILING_EMBEDDED);
  self->store = tall_test_open (self->failing, &self->clock);
  self->bulk = must (tall_bulk_begin (TALL_FRONT (self->store), &options, &error));
}

static void
place_clear (Place *self)
{
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (self->failing), NULL, NULL, NULL);
  must (tall_bulk_end (self->bulk, &error));
  g_object_unref (self->bulk);
  g_object_unref (self->store);
  g_object_unref (self->failing);
  if (self->directory != NULL)
    {
      tall_test_directory_remove (self->directory);
      g_free (self->directory);
    }
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Place, place_clear)

/* Puts one order of VINET, which is stored, or refused as a collision. */
static TallBulkOutcome
put (Place *self, const char *number, guint writer)
{
  g_autoptr (TallOrder) order = tall_test_marked_order (number, writer, 1, 2 + writer);
  TallBulkResult result = { 0 };
  must (tall_bulk_put_orders (self->bulk, &order, 1, &result, &error));
  TallBulkOutcome outcome = result.outcome;
  if (outcome == TALL_BULK_REFUSED)
    g_assert_error (result.error, TALL_ERROR, TALL_ERROR_KEY_COLLISION);
  tall_bulk_result_clear (&result);
  return outcome;
}

/* Nothing leads nowhere, or names another order than it should. */
static void
assert_sound (Place *self)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  const TallVerifyOptions options = { .alone = TRUE };
  TallVerifySummary summary;
  must (tall_test_find_some (TALL_FRONT (self->store), options, lines, &summary, &error));
  g_assert_cmpuint (summary.n_findings, ==, 0);
}

/* This one is there, as it was put, and is listed. */
static void
assert_there (Place *self, const char *number, guint writer)
{
  guint found, sequence;
  g_autoptr (TallOrder) got = must (
      tall_front_get_order (TALL_FRONT (self->store), TALL_TEST_CUSTOMER, number, NULL, &error));
  tall_test_read_mark (got, &found, &sequence);
  g_assert_cmpuint (found, ==, writer);
  g_autoptr (TallOrderList) list =
      must (tall_front_list_orders (TALL_FRONT (self->store), TALL_TEST_CUSTOMER, NULL, &error));
  g_assert_cmpuint (list->n_entries, ==, 1);
  g_assert_cmpstr (list->entries[0].order_number, ==, number);
}

static void
assert_collides (Place *self, const char *number)
{
  must_fail (tall_front_get_order (TALL_FRONT (self->store), TALL_TEST_CUSTOMER, number, NULL,
                                   &error),
             TALL_ERROR_KEY_COLLISION, "belongs to order ");
}

/* Before the @at-th call of the one batch, the other is put as a whole. */
typedef struct
{
  Place *place;
  guint at;
  gboolean has_come;
  gboolean stored;
} Other;

static TallFailure
put_between (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Other *other = data;
  if (other->has_come || call->index != other->at)
    return TALL_FAILURE_NONE;
  other->has_come = TRUE;
  other->stored = put (other->place, FIRST, 1) != TALL_BULK_REFUSED;
  return TALL_FAILURE_NONE;
}

/* Returns: whether the other batch came between */
static gboolean
race (const TallLayout *layout, gboolean embedded, gboolean assume_new, guint at)
{
  g_auto (Place) place;
  place_init (&place, layout, embedded, assume_new);
  g_assert_cmpint (put (&place, "first of all", 1), ==,
                   TALL_BULK_STORED); /* the load has revisions now */
  must (tall_front_delete_order (TALL_FRONT (place.store), TALL_TEST_CUSTOMER, "first of all", NULL,
                                 &error));
  Other other = { .place = &place, .at = at };
  tall_failing_table_reset (TALL_FAILING_TABLE (place.failing));
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (place.failing), put_between, NULL, &other);
  gboolean stored = put (&place, SECOND, 2) != TALL_BULK_REFUSED;
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (place.failing), NULL, NULL, NULL);
  if (!other.has_come)
    other.stored = put (&place, FIRST, 1) != TALL_BULK_REFUSED;

  g_assert_cmpint (stored, !=, other.stored);
  assert_there (&place, stored ? SECOND : FIRST, stored ? 2 : 1);
  assert_collides (&place, stored ? FIRST : SECOND);
  assert_sound (&place);
  return other.has_come;
}

/* Two batches of one load at once. */
static void
test_races (gconstpointer data)
{
  for (guint kind = 0; kind < 4; kind++)
    {
      guint at = 0;
      while (race (data, kind % 2 == 1, kind / 2 == 1, at))
        at++;
      g_assert_cmpuint (at, >=, kind == 3 ? 1 : 2); /* what is promised to be new is one step */
    }
}

static TallFailure
put_third (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Other *other = data;
  if (other->has_come || call->index != other->at)
    return TALL_FAILURE_NONE;
  g_autoptr (TallOrder) order = tall_test_marked_order (SECOND, 3, 1, 1);
  TallBulkResult result = { 0 };
  other->has_come = TRUE;
  must (tall_bulk_put_orders (other->place->bulk, &order, 1, &result, &error));
  other->stored = result.outcome != TALL_BULK_REFUSED;
  tall_bulk_result_clear (&result);
  return TALL_FAILURE_NONE;
}

/* What is hidden twice, by two contents of the other order, is there again. */
static void
test_hidden_twice (gconstpointer data)
{
  gboolean came = TRUE;
  for (guint at = 0; came; at++)
    {
      g_auto (Place) place;
      place_init (&place, data, FALSE, TRUE);
      Other other = { .place = &place, .at = at };
      g_assert_cmpint (put (&place, FIRST, 1), ==, TALL_BULK_STORED);
      tall_failing_table_reset (TALL_FAILING_TABLE (place.failing));
      tall_failing_table_set_hooks (TALL_FAILING_TABLE (place.failing), put_third, NULL, &other);
      g_assert_cmpint (put (&place, SECOND, 2), ==, TALL_BULK_REFUSED);
      g_assert_false (other.stored);
      assert_there (&place, FIRST, 1);
      assert_sound (&place);
      came = other.has_come;
    }
}

/* Both in one batch. */
static void
test_one_batch (gconstpointer data)
{
  for (guint kind = 0; kind < 4; kind++)
    {
      g_auto (Place) place;
      place_init (&place, data, kind % 2 == 1, kind / 2 == 1);
      TallOrder *orders[] = { tall_test_marked_order (FIRST, 1, 1, 3),
                              tall_test_marked_order (SECOND, 2, 1, 4) };
      TallBulkResult results[2] = { 0 };
      must (tall_bulk_put_orders (place.bulk, orders, 2, results, &error));
      g_assert_cmpint (results[0].outcome, ==, TALL_BULK_STORED);
      g_assert_error (results[1].error, TALL_ERROR, TALL_ERROR_KEY_COLLISION);
      assert_there (&place, FIRST, 1);
      assert_sound (&place);
      for (guint i = 0; i < 2; i++)
        {
          tall_bulk_result_clear (&results[i]);
          tall_order_free (orders[i]);
        }
    }
}

/* What is written over another order is removed again, and tried more than once; if that fails, the
 * message says what to do. */
static TallFailure
fail_removals (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  guint *left = data;
  gboolean removes = call->kind == TALL_CALL_APPLY && call->mutations[0]->n_changes == 1
                     && call->mutations[0]->changes[0].kind != TALL_CHANGE_PUT;
  if (!removes || *left == 0)
    return TALL_FAILURE_NONE;
  --*left;
  return TALL_FAILURE_BEFORE;
}

static void
test_removal_fails (gconstpointer data)
{
  for (guint n = 1; n < 10; n += 8)
    {
      guint left = n;
      g_auto (Place) place;
      place_init (&place, data, FALSE, TRUE);
      g_assert_cmpint (put (&place, FIRST, 1), ==, TALL_BULK_STORED);
      tall_failing_table_set_hooks (TALL_FAILING_TABLE (place.failing), fail_removals, NULL, &left);
      g_autoptr (TallOrder) order = tall_test_marked_order (SECOND, 2, 1, 4);
      TallBulkResult result = { 0 };
      must (tall_bulk_put_orders (place.bulk, &order, 1, &result, &error));
      g_assert_error (result.error, TALL_ERROR, TALL_ERROR_KEY_COLLISION);
      g_assert_true ((strstr (result.error->message, "delete it") != NULL) == (n > 1));
      assert_there (&place, n == 1 ? FIRST : SECOND, n == 1 ? 1 : 2);
      tall_bulk_result_clear (&result);
    }
}

/* Customers have rows of their own. */
static void
test_customers (gconstpointer data)
{
  g_auto (Place) place;
  place_init (&place, data, FALSE, TRUE);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (TallCustomer) customer = tall_customer_new (i == 0 ? FIRST : SECOND);
      TallBulkResult result = { 0 };
      must (tall_bulk_put_customers (place.bulk, &customer, 1, &result, &error));
      g_assert_cmpint (result.outcome, ==, i == 0 ? TALL_BULK_STORED : TALL_BULK_REFUSED);
      if (i > 0)
        g_assert_error (result.error, TALL_ERROR, TALL_ERROR_KEY_COLLISION);
      tall_bulk_result_clear (&result);
    }
  g_autoptr (TallCustomer) got =
      must (tall_front_get_customer (TALL_FRONT (place.store), FIRST, NULL, &error));
}

/* A deleted order is new to everybody who loads, also under the promise that all are. */
static void
test_deleted (gconstpointer data)
{
  for (guint kind = 0; kind < 4; kind++)
    {
      g_auto (Place) place;
      place_init (&place, data, kind % 2 == 1, kind / 2 == 1);
      for (guint round = 0; round < 3; round++)
        {
          g_assert_cmpint (put (&place, "A-1", 1 + round), ==,
                           round == 0 ? TALL_BULK_STORED : TALL_BULK_REVIVED);
          assert_there (&place, "A-1", 1 + round);
          must (tall_front_delete_order (TALL_FRONT (place.store), TALL_TEST_CUSTOMER, "A-1", NULL,
                                         &error));
        }
      /* A row stays that of the order that had it, as for a put. */
      g_assert_cmpint (put (&place, FIRST, 1), ==, TALL_BULK_STORED);
      must (tall_front_delete_order (TALL_FRONT (place.store), TALL_TEST_CUSTOMER, FIRST, NULL,
                                     &error));
      g_assert_cmpint (put (&place, SECOND, 2), ==, TALL_BULK_REFUSED);
      g_assert_cmpint (put (&place, FIRST, 3), ==, TALL_BULK_REVIVED);
      assert_there (&place, FIRST, 3);
      assert_sound (&place);
    }
}

static void
assert_found (Place *self, const char *value)
{
  const TallFindOptions options = { .values = &value, .n_values = 1 };
  g_autoptr (TallFound) found =
      must (tall_front_find_orders (TALL_FRONT (self->store), &options, &error));
  g_assert_cmpuint (found->n_orders, ==, 1);
}

/* What was promised to be new is there: it is found as before, also if it has more entries than
 * come in one step. */
static void
test_again (gconstpointer data)
{
  static const guint n_lines[] = { 2, 300 };
  for (guint i = 0; i < G_N_ELEMENTS (n_lines); i++)
    {
      g_auto (Place) place;
      place_init (&place, data, TRUE, TRUE);
      g_autoptr (TallOrder) order =
          tall_test_order_with_lines (TALL_TEST_CUSTOMER, "A-1", n_lines[i]);
      for (guint j = 0; j < n_lines[i]; j++)
        order->shipping_locations[0]->line_items[j]->item_number =
            tall_arena_printf (tall_order_get_arena (order), "%u", j);
      for (guint round = 0; round < 2; round++)
        {
          TallBulkResult result = { 0 };
          must (tall_bulk_put_orders (place.bulk, &order, 1, &result, &error));
          g_assert_cmpint (result.outcome, ==, round == 0 ? TALL_BULK_STORED : TALL_BULK_UNCHANGED);
          tall_bulk_result_clear (&result);
          assert_found (&place, "order_number=A-1");
          assert_found (&place, "line.item_number=1");
          assert_sound (&place);
        }
    }
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    GTestDataFunc run;
  } tests[] = {
    { "races", test_races },         { "hidden-twice", test_hidden_twice },
    { "one-batch", test_one_batch }, { "removal-fails", test_removal_fails },
    { "customers", test_customers }, { "deleted", test_deleted },
    { "again", test_again },
  };
  guint n;
  const TallLayout *const *layouts = tall_layouts (&n);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < n; i++)
    for (guint j = 0; j < G_N_ELEMENTS (tests); j++)
      {
        g_autofree char *path =
            g_strdup_printf ("/store/bulk/collisions/%s/%s", tests[j].name, layouts[i]->name);
        g_test_add_data_func (path, layouts[i], tests[j].run);
      }
  return g_test_run ();
}
