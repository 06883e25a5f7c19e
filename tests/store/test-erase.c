/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Everything of a customer is erased, whatever fails on the way, and nothing of anybody else. */
#include "store/context.h"
#include "store/read/index.h"
#include "tall-broken-table.h"
#include "tall-error.h"
#include "tall-store-fixture.h"
#include "tall-test-cells.h"
#include "tall-test-files.h"
#include "tall-test-move.h"
#include "tall-test-orders.h"
#include "tall-test-record.h"
#include "tall-must.h"

/* All texts of the customer, numbers included, have one of these. */
#define MARK "zebra"
#define CUSTOMER MARK "-17"
#define ORDER "okapi-"
#define OTHER "HANAR"

#define N_ORDERS 3
#define MOST_PARTS 100

static TallOrder *
make_order (const char *customer, const char *number, guint n_lines)
{
  TallOrder *order = tall_test_order_with_lines (customer, number, n_lines);
  TallArena *arena = tall_order_get_arena (order);
  TallShippingLocation *location = order->shipping_locations[0];
  location->name = tall_arena_strdup (arena, MARK " & sons");
  location->address->line1 = tall_arena_strdup (arena, "1, " MARK " street");
  for (guint i = 0; i < n_lines; i++)
    location->line_items[i]->description = tall_arena_printf (arena, MARK " %u", i);
  return order;
}

static void
put (TallFront *front, TallOrder *order)
{
  must (tall_front_put_order (front, order, NULL, NULL, &error));
}

static void
put_new (TallFront *front, const char *customer, guint number, guint n_lines)
{
  g_autofree char *text = g_strdup_printf (ORDER "%u", number);
  g_autoptr (TallOrder) order = make_order (customer, text, n_lines);
  put (front, order);
}

/* A record, orders, one of which was replaced with another date, and one deleted. */
static void
populate (TallFront *front, const char *customer)
{
  g_autoptr (TallCustomer) record = tall_test_plain_customer (customer);
  record->name = tall_arena_strdup (tall_customer_get_arena (record), MARK " Inc");
  must (tall_front_put_customer (front, record, NULL, NULL, &error));
  for (guint i = 1; i <= N_ORDERS + 1; i++)
    put_new (front, customer, i, i);
  g_autoptr (TallOrder) replaced = make_order (customer, ORDER "1", 2);
  replaced->sales_date++;
  put (front, replaced);
  must (tall_front_delete_order (front, customer, ORDER "4", NULL, &error));
}

/* Erases part by part, as long as there are parts. */
static gboolean
erase (TallFront *front, TallTestClock *clock, TallEraseCounts *counts, GError **error)
{
  g_autoptr (GByteArray) cursor = g_byte_array_new ();
  *counts = (TallEraseCounts){ 0 };
  for (guint i = 0; i < MOST_PARTS; i++)
    {
      TallEraseRequest request = { .customer_number = CUSTOMER,
                                   .cursor = tall_slice_array (cursor) };
      g_autoptr (TallErasePart) part = tall_front_erase_some (front, &request, error);
      if (part == NULL)
        return FALSE;
      counts->n_orders += part->counts.n_orders;
      counts->n_customers += part->counts.n_customers;
      counts->n_marks += part->counts.n_marks;
      counts->n_rows += part->counts.n_rows;
      if (part->cursor.len == 0)
        {
          g_assert_cmpint (part->stage, ==, TALL_ERASE_DONE);
          g_assert_cmpuint (part->n_left, >=, 2);
          return TRUE;
        }
      clock->now += part->wait;
      tall_bytes_set (cursor, part->cursor);
    }
  g_assert_not_reached ();
}

static void
erase_all (TallStoreFixture *self, TallEraseCounts *counts)
{
  must (erase (self->front, &self->clock, counts, &error));
}

static gboolean
has_text (TallSlice bytes, const char *text)
{
  return memmem (bytes.data, bytes.len, text, strlen (text)) != NULL;
}

static gboolean
has_mark (TallSlice bytes)
{
  return has_text (bytes, MARK) || has_text (bytes, ORDER);
}

static void
scan_all (TallTable *table, TallReadPlan *plan, TallReadResult **result)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) names = must (tall_table_list_tables (table, TALL_NO_DEADLINE, &error));
  for (guint i = 0; names[i] != NULL; i++)
    if (!g_str_equal (names[i], "meta"))
      tall_read_plan_add_scan (plan, tall_arena_strdup (plan->arena, names[i]),
                               tall_slice (NULL, 0), tall_slice (NULL, 0));
  *result = tall_table_read (table, plan, TALL_NO_DEADLINE, &error);
  g_assert_no_error (error);
}

/* No cell has a text of the customer; no row key has, unless keys are made of the numbers. */
static void
assert_no_text (TallTable *table, const TallKeyStrategy *strategy)
{
  gboolean in_keys = strategy != &tall_key_hashed && strategy != &tall_key_numeric;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  g_autoptr (TallReadResult) result = NULL;
  scan_all (table, plan, &result);
  for (guint i = 0; i < result->n_results; i++)
    for (guint j = 0; j < result->results[i].n_rows; j++)
      {
        const TallRow *row = &result->results[i].rows[j];
        g_assert_true (in_keys || !has_mark (row->key));
        for (guint k = 0; k < row->n_cells; k++)
          {
            g_assert_false (has_mark (row->cells[k].value));
            g_assert_false (has_mark (row->cells[k].qualifier));
          }
      }
}

/* Everything of the other customer, byte for byte, by its numbers. */
static char *
dump_other (TallStoreFixture *self)
{
  GString *text = g_string_new (NULL);
  g_autoptr (TallCustomerOrders) page =
      must (tall_front_get_customer_orders (self->front, OTHER, NULL, &error));
  for (guint i = 0; i < page->n_orders; i++)
    {
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (TallArena) arena = tall_arena_new (0);
      TallSlice canonical = tall_order_to_canonical (page->orders[i].order, arena);
      g_autofree char *hex = tall_slice_to_hex (canonical);
      g_string_append_printf (text, "%" G_GINT64_FORMAT " %s\n", page->orders[i].revision, hex);
    }
  g_autoptr (TallOrderList) list = must (tall_front_list_orders (self->front, OTHER, NULL, &error));
  for (guint i = 0; i < list->n_entries; i++)
    g_string_append_printf (text, "%s\n", list->entries[i].order_number);
  return g_string_free (text, FALSE);
}

static void
assert_sound (TallFront *front)
{
  TallVerifySummary summary;
  TallVerifyOptions options = { .alone = TRUE };
  must (tall_front_verify (front, &options, &summary, &error));
  g_assert_cmpuint (summary.n_findings, ==, 0);
  g_assert_true (summary.is_whole);
}

static void
assert_gone (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  assert_no_text (self->table, kind->key_strategy);
  must_fail (tall_front_get_customer_orders (self->front, CUSTOMER, NULL, &error),
             TALL_ERROR_NOT_FOUND);
  g_autoptr (TallOrderList) list = tall_front_list_orders (self->front, CUSTOMER, NULL, NULL);
  g_assert_cmpuint (list->n_entries, ==, 0);
  assert_sound (self->front);
}

static void
test_everything (TallStoreFixture *self, gconstpointer kind)
{
  TallEraseCounts counts;
  populate (self->front, OTHER);
  populate (self->front, CUSTOMER);
  g_autofree char *before = dump_other (self);
  erase_all (self, &counts);
  g_assert_cmpuint (counts.n_orders, ==, N_ORDERS);
  g_assert_cmpuint (counts.n_customers, ==, 1);
  g_assert_cmpuint (counts.n_marks, ==, N_ORDERS + 2);
  g_assert_cmpuint (counts.n_rows, >=, N_ORDERS); /* hints */
  g_autofree char *after = dump_other (self);
  g_assert_cmpstr (before, ==, after);

  /* The others' texts have the mark, too. */
  g_autoptr (GError) error = NULL;
  for (guint i = 1; i <= N_ORDERS; i++)
    {
      g_autofree char *number = g_strdup_printf (ORDER "%u", i);
      must (tall_front_delete_order (self->front, OTHER, number, NULL, &error));
    }
  must (tall_front_delete_customer (self->front, OTHER, NULL, &error));
  g_autoptr (TallOrderList) list = tall_front_list_orders (self->front, CUSTOMER, NULL, &error);
  g_assert_cmpuint (list->n_entries, ==, 0);
  assert_sound (self->front);
  (void)kind;
}

/* Again: there is nothing to do, and nothing is written. Then the customer comes back. */
static void
test_again (TallStoreFixture *self, gconstpointer kind)
{
  TallEraseCounts counts;
  populate (self->front, CUSTOMER);
  erase_all (self, &counts);
  assert_gone (self, kind);
  guint n_cells = tall_fixture_count_cells (self);
  erase_all (self, &counts);
  g_assert_cmpuint (counts.n_orders + counts.n_customers + counts.n_marks + counts.n_rows, ==, 0);
  g_assert_cmpuint (tall_fixture_count_cells (self), ==, n_cells);

  populate (self->front, CUSTOMER);
  g_autoptr (TallOrderList) list =
      must (tall_front_list_orders (self->front, CUSTOMER, NULL, &error));
  g_assert_cmpuint (list->n_entries, ==, N_ORDERS);
  assert_sound (self->front);
  erase_all (self, &counts);
  g_assert_cmpuint (counts.n_orders, ==, N_ORDERS);
  assert_gone (self, kind);
}

/* Two processes may give the number an id at the same time: the one that is wasted leads back to
 * it, too. Another process that has remembered the id stores under it afterwards. */
static void
test_ids (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_autoptr (GError) error = NULL;
  TallEraseCounts counts;
  TallTestClock clock = { .now = TALL_TEST_NOW };
  guint64 before, after;
  if (!kind->key_strategy->needs_id)
    return;
  populate (self->front, CUSTOMER);
  populate (self->front, OTHER);
  g_autoptr (TallStore) other = tall_test_open (self->table, &clock);
  put_new (TALL_FRONT (other), CUSTOMER, 1, 1); /* it remembers the id */
  must (tall_store_find_id (self->store, CUSTOMER, &before, &error));
  const guint8 row[] = { 'i', 0, 0, 0, 0, 0, 0, 0, 99 };
  tall_test_put (self->table, TALL_IDS_TABLE, tall_slice (row, sizeof row),
                 (TallCell){ TALL_IDS_QUALIFIER, TALL_IDS_TIMESTAMP, tall_slice_str (CUSTOMER) });
  erase_all (self, &counts);
  for (guint i = 1; i <= N_ORDERS; i++) /* whose texts have the mark, too */
    {
      g_autofree char *number = g_strdup_printf (ORDER "%u", i);
      must (tall_front_delete_order (self->front, OTHER, number, NULL, &error));
    }
  must (tall_front_delete_customer (self->front, OTHER, NULL, &error));
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_scan (plan, TALL_IDS_TABLE, tall_slice (NULL, 0), tall_slice (NULL, 0));
  g_autoptr (TallReadResult) result = tall_table_read (self->table, plan, TALL_NO_DEADLINE, &error);
  for (guint i = 0; i < result->results[0].n_rows; i++)
    g_assert_false (has_text (result->results[0].rows[i].key, CUSTOMER)
                    || has_text (tall_ids_get_value (&result->results[0].rows[i]), CUSTOMER));
  assert_sound (self->front);

  clock.now += 1000000;
  put_new (TALL_FRONT (other), CUSTOMER, 7, 1);
  tall_store_fixture_reset (self, kind, g_object_ref (self->table)); /* it remembers nothing */
  must (tall_store_find_id (self->store, CUSTOMER, &after, &error));
  g_assert_cmpuint (after, ==, before);
  g_autoptr (TallOrder) order =
      must (tall_front_get_order (self->front, CUSTOMER, ORDER "7", NULL, &error));
  put_new (self->front, CUSTOMER, 8, 1);
  assert_sound (self->front);
}

static void
test_unknown (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  TallEraseCounts counts;
  put_new (self->front, OTHER, 1, 1);
  gint64 before = self->clock.now;
  g_assert_false (erase (self->front, &self->clock, &counts, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
  g_assert_cmpint (self->clock.now, ==, before); /* it does not wait */
  tall_fixture_assert_prefix (error, "Erasing customer " CUSTOMER ": ");
  g_autoptr (TallOrderList) list = tall_front_list_orders (self->front, OTHER, NULL, NULL);
  g_assert_cmpuint (list->n_entries, ==, 1);
}

/* Two numbers with one MD5 (M. Stevens, 2024): what names the other customer stays. */
#define COLLIDING "TEXTCOLLBYfGiJUETHQ4hAcKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak"
#define COLLIDED "TEXTCOLLBYfGiJUETHQ4hEcKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak"

static void
test_collision (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) cursor = g_byte_array_new ();
  put_new (self->front, COLLIDING, 1, 2);
  put_new (self->front, COLLIDED, 2, 2);
  for (guint i = 0; i < MOST_PARTS; i++)
    {
      TallEraseRequest request = { .customer_number = COLLIDING,
                                   .cursor = tall_slice_array (cursor) };
      g_autoptr (TallErasePart) part = must (tall_front_erase_some (self->front, &request, &error));
      if (part->cursor.len == 0)
        break;
      self->clock.now += part->wait;
      tall_bytes_set (cursor, part->cursor);
    }
  must_fail (tall_front_get_order (self->front, COLLIDING, ORDER "1", NULL, &error),
             TALL_ERROR_NOT_FOUND);
  g_autoptr (TallOrder) there =
      must (tall_front_get_order (self->front, COLLIDED, ORDER "2", NULL, &error));
  g_autoptr (TallOrderList) list = tall_front_list_orders (self->front, COLLIDED, NULL, &error);
  g_assert_cmpuint (list->n_entries, ==, 1);
  assert_sound (self->front);
}

static TallErasePart *
go_on (TallFront *front, TallSlice cursor)
{
  TallEraseRequest request = { .customer_number = CUSTOMER, .cursor = cursor };
  return must (tall_front_erase_some (front, &request, &error));
}

/* What is deleted is not listed any more, long before its rows go. */
static void
test_listed (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  populate (self->front, CUSTOMER);
  g_autoptr (TallErasePart) part = go_on (self->front, tall_slice (NULL, 0));
  g_assert_cmpuint (part->counts.n_orders, ==, N_ORDERS);
  g_assert_cmpuint (part->cursor.len, >, 0);
  g_autoptr (TallOrderList) list =
      must (tall_front_list_orders (self->front, CUSTOMER, NULL, &error));
  g_assert_cmpuint (list->n_entries, ==, 0);
}

/* What is stored while it waits goes, too, and only what has come before the last look. */
static void
test_writers (TallStoreFixture *self, gconstpointer kind)
{
  g_autoptr (GByteArray) cursor = g_byte_array_new ();
  populate (self->front, CUSTOMER);
  guint n_rounds = 0;
  for (guint i = 0; i < MOST_PARTS; i++)
    {
      g_autoptr (TallErasePart) part = go_on (self->front, tall_slice_array (cursor));
      if (part->cursor.len == 0)
        break;
      if (part->stage == TALL_ERASE_WAITING && n_rounds++ < 3)
        put_new (self->front, CUSTOMER, n_rounds, 3);
      g_assert_true (part->wait > 0 || part->stage != TALL_ERASE_WAITING);
      self->clock.now += part->wait;
      tall_bytes_set (cursor, part->cursor);
    }
  g_assert_cmpuint (n_rounds, ==, 4);
  assert_gone (self, kind);
}

/* Whoever goes on too early is told to wait. */
static void
test_too_early (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  populate (self->front, CUSTOMER);
  g_autoptr (TallErasePart) first = go_on (self->front, tall_slice (NULL, 0));
  g_assert_cmpint (first->stage, ==, TALL_ERASE_WAITING);
  g_assert_cmpuint (first->wait, >, 10000);
  self->clock.now += 5000;
  g_autoptr (TallErasePart) second = go_on (self->front, first->cursor);
  g_assert_cmpint (second->stage, ==, TALL_ERASE_WAITING);
  g_assert_cmpuint (second->wait, ==, first->wait - 5000);
}

/* Somebody who stores for ever is not waited for for ever. */
static void
test_for_ever (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  g_autoptr (GByteArray) cursor = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < MOST_PARTS && error == NULL; i++)
    {
      put_new (self->front, CUSTOMER, 1, 1);
      TallEraseRequest request = { .customer_number = CUSTOMER,
                                   .cursor = tall_slice_array (cursor) };
      g_autoptr (TallErasePart) part = tall_front_erase_some (self->front, &request, &error);
      if (part == NULL)
        break;
      g_assert_cmpuint (part->cursor.len, >, 0);
      self->clock.now += part->wait;
      tall_bytes_set (cursor, part->cursor);
    }
  g_assert_error (error, TALL_ERROR, TALL_ERROR_CONFLICT);
}

/* What a killed writer has left: a claim, its rows, and a hint. */
static void
test_left_by_writers (TallStoreFixture *self, gconstpointer kind)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_auto (TallOrderKey) key = { 0 };
  TallEraseCounts counts;
  guint64 id;
  gint64 revision = self->clock.now + 1000000; /* of a clock that is ahead */
  populate (self->front, CUSTOMER);
  must (tall_store_find_id (self->store, CUSTOMER, &id, &error));
  g_autoptr (TallOrder) order = make_order (CUSTOMER, ORDER "9", 3);
  tall_order_key_init (&key, tall_store_get_key_strategy (self->store), CUSTOMER, id, ORDER "9");
  const TallLayout *layout = tall_store_get_layout (self->store);
  if (!layout->single_row)
    layout->append_children (&key, order, revision, batch);
  g_autoptr (GByteArray) row = g_byte_array_new ();
  tall_index_append_row (key.customer, order->sales_date, row);
  tall_bytes_append (row, key.order);
  TallMutation *hint = tall_batch_add (batch, TALL_INDEX_TABLE, tall_slice_array (row));
  tall_mutation_put (batch, hint, TALL_INDEX_QUALIFIER, revision, tall_slice_str (ORDER "9"));
  must (tall_table_apply (self->table, (TallMutation *const *)batch->mutations->pdata,
                          batch->mutations->len, TALL_DURABLE, TALL_NO_DEADLINE, &error));
  erase_all (self, &counts);
  assert_gone (self, kind);
  /* whose clock is behind that writer's can store the order */
  put_new (self->front, CUSTOMER, 9, 2);
  g_autoptr (TallOrder) stored =
      must (tall_front_get_order (self->front, CUSTOMER, ORDER "9", NULL, &error));
  assert_sound (self->front);
}

/* Nothing but a hint, of a put that was killed before its commit: that is waited for, and goes. */
static void
test_only_a_hint (TallStoreFixture *self, gconstpointer kind)
{
  g_autoptr (GByteArray) row = g_byte_array_new ();
  g_auto (TallOrderKey) key = { 0 };
  TallEraseCounts counts;
  guint64 id;
  put_new (self->front, CUSTOMER, 1, 1);
  must (tall_store_find_id (self->store, CUSTOMER, &id, &error));
  erase_all (self, &counts);
  tall_order_key_init (&key, tall_store_get_key_strategy (self->store), CUSTOMER, id, ORDER "9");
  tall_index_append_row (key.customer, TALL_TEST_NOW, row);
  tall_bytes_append (row, key.order);
  tall_test_put (self->table, TALL_INDEX_TABLE, tall_slice_array (row),
                 (TallCell){ TALL_INDEX_QUALIFIER, self->clock.now, tall_slice_str (ORDER "9") });
  erase_all (self, &counts);
  g_assert_cmpuint (counts.n_rows, ==, 1);
  assert_gone (self, kind);
}

static void
assert_refused (TallStoreFixture *self, const char *customer, TallSlice cursor)
{
  g_autoptr (GError) error = NULL;
  TallEraseRequest request = { .customer_number = customer, .cursor = cursor };
  g_autoptr (TallErasePart) part = tall_front_erase_some (self->front, &request, &error);
  g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
  g_assert_cmpstr (tall_error_get_field (error), ==, "cursor");
}

/* A client may send any cursor: nothing of anybody else is touched. */
static void
test_hostile_cursors (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  populate (self->front, OTHER);
  populate (self->front, CUSTOMER);
  g_autofree char *before = dump_other (self);
  g_autoptr (TallErasePart) part = go_on (self->front, tall_slice (NULL, 0));
  TallSlice good = part->cursor;
  for (gsize i = 0; i < good.len; i++)
    {
      tall_bytes_set (bytes, good);
      bytes->data[i] ^= 0x41;
      assert_refused (self, CUSTOMER, tall_slice_array (bytes));
    }
  assert_refused (self, CUSTOMER, tall_slice (good.data, 5));
  assert_refused (self, OTHER, good);

  g_autofree char *after = dump_other (self);
  g_assert_cmpstr (before, ==, after);
}

static void
test_read_only (TallStoreFixture *self, gconstpointer kind)
{
  TallEraseCounts counts;
  populate (self->front, CUSTOMER);
  tall_test_record_write (self->table, "mode", "read-only", 0);
  tall_store_fixture_reset (self, kind, g_object_ref (self->table));
  must_fail (erase (self->front, &self->clock, &counts, &error), TALL_ERROR_UNSUPPORTED);
  g_autoptr (TallOrderList) list = tall_front_list_orders (self->front, CUSTOMER, NULL, NULL);
  g_assert_cmpuint (list->n_entries, ==, N_ORDERS);
}

/* A row that cannot be read stays, and is reported; all else goes. */
static void
test_unreadable (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  TallEraseCounts counts;
  populate (self->front, CUSTOMER);
  tall_fixture_write_state_cell (self, CUSTOMER, ORDER "2", tall_slice_str ("\x7f"));
  must_fail (erase (self->front, &self->clock, &counts, &error), TALL_ERROR_DAMAGED);
  g_assert_cmpuint (counts.n_orders, ==, N_ORDERS - 1);
  g_assert_cmpuint (counts.n_customers, ==, 1);
}

/* The table cannot read the root row of an order: it stays, and all that comes before and behind
 * it goes. */
static void
test_unreadable_row (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_auto (TallOrderKey) key = { 0 };
  g_autoptr (GByteArray) row = g_byte_array_new ();
  TallEraseCounts counts;
  if (kind->key_strategy == &tall_key_numeric)
    return g_test_skip ("the row keys have an id");
  populate (self->front, CUSTOMER);
  tall_order_key_init (&key, kind->key_strategy, CUSTOMER, 0, ORDER "2");
  kind->layout->locate_order (&key, row);
  g_autoptr (TallTable) broken = tall_broken_table_new (self->table);
  tall_broken_table_break (TALL_BROKEN_TABLE (broken), tall_slice_array (row), TALL_ERROR_DAMAGED);
  tall_broken_table_break_scans (TALL_BROKEN_TABLE (broken));
  g_autoptr (TallStore) store = tall_test_open (broken, &self->clock);
  must_fail (erase (TALL_FRONT (store), &self->clock, &counts, &error), TALL_ERROR_DAMAGED,
             "all else is erased");
  g_assert_cmpuint (counts.n_orders, ==, N_ORDERS - 1);
  g_assert_cmpuint (counts.n_customers, ==, 1);
}

/* The same of a hint. */
static void
test_unreadable_hint (TallStoreFixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallEraseCounts counts;
  populate (self->front, CUSTOMER);
  g_autoptr (TallReadResult) result = tall_test_scan (self->table, "index");
  g_assert_cmpuint (result->results[0].n_rows, >, 2);
  g_autoptr (TallTable) broken = tall_broken_table_new (self->table);
  tall_broken_table_break (TALL_BROKEN_TABLE (broken), result->results[0].rows[1].key,
                           TALL_ERROR_DAMAGED);
  tall_broken_table_break_scans (TALL_BROKEN_TABLE (broken));
  g_autoptr (TallStore) store = tall_test_open (broken, &self->clock);
  must_fail (erase (TALL_FRONT (store), &self->clock, &counts, &error), TALL_ERROR_DAMAGED,
             "all else is erased");
  g_assert_cmpuint (counts.n_orders, ==, N_ORDERS);
  g_assert_cmpuint (counts.n_customers, ==, 1);
}

static const TallFailure failures[] = {
  TALL_FAILURE_BEFORE, TALL_FAILURE_PARTLY, TALL_FAILURE_LOST,
  TALL_FAILURE_LATE,   TALL_FAILURE_FALSE,
};

/* One call fails; it is begun again, and what was late comes in between. Returns: whether there was
 * such a call. */
static gboolean
try_failure (const TallStoreKind *kind, guint index, TallFailure failure)
{
  TallTestClock clock = { .now = TALL_TEST_NOW };
  g_autoptr (TallTable) inner = tall_test_table_new (kind->layout, kind->key_strategy);
  g_autoptr (TallTable) table = tall_failing_table_new (inner);
  g_autoptr (TallStore) store = tall_test_open (table, &clock);
  TallFront *front = TALL_FRONT (store);
  TallEraseCounts counts;
  g_autoptr (GError) error = NULL;
  populate (front, CUSTOMER);
  guint n_before = tall_failing_table_count_calls (TALL_FAILING_TABLE (table));
  tall_failing_table_fail_at (TALL_FAILING_TABLE (table), n_before + index, failure);
  gboolean done = erase (front, &clock, &counts, &error);
  g_assert_true (done || tall_error_is_passing (error)
                 || g_error_matches (error, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN));
  guint n_calls = tall_failing_table_count_calls (TALL_FAILING_TABLE (table)) - n_before;
  tall_failing_table_reset (TALL_FAILING_TABLE (table));
  tall_failing_table_deliver_late (TALL_FAILING_TABLE (table));
  if (!done || failure == TALL_FAILURE_LATE)
    {
      g_clear_error (&error);
      done = must (erase (front, &clock, &counts, &error));
    }
  assert_no_text (inner, kind->key_strategy);
  assert_sound (front);
  return n_calls > index;
}

static void
test_failures (TallStoreFixture *self G_GNUC_UNUSED, gconstpointer kind)
{
  for (guint i = 0; i < G_N_ELEMENTS (failures); i++)
    for (guint index = 0; try_failure (kind, index, failures[i]); index++)
      continue;
}

/* Nothing is erased while a migration is under way: it may have copied what goes. Afterwards what
 * it has left is named. */
static void
test_migration (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  TallEraseCounts counts;
  TallTestMove move = {
    .table = self->table, .layout = kind->layout->name, .key_strategy = "hashed", .has_index = TRUE
  };
  populate (self->front, CUSTOMER);
  tall_test_move_go (&move, TALL_TEST_COPYING);
  must_fail (erase (self->front, &self->clock, &counts, &error), TALL_ERROR_CONFLICT);
  g_assert_cmpuint (counts.n_orders, ==, 0);
  tall_test_move_go (&move, TALL_TEST_SWITCHED);
  g_autoptr (TallOrderList) list =
      must (tall_front_list_orders (self->front, CUSTOMER, NULL, &error));
  g_assert_cmpuint (list->n_entries, ==, N_ORDERS);
  erase_all (self, &counts);
  g_assert_cmpuint (counts.n_orders, ==, N_ORDERS);
  tall_test_move_go (&move, TALL_TEST_DROPPED);
  assert_no_text (self->table, &tall_key_hashed);
}

/* A cursor is of the tables that count: after a switch it is refused, and all begins again. */
static void
test_moved_between (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  TallTestMove move = { .table = self->table,
                        .layout = kind->layout->name,
                        .key_strategy = kind->key_strategy->name,
                        .has_index = FALSE };
  populate (self->front, CUSTOMER);
  g_autoptr (TallErasePart) part = go_on (self->front, tall_slice (NULL, 0));
  tall_test_move_go (&move, TALL_TEST_DROPPED);
  g_autoptr (TallOrderList) list = tall_front_list_orders (self->front, CUSTOMER, NULL, NULL);
  assert_refused (self, CUSTOMER, part->cursor);
}

int
main (int argc, char **argv)
{
  static const TallStoreTest everywhere[] = {
    { "everything", test_everything },
    { "again", test_again },
    { "ids", test_ids },
    { "unknown", test_unknown },
    { "listed", test_listed },
    { "writers", test_writers },
    { "left-by-writers", test_left_by_writers },
    { "only-a-hint", test_only_a_hint },
  };
  static const TallStoreTest in_memory[] = {
    { "failures", test_failures },
    { "too-early", test_too_early },
    { "for-ever", test_for_ever },
    { "hostile-cursors", test_hostile_cursors },
    { "collision", test_collision },
    { "read-only", test_read_only },
    { "unreadable", test_unreadable },
    { "unreadable-row", test_unreadable_row },
    { "unreadable-hint", test_unreadable_hint },
    { "migration", test_migration },
    { "moved-between", test_moved_between },
  };
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add_everywhere ("erase", everywhere, G_N_ELEMENTS (everywhere));
  tall_store_fixture_add ("erase", in_memory, G_N_ELEMENTS (in_memory));
  return g_test_run ();
}
