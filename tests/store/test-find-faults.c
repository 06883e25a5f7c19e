/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Entries where calls fail, or others come between two calls, of a table that changes one row at a
 * time. */
#include "store/read/index.h"
#include "table/memory-table.h"
#include "tall-must.h"
#include "tall-test-cells.h"
#include "tall-test-orders.h"
#include "tall-test-store.h"

#define N_CALLS 8 /* more than a find makes */
#define NOW G_GINT64_CONSTANT (1700000000000)

/* Two clients, of which one is watched. */
typedef struct
{
  TallTable *table;
  TallTable *failing;
  TallTestClock clock, other_clock;
  TallFront *front;
  TallFront *other;
  guint n_before; /* commits that go through before the other comes */
} Fixture;

static void
set_up (Fixture *self, gconstpointer layout)
{
  const TallStoreSettings settings = { .layout = layout,
                                       .key_strategy = &tall_key_hashed,
                                       .index = TALL_INDEX_NONE,
                                       .indexes = "i=attribute.mark currency?" };
  self->table = tall_memory_table_new ();
  must (tall_store_create (self->table, &settings, &error));
  self->failing = tall_failing_table_new (self->table);
  self->clock.now = self->other_clock.now = NOW;
  self->front = TALL_FRONT (tall_test_open (self->failing, &self->clock));
  self->other = TALL_FRONT (tall_test_open (self->table, &self->other_clock));
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_object_unref (self->front);
  g_object_unref (self->other);
  g_object_unref (self->failing);
  g_object_unref (self->table);
}

static TallOrder *
make_order (const char *number, const char *mark)
{
  TallOrder *order = tall_order_new (TALL_TEST_CUSTOMER, number);
  tall_order_add_attribute (order, "mark", mark);
  return order;
}

static void
put (TallFront *front, const char *number, const char *mark)
{
  g_autoptr (TallOrder) order = make_order (number, mark);
  must (tall_front_put_order (front, order, NULL, NULL, &error));
}

static TallFound *
find (TallFront *front, const char *mark, const char *currency, GError **error)
{
  const char *values[] = { mark, currency };
  const TallFindOptions options = { .index = "i",
                                    .values = values,
                                    .n_values = currency != NULL ? 2 : 1 };
  return tall_front_find_orders (front, &options, error);
}

static guint
count_entries (Fixture *self)
{
  g_autoptr (TallReadResult) result = tall_test_scan (self->table, TALL_ENTRIES_TABLE);
  return result->results[0].n_rows;
}

/* A put that is refused because of what is there leaves no entries. */
static void
test_refused (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  const TallWriteOptions options = { .condition = TALL_IF_ABSENT };
  g_autoptr (TallOrder) order = make_order ("1", "b");
  put (self->front, "1", "a");
  must_fail (tall_front_put_order (self->front, order, &options, NULL, &error),
             TALL_ERROR_CONFLICT);
  g_assert_cmpuint (count_entries (self), ==, 1);
}

/* Puts another content, once, before the commit. */
static TallFailure
put_between (TallFailingTable *table, const TallCall *call, gpointer data)
{
  Fixture *self = data;
  if (call->kind != TALL_CALL_APPLY_IF || self->n_before-- > 0)
    return TALL_FAILURE_NONE;
  tall_failing_table_set_hooks (table, NULL, NULL, NULL);
  put (self->other, "1", "b");
  return TALL_FAILURE_NONE;
}

/* What a patch comes to is another content if it is overtaken: the entries of its first try do not
 * do, even if they are the youngest, as where the other's clock is behind. */
static void
test_overtaken (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  const char *change = "currency=EUR";
  put (self->front, "1", "a");
  self->clock.now += 1000;
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (self->failing), put_between, NULL, self);
  must (tall_front_patch_order (self->front, TALL_TEST_CUSTOMER, "1", &change, 1, NULL, NULL,
                                &error));
  g_autoptr (TallFound) found = must (find (self->front, "b", "EUR", &error));
  g_assert_cmpuint (found->n_orders, ==, 1);
  g_autoptr (TallFound) before = must (find (self->front, "a", NULL, &error));
  g_assert_cmpuint (before->n_orders, ==, 0);
}

/* A put that is overtaken removes the entries of what it replaces in the end. Its first commit
 * takes the order for new. */
static void
test_replaced (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  put (self->front, "1", "a");
  self->n_before = 1;
  self->clock.now += 1000;
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (self->failing), put_between, NULL, self);
  put (self->front, "1", "c");
  g_assert_cmpuint (count_entries (self), ==, 1);
  g_autoptr (TallFound) found = must (find (self->front, "c", NULL, &error));
  g_assert_cmpuint (found->n_orders, ==, 1);
}

/* Of the last order, behind the back of the store. */
static void
delete_last_row (Fixture *self)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  g_autoptr (TallBatch) batch = tall_batch_new ();
  tall_read_plan_add_scan (plan, "orders", tall_slice (NULL, 0), tall_slice (NULL, 0));
  g_autoptr (TallReadResult) result =
      must (tall_table_read (self->table, plan, TALL_NO_DEADLINE, &error));
  const TallRows *rows = &result->results[0];
  TallMutation *mutation = tall_batch_add (batch, "orders", rows->rows[rows->n_rows - 1].key);
  tall_mutation_delete_up_to (batch, mutation, NOW + 1000);
  must (tall_table_apply (self->table, &mutation, 1, TALL_DURABLE, TALL_NO_DEADLINE, &error));
}

/* Whichever call of a find fails, all is found or nothing is said. It looks again at an order that
 * lacks a row; if it cannot, it comes back to that order. */
static void
test_unread (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallFailingTable *failing = TALL_FAILING_TABLE (self->failing);
  guint n_failed = 0;
  for (guint i = 1; i <= 3; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      g_autoptr (TallOrder) order = tall_test_order_with_lines (TALL_TEST_CUSTOMER, number, 2);
      tall_order_add_attribute (order, "mark", "a");
      must (tall_front_put_order (self->front, order, NULL, NULL, &error));
    }
  delete_last_row (self);
  for (guint i = 0; i < N_CALLS; i++)
    {
      g_autoptr (GError) error = NULL;
      tall_failing_table_reset (failing);
      tall_failing_table_fail_at (failing, i, TALL_FAILURE_BEFORE);
      g_autoptr (TallFound) found = find (self->front, "a", NULL, &error);
      n_failed += found == NULL;
      if (found == NULL)
        g_assert_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
      else
        g_assert_cmpuint (found->n_orders, ==, 3);
    }
  g_assert_cmpuint (n_failed, >=, 2); /* of the entries, and of the orders */
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/find-faults/refused", Fixture, &tall_layout_blob, set_up, test_refused, tear_down);
  g_test_add ("/find-faults/overtaken", Fixture, &tall_layout_blob, set_up, test_overtaken,
              tear_down);
  g_test_add ("/find-faults/replaced", Fixture, &tall_layout_blob, set_up, test_replaced,
              tear_down);
  g_test_add ("/find-faults/unread", Fixture, &tall_layout_record_type, set_up, test_unread,
              tear_down);
  return g_test_run ();
}
