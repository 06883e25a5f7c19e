/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/read/index.h"
#include "tall-test-cells.h"
#include "tall-test-dump.h"
#include "tall-test-mending.h"
#include "tall-test-orders.h"
#include "tall-must.h"

/* What needs no person is mended, nothing else is touched, and a second run finds nothing. */

static void
test_damage (TallStoreFixture *self, gconstpointer data)
{
  guint n;
  const TallStoreKind *kind = data;
  const TallTestDamage *damages = tall_test_damages (&n);
  g_autoptr (TallOrder) sound = tall_test_marked_order ("sound", 1, 1, 3);
  tall_fixture_put (self, sound, NULL);
  for (guint i = 0; i < n; i++)
    if (!tall_finding_kind_info (damages[i].kind)->needs_person)
      tall_test_check_mended (self, kind, &damages[i]);
  tall_test_check_left (self, kind);
}

/* An order with a finding that needs a person is left alone, also what could be mended of it. */
static void
test_both (TallStoreFixture *self, gconstpointer data)
{
  static const char *const names[] = { "left-old-cells", "left-claim", "lost-hint" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (TallOrder) order = tall_test_damage_order (tall_test_damage_find (names[i]));
      tall_test_damage_do (tall_test_damage_find (names[i]), self, data);
      tall_test_damage_find ("changed-content")->damage (self, data, order);
    }
  g_autofree char *damaged = tall_test_dump (self->table);
  TallVerifySummary summary = tall_test_verify_all (self->front, TRUE);
  g_autofree char *still = tall_test_dump (self->table);
  g_assert_cmpuint (summary.n_findings, >=, G_N_ELEMENTS (names));
  g_assert_cmpuint (summary.n_mended, ==, 0);
  g_assert_cmpstr (still, ==, damaged);
}

/* How often a kind was reported, and as mended. */
typedef struct
{
  TallFindingKind kind;
  guint n;
  guint n_mended;
} Reported;

static void
count_kind (const TallFinding *finding, gpointer data)
{
  Reported *self = data;
  self->n += finding->kind == self->kind;
  self->n_mended += finding->kind == self->kind && finding->mended;
}

/* What fails in place of one call: that, and all that follow, as if the process had been killed. */
#define KILLED ((TallFailure)(TALL_FAILURE_FALSE + 1))

static TallFailure
stay_dead (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  const guint *at = data;
  return call->index >= *at ? TALL_FAILURE_BEFORE : TALL_FAILURE_NONE;
}

/* What was reported as mended is not there any more. */
static void
expect_gone (TallStoreFixture *self, TallFindingKind kind)
{
  TallVerifySummary summary;
  Reported left = { .kind = kind };
  const TallVerifyOptions options = { .on_finding = count_kind, .data = &left };
  must (tall_front_verify (self->front, &options, &summary, &error));
  g_assert_cmpuint (left.n, ==, 0);
}

/* Calls that go wrong, one after the other: the run may end, the order never suffers, and the next
 * run mends what is left. What a run that comes to its end has mended is reported once. */
static void
fail_at (TallStoreFixture *self,
         const TallStoreKind *kind,
         const TallTestDamage *damage,
         guint at,
         TallFailure failure,
         gboolean *ended)
{
  TallVerifySummary summary;
  Reported reported = { .kind = damage->kind };
  TallVerifyOptions options = { .repair = TRUE, .on_finding = count_kind, .data = &reported };
  TallTable *below = tall_store_fixture_open_table (self, kind);
  tall_test_create (below, kind->layout->name, kind->key_strategy->name, 0);
  tall_store_fixture_reset (self, kind, below);
  g_autoptr (TallOrder) sound = tall_test_marked_order ("sound", 1, 1, 1);
  tall_fixture_put (self, sound, NULL); /* so that the customer has its id */
  *ended = !tall_test_damage_do (damage, self, kind);
  if (*ended)
    return;
  g_autoptr (TallTable) table = tall_failing_table_new (self->table);
  g_autoptr (TallStore) store = tall_test_open (table, &self->clock);
  tall_failing_table_reset (TALL_FAILING_TABLE (table));
  if (failure == KILLED)
    tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), stay_dead, NULL, &at);
  else
    tall_failing_table_fail_at (TALL_FAILING_TABLE (table), at, failure);
  if (tall_front_verify (TALL_FRONT (store), &options, &summary, NULL))
    {
      *ended = tall_failing_table_count_calls (TALL_FAILING_TABLE (table)) <= at;
      g_assert_cmpuint (reported.n, ==, 1);
      g_assert_cmpuint (reported.n_mended, ==, 1);
      if (damage->kind != TALL_FINDING_STALE_CLAIM) /* the repair's own may be left */
        expect_gone (self, damage->kind);
    }
  tall_test_verify_all (self->front, TRUE);
  tall_test_expect_findings (self->front, TRUE, 0, 0);
  tall_failing_table_deliver_late (TALL_FAILING_TABLE (table));
  tall_test_expect_findings (self->front, TRUE, 0, 0);
  if (!tall_test_damage_is_stored (damage))
    return;
  g_autoptr (TallOrder) sent = tall_test_damage_order (damage);
  g_autoptr (TallOrder) got = tall_fixture_get (self, damage->name, NULL);
  tall_test_assert_order_equal (got, sent);
  tall_fixture_put (self, sent, NULL);
  tall_fixture_delete (self, damage->name, NULL);
  tall_test_expect_findings (self->front, FALSE, 0, 0);
}

static void
test_failures (TallStoreFixture *self, gconstpointer kind)
{
  static const TallFailure failures[] = { TALL_FAILURE_BEFORE, TALL_FAILURE_PARTLY,
                                          TALL_FAILURE_LOST,   TALL_FAILURE_LATE,
                                          TALL_FAILURE_FALSE,  KILLED };
  guint n;
  const TallTestDamage *damages = tall_test_damages (&n);
  for (guint i = 0; i < n; i++)
    for (guint j = 0; j < G_N_ELEMENTS (failures); j++)
      {
        gboolean ended = tall_finding_kind_info (damages[i].kind)->needs_person;
        for (guint at = 0; !ended; at++)
          fail_at (self, kind, &damages[i], at, failures[j], &ended);
      }
}

static void
put_cell_at (TallStoreFixture *self,
             const char *table,
             TallSlice row,
             TallSlice name,
             gint64 timestamp,
             TallSlice value)
{
  tall_test_put (self->table, table, row, (TallCell){ name, timestamp, value });
}

static void
put_cell (TallStoreFixture *self, const char *table, TallSlice row, TallSlice name, TallSlice value)
{
  put_cell_at (self, table, row, name, 1, value);
}

/* Two ids lead to one number, or two numbers to one id: nobody knows which is right. */
static void
test_ambiguous_ids (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  const TallSlice column = tall_slice_str ("v");
  if (!kind->key_strategy->needs_id)
    return;
  put_cell (self, "ids", tall_slice ("i\0\0\0\0\0\0\2\1", 9), column, tall_slice_str ("TWICE"));
  put_cell (self, "ids", tall_slice ("i\0\0\0\0\0\0\2\2", 9), column, tall_slice_str ("TWICE"));
  put_cell (self, "ids", tall_slice_str ("nONE"), column, tall_slice ("\0\0\0\0\0\0\3\3", 8));
  put_cell (self, "ids", tall_slice_str ("nTWO"), column, tall_slice ("\0\0\0\0\0\0\3\3", 8));
  put_cell (self, "ids", tall_slice_str ("nBACK"), column, tall_slice ("\0\0\0\0\0\0\4\4", 8));
  put_cell (self, "ids", tall_slice ("i\0\0\0\0\0\0\5\5", 9), column, tall_slice_str ("BACK"));
  g_autofree char *damaged = tall_test_dump (self->table);
  tall_test_expect_findings (self->front, TRUE, 5, 0);
  g_autofree char *still = tall_test_dump (self->table);
  g_assert_cmpstr (still, ==, damaged);
}

/* What lies beyond the latest revision cannot be claimed above. */
static void
test_beyond (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  g_auto (TallOrderKey) key = { 0 };
  g_autoptr (GByteArray) row = g_byte_array_new ();
  g_autoptr (TallOrder) order = tall_test_marked_order ("far", 1, 1, 3);
  guint64 id = 0;
  tall_fixture_put (self, order, NULL);
  must (tall_store_find_id (self->store, TALL_TEST_CUSTOMER, &id, &error));
  tall_order_key_init (&key, kind->key_strategy, TALL_TEST_CUSTOMER, id, "far");
  const char *table = kind->layout->locate_order (&key, row);
  put_cell_at (self, table, tall_slice_array (row), tall_slice_str ("x"), G_MAXINT64 / 2 + 5,
               tall_slice_str ("y"));
  g_autofree char *damaged = tall_test_dump (self->table);
  tall_test_expect_findings (self->front, TRUE, 1, 0);
  g_autofree char *still = tall_test_dump (self->table);
  g_assert_cmpstr (still, ==, damaged);
}

/* What is removed by its timestamp leaves a marker there: a later put must not get that revision.
 */
static void
test_later (TallStoreFixture *self, gconstpointer kind)
{
  const TallTestDamage *hint = tall_test_damage_find ("never-hinted-at");
  const TallTestDamage *cells = tall_test_damage_find ("left-new-cells");
  gint64 revision;
  g_autoptr (TallOrder) hinted = tall_test_damage_order (hint);
  g_autoptr (TallOrder) order = tall_test_damage_order (cells);
  tall_test_damage_do (cells, self, kind);
  tall_test_damage_do (hint, self, kind);
  tall_test_expect_findings (self->front, TRUE, 2, 2);
  hinted->sales_date = 86400000; /* of the hint */
  tall_fixture_put (self, hinted, NULL);
  g_autoptr (TallOrder) got = tall_fixture_get (self, order->order_number, &revision);
  self->clock.now = revision + 100000; /* of the cells */
  tall_fixture_put (self, order, NULL);
  tall_test_expect_findings (self->front, FALSE, 0, 0);
}

/* A hint that was missing is written at the order's revision: it goes with that. */
static void
test_hint_goes (TallStoreFixture *self, gconstpointer kind)
{
  const TallTestDamage *damage = tall_test_damage_find ("never-hinted");
  g_autoptr (TallOrder) order = tall_test_damage_order (damage);
  tall_test_damage_do (damage, self, kind);
  tall_test_expect_findings (self->front, TRUE, 1, 1);
  order->sales_date -= 86400000;
  tall_fixture_put (self, order, NULL);
  tall_test_expect_findings (self->front, FALSE, 0, 0);
}

/* A wrong name that is newer than the order is replaced, too. */
static void
test_newer_name (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  const TallTestDamage *damage = tall_test_damage_find ("never-hinted");
  g_autoptr (TallOrder) order = tall_test_damage_order (damage);
  g_autoptr (GByteArray) row = g_byte_array_new ();
  gint64 revision = tall_fixture_put (self, order, NULL);
  tall_test_append_hint (self, order->order_number, order->sales_date, row);
  put_cell_at (self, "index", tall_slice_array (row), TALL_INDEX_QUALIFIER, revision + 1000,
               tall_slice_str ("another"));
  tall_test_expect_findings (self->front, TRUE, 1, 1);
  tall_test_expect_findings (self->front, FALSE, 0, 0);
}

/* The order that a wrong hint leads to has been claimed since: nobody knows yet how long. */
static void
test_hint_of_claimed (TallStoreFixture *self, gconstpointer kind)
{
  const TallTestDamage *damage = tall_test_damage_find ("another-date");
  g_autoptr (TallOrder) order = tall_test_damage_order (damage);
  tall_test_damage_do (damage, self, kind);
  tall_test_damage_find ("left-claim")->damage (self, kind, order);
  g_autofree char *before = tall_test_dump (self->table);
  g_assert_cmpint (tall_test_repair_hint (self, damage->name, -86400000), ==,
                   TALL_REPAIR_OVERTAKEN);
  g_autofree char *after = tall_test_dump (self->table);
  g_assert_cmpstr (after, ==, before);
}

/* Somebody commits between the last look and the claim, each time. */
static TallFailure
put_before_claim (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  TallStoreFixture *self = data;
  if (call->kind != TALL_CALL_APPLY_IF)
    return TALL_FAILURE_NONE;
  g_autoptr (TallOrder) order = tall_test_damage_order (tall_test_damage_find ("left-claim"));
  tall_fixture_put (self, order, NULL);
  return TALL_FAILURE_NONE;
}

static void
test_overtaken (TallStoreFixture *self, gconstpointer kind)
{
  TallVerifySummary summary;
  TallVerifyOptions options = { .repair = TRUE };
  tall_test_damage_do (tall_test_damage_find ("left-claim"), self, kind);
  g_autoptr (TallTable) table = tall_failing_table_new (self->table);
  g_autoptr (TallStore) store = tall_test_open (table, &self->clock);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), put_before_claim, NULL, self);
  must (tall_front_verify (TALL_FRONT (store), &options, &summary, &error));
  g_assert_cmpuint (summary.n_findings, ==, 0);
  g_assert_true (summary.is_whole);
  tall_test_expect_findings (self->front, FALSE, 0, 0);
}

int
main (int argc, char **argv)
{
  static const TallStoreTest everywhere[] = { { "damage", test_damage } };
  static const TallStoreTest in_memory[] = {
    { "both", test_both },
    { "failures", test_failures },
    { "ambiguous-ids", test_ambiguous_ids },
    { "beyond", test_beyond },
    { "later", test_later },
    { "hint-goes", test_hint_goes },
    { "newer-name", test_newer_name },
    { "hint-of-claimed", test_hint_of_claimed },
    { "overtaken", test_overtaken },
  };
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add_everywhere ("repair", everywhere, G_N_ELEMENTS (everywhere));
  tall_store_fixture_add ("repair", in_memory, G_N_ELEMENTS (in_memory));
  return g_test_run ();
}
