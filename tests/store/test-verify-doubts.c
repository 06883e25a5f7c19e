/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What happens between the two looks: what looks wrong in another way waits once more, what cannot
 * be read any more is in doubt, and what is gone is not a finding. */
#include "tall-broken-table.h"
#include "store/read/ids.h"
#include "table/memory-table.h"
#include "tall-failing-table.h"
#include "tall-test-cells.h"
#include "tall-test-dump.h"
#include "tall-test-findings.h"
#include "tall-test-mending.h"
#include "tall-test-orders.h"
#include "tall-must.h"

#define OTHER_DATE (-86400000)         /* of the hint of “another-date” */
#define TTL 3600                       /* seconds */
#define LONG_TTL (30 * 365 * 86400ull) /* only what was never committed is older */

/* A damage, what is done to it during the first wait, and by which table it is read. */
typedef struct
{
  TallStoreFixture *fixture;
  const TallStoreKind *kind;
  const TallTestDamage *damage;
  TallTable *broken;
  gboolean done;
} Doubt;

static void
doubt_init (Doubt *self, TallStoreFixture *fixture, const TallStoreKind *kind, const char *name)
{
  *self = (Doubt){ fixture, kind, tall_test_damage_find (name), NULL, FALSE };
  tall_test_damage_do (self->damage, fixture, kind);
  fixture->clock.data = self;
}

/* Expects one finding, after two waits. */
static void
expect_later (Doubt *self, guint n_found)
{
  TallTestClock *clock = &self->fixture->clock;
  gint64 begun = clock->monotonic;
  tall_test_expect_findings (self->fixture->front, FALSE, n_found, 0);
  g_assert_null (clock->on_sleep);
  g_assert_cmpint (clock->monotonic - begun, >=, 2 * TALL_VERIFY_PATIENCE);
}

static void
leave_cells (gpointer data)
{
  Doubt *self = data;
  g_autoptr (TallOrder) order = tall_test_damage_order (self->damage);
  self->fixture->clock.on_sleep = NULL;
  g_assert_true (
      tall_test_damage_find ("left-old-cells")->damage (self->fixture, self->kind, order));
}

/* Another kind of finding, while the state cell is the same. */
static void
test_kind (TallStoreFixture *fixture, gconstpointer kind)
{
  Doubt self;
  doubt_init (&self, fixture, kind, "left-claim");
  fixture->clock.on_sleep = leave_cells;
  expect_later (&self, 2);
}

static void
put_again (gpointer data)
{
  Doubt *self = data;
  g_autoptr (TallOrder) order = tall_test_damage_order (self->damage);
  self->fixture->clock.on_sleep = NULL;
  order->currency = tall_arena_strdup (tall_order_get_arena (order), "EUR");
  tall_fixture_put (self->fixture, order, NULL);
}

/* The order that a hint leads to is another one, and has another date still. */
static void
test_other_row (TallStoreFixture *fixture, gconstpointer kind)
{
  Doubt self;
  doubt_init (&self, fixture, kind, "another-date");
  fixture->clock.on_sleep = put_again;
  expect_later (&self, 1);
}

/* A writer commits when the rows have been read, and before the state cell is read once more. */
static TallFailure
put_between (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Doubt *self = data;
  const TallRead *read = call->kind == TALL_CALL_READ && call->plan->reads->len == 1
                             ? tall_read_plan_get (call->plan, 0)
                             : NULL;
  if (read != NULL && read->kind == TALL_READ_GET && read->n_qualifiers > 0
      && self->fixture->clock.n_sleeps > 0 && !self->done)
    {
      self->done = TRUE;
      put_again (self);
    }
  return TALL_FAILURE_NONE;
}

static void
test_between (TallStoreFixture *fixture, gconstpointer kind)
{
  Doubt self;
  TallVerifySummary summary;
  doubt_init (&self, fixture, kind, "left-claim");
  g_autoptr (TallTable) table = tall_failing_table_new (fixture->table);
  g_autoptr (TallStore) store = tall_test_open (table, &fixture->clock);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), put_between, NULL, &self);
  must (tall_front_verify (TALL_FRONT (store), &(TallVerifyOptions){ 0 }, &summary, &error));
  g_assert_true (self.done);
  g_assert_cmpuint (summary.n_findings, ==, 0);
  g_assert_true (summary.is_whole);
}

static void
break_row (gpointer data)
{
  Doubt *self = data;
  g_autoptr (GByteArray) row = g_byte_array_new ();
  self->fixture->clock.on_sleep = NULL;
  tall_test_append_hint (self->fixture, self->damage->name, OTHER_DATE, row);
  tall_broken_table_break (TALL_BROKEN_TABLE (self->broken), tall_slice_array (row),
                           TALL_ERROR_DAMAGED);
}

/* What was read by the scan, and cannot be read any more, is neither wrong nor sound. */
static void
test_broken_since (TallStoreFixture *fixture, gconstpointer kind)
{
  Doubt self;
  TallVerifySummary summary;
  doubt_init (&self, fixture, kind, "another-date");
  g_autoptr (TallTable) broken = self.broken = tall_broken_table_new (fixture->table);
  g_autoptr (TallStore) store = tall_test_open (broken, &fixture->clock);
  fixture->clock.on_sleep = break_row;
  must (tall_front_verify (TALL_FRONT (store), &(TallVerifyOptions){ 0 }, &summary, &error));
  g_assert_cmpuint (summary.n_findings, ==, 0);
  g_assert_false (summary.is_whole);
}

/* One hint that cannot be read does not hide that others are missing. */
static void
test_broken_hint (TallStoreFixture *fixture, gconstpointer kind)
{
  static const char *const numbers[] = { "0", "1", "2", "3", "4" };
  guint n_missing = 0;
  TallVerifySummary summary;
  g_autoptr (GByteArray) row = g_byte_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autoptr (TallOrder) order = tall_test_marked_order (numbers[i], 1, 1, 3);
      order->has_sales_date = TRUE;
      order->sales_date = OTHER_DATE;
      tall_fixture_put (fixture, order, NULL);
      if (i > 0)
        g_assert_true (tall_test_damage_find ("lost-hint")->damage (fixture, kind, order));
    }
  tall_test_append_hint (fixture, numbers[0], OTHER_DATE, row);
  g_autoptr (TallTable) broken = tall_broken_table_new (fixture->table);
  tall_broken_table_break (TALL_BROKEN_TABLE (broken), tall_slice_array (row), TALL_ERROR_DAMAGED);
  g_autoptr (TallStore) store = tall_test_open (broken, &fixture->clock);
  g_autoptr (GPtrArray) lines =
      tall_test_find (TALL_FRONT (store), (TallVerifyOptions){ 0 }, &summary);
  for (guint i = 0; i < lines->len; i++)
    n_missing += g_str_has_prefix (g_ptr_array_index (lines, i), "missing-hint ");
  g_assert_cmpuint (n_missing, ==, G_N_ELEMENTS (numbers) - 1);
  g_assert_cmpuint (summary.n_findings, ==, G_N_ELEMENTS (numbers));
  g_assert_false (summary.is_whole);
}

/* A hint that is gone is not a finding that had to be left. */
static void
test_gone (TallStoreFixture *fixture, gconstpointer kind)
{
  Doubt self;
  doubt_init (&self, fixture, kind, "lost-hint");
  g_assert_cmpint (tall_test_repair_hint (fixture, "lost-hint", OTHER_DATE), ==,
                   TALL_REPAIR_OVERTAKEN);
}

/* All damages but that of a load: with a TTL its cells are gone at once. */
static guint
count_found (TallStoreFixture *fixture, const TallStoreKind *kind)
{
  guint n;
  TallVerifySummary summary;
  const TallTestDamage *damages = tall_test_damages (&n);
  for (guint i = 0; i < n; i++)
    if (damages[i].kind != TALL_FINDING_ORPHAN)
      tall_test_damage_do (&damages[i], fixture, kind);
  g_autoptr (GPtrArray) found = tall_test_find (fixture->front, (TallVerifyOptions){ 0 }, &summary);
  return found->len;
}

static void
begin_with_ttl (TallStoreFixture *fixture, const TallStoreKind *kind, guint64 ttl)
{
  TallTable *table = tall_memory_table_new ();
  fixture->clock.now = g_get_real_time () / 2000 * 2;
  tall_test_create (table, kind->layout->name, kind->key_strategy->name, ttl);
  tall_store_fixture_reset (fixture, kind, table);
}

/* With a TTL the same is wrong as without, also with what was never committed. */
static void
test_ttl (TallStoreFixture *fixture, gconstpointer kind)
{
  guint n_wanted = count_found (fixture, kind);
  begin_with_ttl (fixture, kind, LONG_TTL);
  g_assert_cmpuint (count_found (fixture, kind), ==, n_wanted);
}

/* An order that has gone by its age since its hint was looked at is not claimed for it. */
static void
test_expired (TallStoreFixture *fixture, gconstpointer data)
{
  Doubt self;
  const TallStoreKind *kind = data;
  if (kind->layout != &tall_layout_record_type) /* elsewhere the rows go by themselves */
    return;
  begin_with_ttl (fixture, kind, TTL);
  doubt_init (&self, fixture, kind, "another-date");
  fixture->clock.now += 2 * TTL * 1000;
  g_autofree char *before = tall_test_dump (fixture->table);
  g_assert_cmpint (tall_test_repair_hint (fixture, "another-date", OTHER_DATE), ==,
                   TALL_REPAIR_OVERTAKEN);
  g_autofree char *after = tall_test_dump (fixture->table);
  g_assert_cmpstr (after, ==, before);
}

/* One part of a repair: from the beginning, or after the part before, which it frees. */
static TallVerifyPart *
repair_some (TallStoreFixture *fixture, TallVerifyPart *before)
{
  TallVerifyRequest request = { .repair = TRUE };
  if (before != NULL)
    request.cursor = before->cursor;
  TallVerifyPart *part = must (tall_front_verify_some (fixture->front, &request, &error));
  g_clear_pointer (&before, tall_verify_part_free);
  return part;
}

/* A part mends little: if whoever asked for it is killed, few findings do not come to be known. And
 * what a part mends stood in the cursor before. */
static void
test_few (TallStoreFixture *fixture, gconstpointer kind)
{
  guint n;
  const TallTestDamage *damages = tall_test_damages (&n);
  for (guint i = 0; i < n; i++)
    if (!tall_finding_kind_info (damages[i].kind)->needs_person)
      tall_test_damage_do (&damages[i], fixture, kind);
  g_autofree char *damaged = tall_test_dump (fixture->table);
  TallVerifyPart *part = repair_some (fixture, NULL);
  g_assert_cmpuint (part->wait, >=, TALL_VERIFY_PATIENCE / 1000);
  part = repair_some (fixture, part); /* decides */
  g_autofree char *still = tall_test_dump (fixture->table);
  g_assert_cmpuint (part->n_findings, ==, 0);
  g_assert_cmpstr (still, ==, damaged);
  while (part->n_findings == 0) /* ids are searched for first */
    {
      g_assert_cmpuint (part->wait, ==, 0);
      part = repair_some (fixture, part);
    }
  g_assert_cmpuint (part->n_findings, ==, 4);
  g_assert_cmpuint (part->cursor.len, >, 0);
  tall_verify_part_free (part);
}

/* If the answer of a part that mends is lost, whoever asks once more learns what it has mended. */
static void
test_lost (TallStoreFixture *fixture, gconstpointer kind)
{
  Doubt self;
  doubt_init (&self, fixture, kind, "left-old-cells");
  TallVerifyPart *part = repair_some (fixture, repair_some (fixture, NULL));
  const TallVerifyRequest request = { .repair = TRUE, .cursor = part->cursor };
  g_autoptr (TallVerifyPart) lost =
      must (tall_front_verify_some (fixture->front, &request, &error));
  part = repair_some (fixture, part);
  const TallVerifyPart *const parts[] = { lost, part };
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_assert_cmpuint (parts[i]->n_findings, ==, 1);
      g_assert_cmpint (parts[i]->findings[0].kind, ==, TALL_FINDING_LEFTOVER);
      g_assert_true (parts[i]->findings[0].mended);
      g_assert_cmpuint (parts[i]->cursor.len, ==, 0);
    }
  tall_verify_part_free (part);
}

static void
put_id (TallStoreFixture *fixture, const char *row, TallSlice id, gint64 timestamp)
{
  tall_test_put (fixture->table, TALL_IDS_TABLE, tall_slice_str (row),
                 (TallCell){ TALL_IDS_QUALIFIER, timestamp, id });
}

/* A half id that was searched for and has changed since is searched for again: what it leads to now
 * may be contradicted. */
static void
test_search_again (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  const TallSlice one = tall_slice ("\0\0\0\0\0\0\3\3", 8);
  const TallSlice other = tall_slice ("\0\0\0\0\0\0\4\4", 8);
  if (!kind->key_strategy->needs_id)
    return;
  put_id (fixture, "nHALF", one, 1);
  TallVerifyPart *part = repair_some (fixture, NULL);
  for (guint i = 0; i < 2; i++) /* it is to be searched for; nothing contradicts it */
    {
      part = repair_some (fixture, part);
      g_assert_cmpuint (part->cursor.len, >, 0);
      g_assert_cmpuint (part->wait, ==, 0);
    }
  put_id (fixture, "nHALF", other, 2);
  put_id (fixture, "nTHIRD", other, 2);
  part = repair_some (fixture, part);
  g_assert_cmpuint (part->n_findings, ==, 0);
  g_assert_cmpuint (part->wait, >, 0);
  while (part->cursor.len > 0)
    part = repair_some (fixture, part);
  g_assert_cmpuint (part->n_findings, ==, 1);
  g_assert_false (part->findings[0].mended);
  tall_verify_part_free (part);
}

/* What cannot be read may contradict any half id: all are left. */
static void
test_search_broken (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  const TallSlice one = tall_slice ("\0\0\0\0\0\0\3\3", 8);
  const TallSlice other = tall_slice ("\0\0\0\0\0\0\4\4", 8);
  TallVerifySummary summary;
  if (!kind->key_strategy->needs_id)
    return;
  put_id (fixture, "nHALF", one, 1);
  put_id (fixture, "nTHIRD", other, 1);
  g_autoptr (TallTable) broken = tall_broken_table_new (fixture->table);
  tall_broken_table_break (TALL_BROKEN_TABLE (broken), tall_slice_str ("nTHIRD"),
                           TALL_ERROR_DAMAGED);
  tall_broken_table_break_scans (TALL_BROKEN_TABLE (broken));
  g_autoptr (TallStore) store = tall_test_open (broken, &fixture->clock);
  g_autoptr (GPtrArray) lines =
      tall_test_find (TALL_FRONT (store), (TallVerifyOptions){ .repair = TRUE }, &summary);
  g_assert_cmpuint (lines->len, ==, 2);
  g_assert_cmpuint (summary.n_for_person, ==, 1);
  g_assert_cmpuint (summary.n_mended, ==, 0);
}

int
main (int argc, char **argv)
{
  static const TallStoreTest tests[] = {
    { "kind", test_kind },
    { "other-row", test_other_row },
    { "between", test_between },
    { "broken-since", test_broken_since },
    { "gone", test_gone },
    { "few", test_few },
    { "lost", test_lost },
    { "ttl", test_ttl },
    { "expired", test_expired },
    { "search-again", test_search_again },
    { "broken-hint", test_broken_hint },
    { "search-broken", test_search_broken },
  };
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add ("verify-doubts", tests, G_N_ELEMENTS (tests));
  return g_test_run ();
}
