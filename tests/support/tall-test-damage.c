/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-damage.h"

#include "model/canonical.h"
#include "tall-failing-table.h"
#include "store/read/index.h"
#include "store/operation.h"
#include "store/commit/root.h"
#include "tall-test-orders.h"
#include "tall-must.h"

#define LOAD_REVISION 7
#define PUT_REVISION (TALL_TEST_NOW + 2)

static void
apply (TallStoreFixture *self, const TallBatch *batch)
{
  TallMutation *const *mutations = (TallMutation *const *)batch->mutations->pdata;
  must (tall_table_apply (self->table, mutations, batch->mutations->len, TALL_DURABLE,
                          TALL_NO_DEADLINE, &error));
}

static void
put_cell (TallStoreFixture *self,
          const char *table,
          TallSlice row,
          TallSlice qualifier,
          gint64 timestamp,
          TallSlice value)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  tall_mutation_put (batch, tall_batch_add (batch, table, row), qualifier, timestamp, value);
  apply (self, batch);
}

static void
delete_at (TallStoreFixture *self, const char *table, TallSlice row, gint64 timestamp)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  tall_mutation_delete_at (batch, tall_batch_add (batch, table, row), timestamp);
  apply (self, batch);
}

/* Where an order lies. */
typedef struct
{
  TallOrderKey key;
  GByteArray *row;
  const char *table;
} Place;

static void
place_clear (Place *self)
{
  tall_order_key_clear (&self->key);
  g_clear_pointer (&self->row, g_byte_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Place, place_clear)

static void
find_place (TallStoreFixture *self, const char *customer, const char *order, Place *place)
{
  guint64 id = 0;
  must (tall_store_find_id (self->store, customer, &id, &error));
  const TallLayout *layout = tall_store_get_layout (self->store);
  tall_order_key_init (&place->key, tall_store_get_key_strategy (self->store), customer, id, order);
  place->row = g_byte_array_new ();
  place->table = order != NULL ? layout->locate_order (&place->key, place->row)
                               : layout->locate_customer (&place->key, place->row);
}

static TallState
read_state (TallStoreFixture *self, const TallOrder *order)
{
  TallState state;
  g_assert_true (tall_test_read_state (self->store, order->order_number, &state, NULL));
  return state;
}

static gboolean
write_state (TallStoreFixture *self, const TallOrder *order, const TallState *state)
{
  tall_test_write_state (self->store, order->order_number, state,
                         MAX (state->pending, state->revision));
  return TRUE;
}

static void
put_root_cell (TallStoreFixture *self, const TallOrder *order, const char *column, TallSlice value)
{
  g_auto (Place) place = { 0 };
  find_place (self, TALL_TEST_CUSTOMER, order->order_number, &place);
  put_cell (self, place.table, tall_slice_array (place.row), tall_slice_str (column),
            read_state (self, order).revision, value);
}

static gboolean
cut_state (TallStoreFixture *self, const TallStoreKind *kind G_GNUC_UNUSED, TallOrder *order)
{
  put_root_cell (self, order, "s", tall_slice_str ("\x01\x01 cut"));
  return TRUE;
}

/* One bit makes it a deleted order, whose rows nobody needs. */
static gboolean
kill_state (TallStoreFixture *self, const TallStoreKind *kind G_GNUC_UNUSED, TallOrder *order)
{
  TallState state = read_state (self, order);
  state.live = FALSE;
  return write_state (self, order, &state);
}

static gboolean
newer_state (TallStoreFixture *self, const TallStoreKind *kind G_GNUC_UNUSED, TallOrder *order)
{
  put_root_cell (self, order, "s", tall_slice_str ("\x02 whatever it is"));
  return TRUE;
}

static gboolean
newer_schema (TallStoreFixture *self, const TallStoreKind *kind G_GNUC_UNUSED, TallOrder *order)
{
  TallState state = read_state (self, order);
  state.schema = 99;
  state.digest[0] ^= 1;
  return write_state (self, order, &state);
}

static gboolean
lose_state (TallStoreFixture *self, const TallStoreKind *kind, TallOrder *order)
{
  g_auto (Place) place = { 0 };
  g_autoptr (TallBatch) batch = tall_batch_new ();
  find_place (self, TALL_TEST_CUSTOMER, order->order_number, &place);
  TallMutation *root = tall_batch_add (batch, place.table, tall_slice_array (place.row));
  kind->layout->append_root (order, tall_order_to_canonical (order, batch->arena), PUT_REVISION,
                             batch, root);
  tall_mutation_put (batch, root, TALL_SUMMARY_QUALIFIER, PUT_REVISION,
                     tall_order_to_summary (order, batch->arena));
  apply (self, batch);
  return TRUE;
}

static gboolean
spoil_summary (TallStoreFixture *self, const TallStoreKind *kind G_GNUC_UNUSED, TallOrder *order)
{
  put_root_cell (self, order, "summary", tall_slice_str ("\xff\xff"));
  return TRUE;
}

static gboolean
put_summary_of (TallStoreFixture *self, const TallOrder *order, const TallOrder *other)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  put_root_cell (self, order, "summary", tall_order_to_summary (other, arena));
  return TRUE;
}

static gboolean
change_summary (TallStoreFixture *self, const TallStoreKind *kind G_GNUC_UNUSED, TallOrder *order)
{
  g_autoptr (TallOrder) other = tall_test_marked_order (order->order_number, 7, 7, 3);
  return put_summary_of (self, order, other);
}

static gboolean
change_owner (TallStoreFixture *self, const TallStoreKind *kind G_GNUC_UNUSED, TallOrder *order)
{
  g_autoptr (TallOrder) other = tall_test_marked_order ("somebody-else", 1, 1, 2);
  return put_summary_of (self, order, other);
}

/* All rows of the order, by the reads of the layout's plan. */
static TallReadResult *
read_rows (TallStoreFixture *self, const TallOrderKey *key, TallReadPlan *plan)
{
  tall_store_get_layout (self->store)->plan_order (key, plan);
  return must (tall_table_read (self->table, plan, TALL_NO_DEADLINE, &error));
}

/* The last row, that of a line where lines have rows, and its table. */
static const TallRow *
find_last_row (const TallReadPlan *plan, const TallReadResult *result, const char **table)
{
  const TallRows *rows = &result->results[result->n_results - 1];
  *table = tall_read_plan_get (plan, result->n_results - 1)->table;
  return &rows->rows[rows->n_rows - 1];
}

static gboolean
spoil_cell (TallStoreFixture *self, const TallStoreKind *kind G_GNUC_UNUSED, TallOrder *order)
{
  const char *table;
  g_auto (Place) place = { 0 };
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  find_place (self, TALL_TEST_CUSTOMER, order->order_number, &place);
  g_autoptr (TallReadResult) result = read_rows (self, &place.key, plan);
  const TallRow *row = find_last_row (plan, result, &table);
  put_cell (self, table, row->key, row->cells[0].qualifier, row->cells[0].timestamp,
            tall_slice_str ("\xff\xff\xff"));
  return TRUE;
}

static gboolean
lose_row (TallStoreFixture *self, const TallStoreKind *kind, TallOrder *order)
{
  const char *table;
  g_auto (Place) place = { 0 };
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  find_place (self, TALL_TEST_CUSTOMER, order->order_number, &place);
  g_autoptr (TallReadResult) result = read_rows (self, &place.key, plan);
  const TallRow *row = find_last_row (plan, result, &table);
  if (!kind->layout->single_row)
    delete_at (self, table, row->key, row->cells[0].timestamp);
  return !kind->layout->single_row;
}

static gboolean
count_more (TallStoreFixture *self, const TallStoreKind *kind G_GNUC_UNUSED, TallOrder *order)
{
  TallState state = read_state (self, order);
  state.n_lines++;
  return write_state (self, order, &state);
}

static gboolean
count_less (TallStoreFixture *self, const TallStoreKind *kind G_GNUC_UNUSED, TallOrder *order)
{
  TallState state = read_state (self, order);
  state.n_lines--;
  return write_state (self, order, &state);
}

static gboolean
change_content (TallStoreFixture *self, const TallStoreKind *kind, TallOrder *order)
{
  g_auto (Place) place = { 0 };
  g_autoptr (TallBatch) batch = tall_batch_new ();
  find_place (self, TALL_TEST_CUSTOMER, order->order_number, &place);
  order->currency = tall_arena_strdup (tall_order_get_arena (order), "changed");
  TallMutation *root = tall_batch_add (batch, place.table, tall_slice_array (place.row));
  kind->layout->append_root (order, tall_order_to_canonical (order, batch->arena),
                             read_state (self, order).revision, batch, root);
  apply (self, batch);
  return TRUE;
}

static gboolean
change_date (TallStoreFixture *self, const TallStoreKind *kind G_GNUC_UNUSED, TallOrder *order)
{
  TallState state = read_state (self, order);
  state.sales_date = 86400000;
  return write_state (self, order, &state);
}

static gboolean
leave_claim (TallStoreFixture *self, const TallStoreKind *kind G_GNUC_UNUSED, TallOrder *order)
{
  TallState state = read_state (self, order);
  state.pending = state.revision + 10;
  memset (state.pending_token + 8, 0x80, 8);
  return write_state (self, order, &state);
}

/* A claim is always later than what is committed. */
static gboolean
claim_committed (TallStoreFixture *self, const TallStoreKind *kind G_GNUC_UNUSED, TallOrder *order)
{
  TallState state = read_state (self, order);
  state.pending = state.revision;
  return write_state (self, order, &state);
}

static gboolean
leave_cells (TallStoreFixture *self, const TallOrder *order, gint64 distance)
{
  const char *table;
  g_auto (Place) place = { 0 };
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  find_place (self, TALL_TEST_CUSTOMER, order->order_number, &place);
  g_autoptr (TallReadResult) result = read_rows (self, &place.key, plan);
  const TallRow *row = find_last_row (plan, result, &table);
  put_cell (self, table, row->key, row->cells[0].qualifier,
            read_state (self, order).revision + distance, row->cells[0].value);
  return TRUE;
}

/* What the writer of the claim has written belongs to it. */
static gboolean
leave_claim_and_cells (TallStoreFixture *self, const TallStoreKind *kind, TallOrder *order)
{
  return leave_claim (self, kind, order) && leave_cells (self, order, 10);
}

static gboolean
leave_old (TallStoreFixture *self, const TallStoreKind *kind G_GNUC_UNUSED, TallOrder *order)
{
  return leave_cells (self, order, -2);
}

static gboolean
leave_new (TallStoreFixture *self, const TallStoreKind *kind G_GNUC_UNUSED, TallOrder *order)
{
  return leave_cells (self, order, 100000);
}

static gboolean
put_children (TallStoreFixture *self, const TallOrder *order, gint64 revision)
{
  const TallLayout *layout = tall_store_get_layout (self->store);
  g_auto (Place) place = { 0 };
  g_autoptr (TallBatch) batch = tall_batch_new ();
  if (layout->single_row)
    return FALSE;
  find_place (self, TALL_TEST_CUSTOMER, order->order_number, &place);
  layout->append_children (&place.key, order, revision, batch);
  apply (self, batch);
  return TRUE;
}

static gboolean
leave_orphans (TallStoreFixture *self, const TallStoreKind *kind G_GNUC_UNUSED, TallOrder *order)
{
  return put_children (self, order, LOAD_REVISION);
}

static gboolean
lose_root (TallStoreFixture *self, const TallStoreKind *kind G_GNUC_UNUSED, TallOrder *order)
{
  return put_children (self, order, PUT_REVISION);
}

static void
append_hint_row (const Place *place, gint64 date, GByteArray *row)
{
  tall_index_append_row (place->key.customer, date, row);
  tall_bytes_append (row, place->key.order);
}

static gboolean
put_hint (
    TallStoreFixture *self, const TallOrder *order, gint64 date, gint64 timestamp, const char *text)
{
  g_auto (Place) place = { 0 };
  g_autoptr (GByteArray) row = g_byte_array_new ();
  find_place (self, TALL_TEST_CUSTOMER, order->order_number, &place);
  append_hint_row (&place, date, row);
  put_cell (self, TALL_INDEX_TABLE, tall_slice_array (row), TALL_INDEX_QUALIFIER, timestamp,
            tall_slice_str (text));
  return TRUE;
}

static gboolean
lose_hint (TallStoreFixture *self, const TallStoreKind *kind G_GNUC_UNUSED, TallOrder *order)
{
  g_auto (Place) place = { 0 };
  g_autoptr (GByteArray) row = g_byte_array_new ();
  TallState state = read_state (self, order);
  find_place (self, TALL_TEST_CUSTOMER, order->order_number, &place);
  append_hint_row (&place, state.sales_date, row);
  delete_at (self, TALL_INDEX_TABLE, tall_slice_array (row), state.revision);
  return TRUE;
}

static TallFailure
swallow_hint (TallFailingTable *table G_GNUC_UNUSED,
              const TallCall *call,
              gpointer data G_GNUC_UNUSED)
{
  for (guint i = 0; i < call->n_mutations; i++)
    if (g_str_equal (call->mutations[i]->table, TALL_INDEX_TABLE))
      call->mutations[i]->changes[0] = (TallChange){ TALL_CHANGE_DELETE_AT, 1, { 0 }, { 0 } };
  return TALL_FAILURE_NONE;
}

/* No marker hides what is written in the place of the hint. */
static gboolean
forget_hint (TallStoreFixture *self, const TallStoreKind *kind G_GNUC_UNUSED, TallOrder *order)
{
  g_autoptr (TallTable) table = tall_failing_table_new (self->table);
  g_autoptr (TallStore) store = tall_test_open (table, &self->clock);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), swallow_hint, NULL, NULL);
  return must (tall_front_put_order (TALL_FRONT (store), order, NULL, NULL, &error));
}

static gboolean
hint_at_nothing (TallStoreFixture *self, const TallStoreKind *kind G_GNUC_UNUSED, TallOrder *order)
{
  return put_hint (self, order, 86400000, PUT_REVISION, order->order_number);
}

static gboolean
hint_at_another_date (TallStoreFixture *self,
                      const TallStoreKind *kind G_GNUC_UNUSED,
                      TallOrder *order)
{
  return put_hint (self, order, -86400000, read_state (self, order).revision + 50,
                   order->order_number);
}

static gboolean
change_hint (TallStoreFixture *self, const TallStoreKind *kind G_GNUC_UNUSED, TallOrder *order)
{
  TallState state = read_state (self, order);
  return put_hint (self, order, state.sales_date, state.revision, "not this one");
}

static gboolean
put_id (TallStoreFixture *self, const TallStoreKind *kind, TallSlice row, TallSlice value)
{
  if (kind->key_strategy->needs_id)
    put_cell (self, TALL_IDS_TABLE, row, tall_slice_str ("v"), 1, value);
  return kind->key_strategy->needs_id;
}

static gboolean
half_there (TallStoreFixture *self, const TallStoreKind *kind, TallOrder *order G_GNUC_UNUSED)
{
  return put_id (self, kind, tall_slice_str ("nHALF"), tall_slice ("\0\0\0\0\0\0\1\1", 8));
}

static gboolean
half_back (TallStoreFixture *self, const TallStoreKind *kind, TallOrder *order G_GNUC_UNUSED)
{
  return put_id (self, kind, tall_slice ("i\0\0\0\0\0\0\2\2", 9), tall_slice_str ("OTHER HALF"));
}

static gboolean
wrong_back (TallStoreFixture *self, const TallStoreKind *kind, TallOrder *order G_GNUC_UNUSED)
{
  return put_id (self, kind, tall_slice_str ("nWRONG"), tall_slice ("\0\0\0\0\0\0\0\1", 8));
}

static gboolean
stray_row (TallStoreFixture *self, const TallStoreKind *kind, TallOrder *order G_GNUC_UNUSED)
{
  put_cell (self, kind->layout->tables[0].name, tall_slice ("\x01", 1), tall_slice_str ("x"),
            PUT_REVISION, tall_slice_str ("\x1b[2J"));
  return TRUE;
}

static gboolean
stray_hint (TallStoreFixture *self,
            const TallStoreKind *kind G_GNUC_UNUSED,
            TallOrder *order G_GNUC_UNUSED)
{
  put_cell (self, TALL_INDEX_TABLE, tall_slice ("\x02", 1), tall_slice_str ("x"), PUT_REVISION,
            tall_slice_str ("y"));
  return TRUE;
}

/* A customer with other fields than were stored. */
static gboolean
change_customer (TallStoreFixture *self, const TallStoreKind *kind, TallOrder *order)
{
  gint64 revision;
  g_auto (Place) place = { 0 };
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_autoptr (TallCustomer) customer = tall_test_plain_customer (order->order_number);
  must (tall_front_put_customer (self->front, customer, NULL, &revision, &error));
  find_place (self, order->order_number, NULL, &place);
  customer->name = tall_arena_strdup (tall_customer_get_arena (customer), "changed");
  kind->layout->append_customer (customer, tall_customer_to_canonical (customer, batch->arena),
                                 revision, batch,
                                 tall_batch_add (batch, place.table, tall_slice_array (place.row)));
  apply (self, batch);
  return TRUE;
}

static gboolean
leave_customer_cell (TallStoreFixture *self,
                     const TallStoreKind *kind G_GNUC_UNUSED,
                     TallOrder *order)
{
  gint64 revision;
  g_auto (Place) place = { 0 };
  g_autoptr (TallCustomer) customer = tall_test_plain_customer (order->order_number);
  must (tall_front_put_customer (self->front, customer, NULL, &revision, &error));
  find_place (self, order->order_number, NULL, &place);
  put_cell (self, place.table, tall_slice_array (place.row), tall_slice_str ("old"), revision - 4,
            tall_slice_str ("x"));
  return TRUE;
}

static const TallTestDamage damages[] = {
  { "cut-state", TALL_FINDING_ALTERED_STATE, cut_state },
  { "killed-state", TALL_FINDING_ALTERED_STATE, kill_state },
  { "newer-state", TALL_FINDING_NEWER_VERSION, newer_state },
  { "newer-schema", TALL_FINDING_NEWER_VERSION, newer_schema },
  { "never-a-state", TALL_FINDING_NO_STATE, lose_state },
  { "spoilt-summary", TALL_FINDING_NO_SUMMARY, spoil_summary },
  { "changed-summary", TALL_FINDING_ALTERED_SUMMARY, change_summary },
  { "changed-owner", TALL_FINDING_WRONG_KEY, change_owner },
  { "spoilt-cell", TALL_FINDING_UNREADABLE, spoil_cell },
  { "lost-row", TALL_FINDING_MISSING_ROWS, lose_row },
  { "counted-more", TALL_FINDING_MISSING_ROWS, count_more },
  { "counted-less", TALL_FINDING_SURPLUS_ROWS, count_less },
  { "changed-content", TALL_FINDING_ALTERED_CONTENT, change_content },
  { "changed-date", TALL_FINDING_ALTERED_DATE, change_date },
  { "claimed-committed", TALL_FINDING_ALTERED_STATE, claim_committed },
  { "left-claim", TALL_FINDING_STALE_CLAIM, leave_claim },
  { "left-claim-and-cells", TALL_FINDING_STALE_CLAIM, leave_claim_and_cells },
  { "left-old-cells", TALL_FINDING_LEFTOVER, leave_old },
  { "left-new-cells", TALL_FINDING_LEFTOVER, leave_new },
  { "never-loaded", TALL_FINDING_ORPHAN, leave_orphans },
  { "never-a-root", TALL_FINDING_LOST_ROOT, lose_root },
  { "lost-hint", TALL_FINDING_MISSING_HINT, lose_hint },
  { "never-hinted", TALL_FINDING_MISSING_HINT, forget_hint },
  { "never-hinted-at", TALL_FINDING_DANGLING_HINT, hint_at_nothing },
  { "another-date", TALL_FINDING_DANGLING_HINT, hint_at_another_date },
  { "changed-hint", TALL_FINDING_ALTERED_HINT, change_hint },
  { "never-id-there", TALL_FINDING_HALF_ID, half_there },
  { "never-id-back", TALL_FINDING_HALF_ID, half_back },
  { "never-id-wrong", TALL_FINDING_ALTERED_ID, wrong_back },
  { "never-stray-row", TALL_FINDING_STRAY_ROW, stray_row },
  { "never-stray-hint", TALL_FINDING_STRAY_ROW, stray_hint },
  { "never-customer", TALL_FINDING_ALTERED_CONTENT, change_customer },
  { "never-customer-cell", TALL_FINDING_LEFTOVER, leave_customer_cell },
};

const TallTestDamage *
tall_test_damages (guint *n)
{
  *n = G_N_ELEMENTS (damages);
  return damages;
}

/**
 * tall_test_damage_order:
 *
 * Returns: (transfer full): the order that it damages: one of customer VINET with the damage's name
 */
TallOrder *
tall_test_damage_order (const TallTestDamage *damage)
{
  TallOrder *order = tall_test_marked_order (damage->name, 1, 1, 2);
  order->has_sales_date = TRUE;
  order->sales_date = TALL_TEST_NOW - 1000;
  return order;
}

/**
 * tall_test_damage_do:
 *
 * Stores the order, if there is to be one, and damages it.
 *
 * Returns: FALSE if there is no such damage in the fixture's deployment
 */
gboolean
tall_test_damage_do (const TallTestDamage *damage,
                     TallStoreFixture *fixture,
                     const TallStoreKind *kind)
{
  g_autoptr (TallOrder) order = tall_test_damage_order (damage);
  if (!g_str_has_prefix (damage->name, "never"))
    tall_fixture_put (fixture, order, NULL);
  return damage->damage (fixture, kind, order);
}
