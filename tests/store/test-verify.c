/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-broken-table.h"
#include "tall-error.h"
#include "store/read/ids.h"
#include "store/read/index.h"
#include "tall-test-cells.h"
#include "tall-test-damage.h"
#include "tall-test-dump.h"
#include "tall-test-mending.h"
#include "tall-test-orders.h"
#include "tall-must.h"

/* Whatever is wrong is found, as what it is, and nothing else; and nothing is changed. */

/* What a verification has found, as “kind table row” lines. */
typedef struct
{
  GPtrArray *lines;
  guint n_for_person;
} Found;

static void
on_finding (const TallFinding *finding, gpointer data)
{
  Found *self = data;
  const TallFindingInfo *info = tall_finding_kind_info (finding->kind);
  g_autofree char *row = tall_slice_to_debug (finding->row);
  g_assert_cmpuint (finding->n_rows, >, 0);
  g_assert_true (g_utf8_validate (finding->message, -1, NULL));
  self->n_for_person += info->needs_person;
  g_ptr_array_add (self->lines, g_strdup_printf ("%s %s %s", info->name, finding->table, row));
}

static GPtrArray *
verify (TallFront *front, const TallVerifyOptions *wanted, TallVerifySummary *summary)
{
  Found found = { .lines = g_ptr_array_new_with_free_func (g_free) };
  TallVerifyOptions options = *wanted;
  options.on_finding = on_finding;
  options.data = &found;
  must (tall_front_verify (front, &options, summary, &error));
  g_assert_cmpuint (summary->n_findings, ==, found.lines->len);
  g_assert_cmpuint (summary->n_for_person, ==, found.n_for_person);
  return found.lines;
}

static void
expect_sound (TallFront *front, guint64 n_orders, guint64 n_customers)
{
  TallVerifySummary summary;
  g_autoptr (GPtrArray) lines = verify (front, &(TallVerifyOptions){ 0 }, &summary);
  if (lines->len > 0)
    g_error ("found: %s", (const char *)g_ptr_array_index (lines, 0));
  g_assert_true (summary.is_whole);
  g_assert_cmpuint (summary.n_orders, ==, n_orders);
  g_assert_cmpuint (summary.n_customers, ==, n_customers);
}

/* Random orders, each of another customer, of which some are replaced and some deleted. */
static void
fill (TallStoreFixture *self, guint n)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  g_autoptr (GHashTable) met = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < n; i = g_hash_table_size (met))
    {
      g_autoptr (TallOrder) order = tall_test_random_order (rand, 20);
      if (!g_hash_table_add (met, g_strdup (order->customer_number)))
        continue;
      g_autoptr (TallOrder) again = tall_test_random_order (rand, 5);
      g_autoptr (TallCustomer) customer = tall_test_plain_customer (order->customer_number);
      tall_fixture_put (self, order, NULL);
      must (tall_front_put_customer (self->front, customer, NULL, NULL, &error));
      again->customer_number = order->customer_number;
      again->order_number = order->order_number;
      if (i % 3 == 0)
        tall_fixture_put (self, again, NULL);
      if (i % 4 == 0)
        must (tall_front_delete_order (self->front, order->customer_number, order->order_number,
                                       NULL, &error));
    }
}

static void
test_sound (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  expect_sound (self->front, 0, 0);
  fill (self, 20);
  expect_sound (self->front, 20, 20);
  g_assert_cmpuint (self->clock.n_sleeps, ==, 0);
}

static void
test_damage (TallStoreFixture *self, gconstpointer data)
{
  guint n;
  const TallTestDamage *damages = tall_test_damages (&n);
  const TallStoreKind *kind = data;
  g_autoptr (TallOrder) sound = tall_test_marked_order ("sound", 1, 1, 3);
  g_autoptr (GHashTable) before = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  tall_fixture_put (self, sound, NULL);
  for (guint i = 0; i < n; i++)
    {
      TallVerifySummary summary;
      guint n_new = 0;
      gboolean damaged = tall_test_damage_do (&damages[i], self, kind);
      g_autofree char *rows = tall_test_dump (self->table);
      g_autoptr (GPtrArray) lines = verify (self->front, &(TallVerifyOptions){ 0 }, &summary);
      g_autofree char *same = tall_test_dump (self->table);
      g_assert_cmpstr (same, ==, rows);
      g_assert_true (summary.is_whole);
      for (guint j = 0; j < lines->len; j++)
        {
          const char *line = g_ptr_array_index (lines, j);
          const char *name = tall_finding_kind_info (damages[i].kind)->name;
          if (!g_hash_table_add (before, g_strdup (line)))
            continue;
          n_new++;
          if (!g_str_has_prefix (line, name) || line[strlen (name)] != ' ')
            g_error ("%s is found as %s", damages[i].name, line);
        }
      if (n_new != (guint)damaged || lines->len != g_hash_table_size (before))
        g_error ("%s: %u new findings, %u of %u", damages[i].name, n_new, lines->len,
                 g_hash_table_size (before));
    }
}

/* Only the rows of one customer; a sample of them; and as slowly as is asked for. */
static void
test_parts (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  TallVerifySummary summary;
  fill (self, 60);
  g_autoptr (TallOrder) order = tall_test_marked_order (TALL_TEST_ORDER, 1, 1, 3);
  tall_fixture_put (self, order, NULL);
  TallVerifyOptions one = { .customer_number = TALL_TEST_CUSTOMER };
  g_autoptr (GPtrArray) of_one = verify (self->front, &one, &summary);
  g_assert_cmpuint (of_one->len, ==, 0);
  g_assert_cmpuint (summary.n_orders, ==, 1);
  g_assert_cmpuint (summary.n_customers, ==, 0);
  g_assert_cmpuint (summary.n_hints, ==, 1);
  g_assert_cmpuint (summary.n_ids, ==, 0);

  TallVerifyOptions some = { .sample = 30 };
  g_autoptr (GPtrArray) of_some = verify (self->front, &some, &summary);
  g_assert_cmpuint (of_some->len, ==, 0);
  g_assert_cmpuint (summary.n_orders, >, 0);
  g_assert_cmpuint (summary.n_orders, <, 61);

  gint64 begun = self->clock.monotonic;
  TallVerifyOptions slow = { .rate = 10 };
  g_autoptr (GPtrArray) of_slow = verify (self->front, &slow, &summary);
  g_assert_cmpint (self->clock.monotonic - begun, >=,
                   61 * G_USEC_PER_SEC / 10 - G_USEC_PER_SEC / 5);

  must_fail (tall_front_verify (self->front, &(TallVerifyOptions){ .sample = 100 }, &summary,
                                &error),
             TALL_ERROR_INVALID);
}

/* A customer is in the sample with all orders, or with none, however many pages they fill. */
static void
test_sample (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  for (guint i = 0; i < 40; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      g_autoptr (TallOrder) order = tall_test_marked_order (number, 1, 1, 1);
      tall_fixture_put (self, order, NULL);
    }
  for (guint i = 0; i < 20; i++)
    {
      TallVerifySummary summary;
      TallVerifyOptions half = { .sample = 50 };
      g_autoptr (GPtrArray) lines = verify (self->front, &half, &summary);
      g_assert_true (summary.n_orders == 0 || summary.n_orders == 40);
    }
}

/* What a writer has not finished may look like these. */
static const char *const unfinished[] = { "left-claim", "left-old-cells", "lost-hint" };

/* What a writer does while the verification waits before it looks again. */
static void
put_again (gpointer data)
{
  TallStoreFixture *self = data;
  self->clock.on_sleep = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (unfinished); i++)
    {
      g_autoptr (TallOrder) order = tall_test_damage_order (tall_test_damage_find (unfinished[i]));
      order->currency = tall_arena_strdup (tall_order_get_arena (order), "EUR");
      tall_fixture_put (self, order, NULL);
    }
}

/* Claims, rows and hints of writers that finish in time are not reported. */
static void
test_writers (TallStoreFixture *self, gconstpointer data)
{
  TallVerifySummary summary;
  for (guint i = 0; i < G_N_ELEMENTS (unfinished); i++)
    tall_test_damage_do (tall_test_damage_find (unfinished[i]), self, data);
  self->clock.on_sleep = put_again;
  self->clock.data = self;
  g_autoptr (GPtrArray) lines = verify (self->front, &(TallVerifyOptions){ 0 }, &summary);
  if (lines->len > 0)
    g_error ("found: %s", (const char *)g_ptr_array_index (lines, 0));
  g_assert_null (self->clock.on_sleep);
  g_assert_cmpint (self->clock.monotonic, >=, 11 * G_USEC_PER_SEC);
}

/* Another claim each time: somebody writes all the while. */
static void
claim_again (gpointer data)
{
  TallState state;
  TallStoreFixture *self = data;
  g_assert_true (tall_test_read_state (self->store, "left-claim", &state, NULL));
  state.pending += 2;
  tall_test_write_state (self->store, "left-claim", &state, state.pending);
}

static void
test_busy (TallStoreFixture *self, gconstpointer data)
{
  TallVerifySummary summary;
  gint64 begun = self->clock.monotonic;
  tall_test_damage_do (tall_test_damage_find ("left-claim"), self, data);
  self->clock.on_sleep = claim_again;
  self->clock.data = self;
  g_autoptr (GPtrArray) lines = verify (self->front, &(TallVerifyOptions){ 0 }, &summary);
  gint64 waited = self->clock.monotonic - begun;
  g_assert_cmpuint (lines->len, ==, 0);
  g_assert_cmpuint (summary.n_busy, ==, 1);
  g_assert_false (summary.is_whole);
  g_assert_cmpint (waited, >=, 4 * TALL_VERIFY_PATIENCE);
  g_assert_cmpint (waited, <, 5 * TALL_VERIFY_PATIENCE);
}

/* Where claims are respected for longer than usual, so is what looks like one that was left. */
static void
test_patience (TallStoreFixture *self, gconstpointer data)
{
  TallVerifySummary summary;
  gint64 begun = self->clock.monotonic;
  tall_test_damage_do (tall_test_damage_find ("left-claim"), self, data);
  self->clock.patience = 2 * TALL_VERIFY_PATIENCE;
  g_autoptr (TallStore) store = tall_test_open (self->table, &self->clock);
  g_autoptr (GPtrArray) lines = verify (TALL_FRONT (store), &(TallVerifyOptions){ 0 }, &summary);
  g_assert_cmpuint (lines->len, ==, 1);
  g_assert_cmpint (self->clock.monotonic - begun, >=, 2 * TALL_VERIFY_PATIENCE);
}

/* A table in which the row in the middle of @name cannot be read. */
static TallTable *
break_half_way (TallStoreFixture *self, const char *name)
{
  g_autoptr (TallReadResult) result = tall_test_scan (self->table, name);
  const TallRows *rows = &result->results[0];
  g_autoptr (TallTable) table = tall_broken_table_new (self->table);
  tall_broken_table_break (TALL_BROKEN_TABLE (table), rows->rows[rows->n_rows / 2].key,
                           TALL_ERROR_DAMAGED);
  tall_broken_table_break_scans (TALL_BROKEN_TABLE (table));
  return g_steal_pointer (&table);
}

static void
check_unreadable (TallStoreFixture *self, const char *name)
{
  TallVerifySummary summary;
  g_autoptr (TallTable) table = break_half_way (self, name);
  g_autoptr (TallStore) store = tall_test_open (table, &self->clock);
  g_autoptr (GPtrArray) lines = verify (TALL_FRONT (store), &(TallVerifyOptions){ 0 }, &summary);
  g_autofree char *wanted = g_strdup_printf ("unreadable-table %s ", name);
  if (lines->len != 1 || !g_str_has_prefix (g_ptr_array_index (lines, 0), wanted))
    g_error ("%s: %u findings, %s", name, lines->len,
             lines->len > 0 ? (const char *)g_ptr_array_index (lines, 0) : "none");
  g_assert_false (summary.is_whole);
  g_assert_cmpuint (summary.n_orders, >=, 99); /* all but the one to which the row belongs */
  g_assert_cmpuint (summary.n_hints, >=, 74);
}

/* A row that the table itself cannot read is found, and all others are looked at. What belongs to
 * it in another table does not look lost. */
static void
test_unreadable (TallStoreFixture *self, gconstpointer data)
{
  const TallLayoutTable *table = ((const TallStoreKind *)data)->layout->tables;
  fill (self, 100);
  for (; table->name != NULL; table++)
    check_unreadable (self, table->name);
}

/* A hint that the table itself cannot read: the orders and all other tables are looked at. */
static void
test_unreadable_hint (TallStoreFixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallVerifySummary summary;
  fill (self, 100);
  g_autoptr (TallTable) table = break_half_way (self, TALL_INDEX_TABLE);
  g_autoptr (TallStore) store = tall_test_open (table, &self->clock);
  g_autoptr (GPtrArray) lines = verify (TALL_FRONT (store), &(TallVerifyOptions){ 0 }, &summary);
  g_assert_cmpuint (lines->len, ==, 2); /* from the orders, and from the hints */
  for (guint i = 0; i < lines->len; i++)
    g_assert_true (
        g_str_has_prefix (g_ptr_array_index (lines, i), "unreadable-table " TALL_INDEX_TABLE " "));
  g_assert_false (summary.is_whole);
  g_assert_cmpuint (summary.n_orders, ==, 100);
  g_assert_cmpuint (summary.n_hints, ==, 74); /* each fourth order has no date, and no hint */
}

/* A customer's id that is found from the other side only: its orders lie where they belong. */
static void
test_lost_id (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  if (!kind->key_strategy->needs_id)
    return g_test_skip ("customers have no ids");
  TallVerifySummary summary;
  g_autoptr (TallOrder) order = tall_test_marked_order (TALL_TEST_ORDER, 1, 1, 3);
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation =
      tall_batch_add (batch, TALL_IDS_TABLE, tall_slice_str ("n" TALL_TEST_CUSTOMER));
  tall_fixture_put (self, order, NULL);
  tall_mutation_delete_up_to (batch, mutation, TALL_IDS_TIMESTAMP);
  must (tall_table_apply (self->table, &mutation, 1, TALL_DURABLE, TALL_NO_DEADLINE, &error));

  g_autoptr (TallStore) other = tall_test_open (self->table, &self->clock);
  g_autoptr (GPtrArray) lines = verify (TALL_FRONT (other), &(TallVerifyOptions){ 0 }, &summary);
  if (lines->len != 1 || !g_str_has_prefix (g_ptr_array_index (lines, 0), "half-id ids "))
    g_error ("%u findings, %s", lines->len,
             lines->len > 0 ? (const char *)g_ptr_array_index (lines, 0) : "none");
}

/* Two processes gave the customer an id at the same time: the one that lost is wasted. */
static void
test_wasted_id (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  if (!kind->key_strategy->needs_id)
    return;
  g_autoptr (TallOrder) order = tall_test_marked_order (TALL_TEST_ORDER, 1, 1, 3);
  tall_fixture_put (self, order, NULL);
  tall_test_put (self->table, TALL_IDS_TABLE, tall_slice ("i\0\0\0\0\0\0\2\2", 9),
                 (TallCell){ TALL_IDS_QUALIFIER, TALL_IDS_TIMESTAMP,
                             tall_slice_str (TALL_TEST_CUSTOMER) });
  expect_sound (self->front, 1, 0);
}

/* A claim lies at the timestamp of the revision that it announces; any other is not a claim. */
static void
test_moved_claim (TallStoreFixture *self, gconstpointer data)
{
  TallState state;
  TallVerifySummary summary;
  tall_test_damage_do (tall_test_damage_find ("left-claim"), self, data);
  g_assert_true (tall_test_read_state (self->store, "left-claim", &state, NULL));
  tall_test_write_state (self->store, "left-claim", &state, state.pending + 2);
  g_autoptr (GPtrArray) lines = verify (self->front, &(TallVerifyOptions){ 0 }, &summary);
  g_assert_cmpuint (lines->len, ==, 1);
  g_assert_true (g_str_has_prefix (g_ptr_array_index (lines, 0), "altered-state "));
}

/* Nobody can read where the ids of a customer lead to: only that is found. */
static void
test_unreadable_ids (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  TallVerifySummary summary;
  if (!kind->key_strategy->needs_id)
    return;
  g_autoptr (TallOrder) order = tall_test_marked_order (TALL_TEST_ORDER, 1, 1, 3);
  tall_fixture_put (self, order, NULL);
  g_autoptr (TallTable) there = tall_broken_table_new (self->table);
  g_autoptr (TallTable) both = tall_broken_table_new (there);
  tall_broken_table_break (TALL_BROKEN_TABLE (there), tall_slice_str ("n" TALL_TEST_CUSTOMER),
                           TALL_ERROR_DAMAGED);
  tall_broken_table_break (TALL_BROKEN_TABLE (both), tall_slice ("i\0\0\0\0\0\0\0\1", 9),
                           TALL_ERROR_DAMAGED);
  tall_broken_table_break_scans (TALL_BROKEN_TABLE (both));
  g_autoptr (TallStore) store = tall_test_open (both, &self->clock);
  g_autoptr (GPtrArray) lines = verify (TALL_FRONT (store), &(TallVerifyOptions){ 0 }, &summary);
  g_assert_cmpuint (lines->len, ==, 1);
  g_assert_true (g_str_has_prefix (g_ptr_array_index (lines, 0), "unreadable-table ids "));
  g_assert_cmpuint (summary.n_orders, ==, 1);
  g_assert_false (summary.is_whole);
}

/* A process that is alone does not wait. */
static void
test_alone (TallStoreFixture *self, gconstpointer data)
{
  guint n;
  TallVerifySummary summary;
  const TallTestDamage *damages = tall_test_damages (&n);
  tall_test_damage_do (&damages[0], self, data);
  g_autoptr (GPtrArray) lines =
      verify (self->front, &(TallVerifyOptions){ .alone = TRUE }, &summary);
  g_assert_cmpuint (lines->len, ==, 1);
  g_assert_cmpuint (self->clock.n_sleeps, ==, 0);
}

static gboolean
stop (const TallVerifySummary *summary G_GNUC_UNUSED, gpointer data G_GNUC_UNUSED)
{
  return FALSE;
}

static void
test_stopped (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  TallVerifySummary summary;
  TallVerifyOptions options = { .on_progress = stop };
  fill (self, 3);
  must (tall_front_verify (self->front, &options, &summary, &error));
  g_assert_false (summary.is_whole);
  g_assert_cmpuint (summary.n_orders, ==, 0);
}

static void
test_kinds (void)
{
  guint n;
  gboolean put_in[TALL_N_FINDING_KINDS] = { FALSE };
  const TallTestDamage *damages = tall_test_damages (&n);
  for (guint i = 0; i < n; i++)
    put_in[damages[i].kind] = TRUE;
  for (guint i = 0; i < TALL_N_FINDING_KINDS; i++)
    {
      const TallFindingInfo *info = tall_finding_kind_info (i);
      g_assert_cmpint (strlen (info->name), >, 0);
      g_assert_cmpint (strlen (info->meaning), >, 0);
      g_assert_cmpint (strlen (info->remedy), >, 0);
      g_assert_true (put_in[i] || i == TALL_FINDING_UNREADABLE_TABLE
                     || tall_finding_kind_is_note (i));
      g_assert_false (tall_finding_kind_is_note (i) && info->needs_person);
    }
}

int
main (int argc, char **argv)
{
  static const TallStoreTest everywhere[] = {
    { "damage", test_damage },
    { "sound", test_sound },
  };
  static const TallStoreTest in_memory[] = {
    { "alone", test_alone },
    { "stopped", test_stopped },
    { "parts", test_parts },
    { "sample", test_sample },
    { "writers", test_writers },
    { "busy", test_busy },
    { "patience", test_patience },
    { "unreadable", test_unreadable },
    { "unreadable-hint", test_unreadable_hint },
    { "lost-id", test_lost_id },
    { "wasted-id", test_wasted_id },
    { "moved-claim", test_moved_claim },
    { "unreadable-ids", test_unreadable_ids },
  };
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/verify/kinds", test_kinds);
  tall_store_fixture_add_everywhere ("verify", everywhere, G_N_ELEMENTS (everywhere));
  tall_store_fixture_add ("verify", in_memory, G_N_ELEMENTS (in_memory));
  return g_test_run ();
}
