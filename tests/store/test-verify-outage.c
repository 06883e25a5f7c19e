/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* A table that fails for a while delays a verification, and changes nothing of what it finds. One
 * that fails for good ends it. */
#include "tall-error.h"
#include "tall-test-cells.h"
#include "tall-test-findings.h"
#include "tall-test-mending.h"
#include "tall-test-orders.h"
#include "tall-must.h"

/* A store over a table of which some calls fail. */
typedef struct
{
  TallTable *table;
  TallStore *store;
  guint first; /* call that fails, not counting those that read the record */
  guint last;
  guint n; /* calls so far */
  TallFailure failure;
} Outage;

static TallFailure
before_call (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Outage *self = data;
  if (g_strcmp0 (call->table, "meta") == 0)
    return TALL_FAILURE_NONE;
  guint index = self->n++;
  gboolean fails = index >= self->first && index <= self->last;
  return fails ? self->failure : TALL_FAILURE_NONE;
}

static void
outage_init (Outage *self, TallStoreFixture *fixture, guint first, guint last)
{
  *self = (Outage){ .first = first, .last = last, .failure = TALL_FAILURE_BEFORE };
  self->table = tall_failing_table_new (fixture->table);
  self->store = tall_test_open (self->table, &fixture->clock);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (self->table), before_call, NULL, self);
}

static void
outage_clear (Outage *self)
{
  g_object_unref (self->store);
  g_object_unref (self->table);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Outage, outage_clear)

static gboolean
outage_was_met (const Outage *self)
{
  return self->n > self->first;
}

static gboolean
contains (const GPtrArray *lines, const char *line)
{
  return g_ptr_array_find_with_equal_func ((GPtrArray *)lines, line, g_str_equal, NULL);
}

/* Any one call fails once: the same is found, each finding once, and all of it is verified. */
static void
test_once (TallStoreFixture *self, gconstpointer kind)
{
  TallVerifySummary undisturbed, summary;
  guint n_waited = 0;
  tall_test_damage_all (self, kind);
  g_autoptr (GPtrArray) wanted =
      tall_test_find (self->front, (TallVerifyOptions){ 0 }, &undisturbed);
  for (guint at = 0;; at++)
    {
      g_auto (Outage) outage = { 0 };
      gint64 begun = self->clock.monotonic;
      outage_init (&outage, self, at, at);
      g_autoptr (GPtrArray) lines =
          tall_test_find (TALL_FRONT (outage.store), (TallVerifyOptions){ 0 }, &summary);
      g_assert_cmpuint (lines->len, ==, wanted->len);
      for (guint i = 0; i < lines->len; i++)
        g_assert_cmpstr (g_ptr_array_index (lines, i), ==, g_ptr_array_index (wanted, i));
      g_assert_cmpmem (&summary, sizeof summary, &undisturbed, sizeof undisturbed);
      n_waited += self->clock.monotonic > begun;
      if (!outage_was_met (&outage))
        {
          g_assert_cmpint (self->clock.monotonic, ==, begun);
          g_assert_cmpuint (n_waited, >=, 3); /* where nothing had been done before the call */
          return;
        }
    }
}

static void
put_stray (TallStoreFixture *self, const char *table, TallSlice row)
{
  tall_test_put (self->table, table, row,
                 (TallCell){ tall_slice_str ("v"), 1, tall_slice_str ("somebody's") });
}

/* What was found behind an order whose hint could not be looked for is found again, once; what lay
 * before it is not. */
static void
test_strays (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  const char *table = tall_layout_get_order_table (kind->layout);
  g_autoptr (TallOrder) order = tall_test_marked_order (TALL_TEST_ORDER, 1, 1, 3);
  order->has_sales_date = TRUE;
  tall_fixture_put (self, order, NULL);
  put_stray (self, table, tall_slice ((const guint8 *)"\x01", 1));
  put_stray (self, table, tall_slice ((const guint8 *)"\xff", 1));
  for (guint at = 0;; at++)
    {
      TallVerifySummary summary;
      g_auto (Outage) outage = { 0 };
      outage_init (&outage, self, at, at);
      g_autoptr (GPtrArray) lines =
          tall_test_find (TALL_FRONT (outage.store), (TallVerifyOptions){ 0 }, &summary);
      g_assert_cmpuint (lines->len, ==, 2);
      g_assert_cmpuint (summary.n_orders, ==, 1);
      if (!outage_was_met (&outage))
        return;
    }
}

/* From any one call on all fail: after a minute that ends it, with what was found before. */
static void
test_for_good (TallStoreFixture *self, gconstpointer kind)
{
  TallVerifySummary undisturbed;
  guint most = 0;
  tall_test_damage_all (self, kind);
  g_autoptr (GPtrArray) wanted =
      tall_test_find (self->front, (TallVerifyOptions){ 0 }, &undisturbed);
  for (guint at = 0;; at++)
    {
      g_auto (Outage) outage = { 0 };
      TallVerifySummary summary;
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
      gint64 begun = self->clock.monotonic;
      outage_init (&outage, self, at, G_MAXUINT);
      gboolean done = tall_test_find_some (TALL_FRONT (outage.store), (TallVerifyOptions){ 0 },
                                           lines, &summary, &error);
      g_assert_cmpuint (summary.n_findings, ==, lines->len);
      g_assert_null (summary.trouble);
      if (done)
        break;
      g_assert_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
      g_assert_false (summary.is_whole);
      for (guint i = 0; i < lines->len; i++)
        g_assert_true (contains (wanted, g_ptr_array_index (lines, i)));
      most = MAX (most, lines->len);
      gint64 seconds = (self->clock.monotonic - begun) / G_USEC_PER_SEC;
      g_assert_cmpint (seconds, >=, 60);
      g_assert_cmpint (seconds, <, 70);
    }
  g_assert_cmpuint (most, ==, wanted->len - 1); /* the last one was looked at by the last call */
}

/* How many of the lines are of a kind. */
static guint
count_kind (const GPtrArray *lines, guint kind)
{
  guint n = 0;
  g_autofree char *prefix = g_strdup_printf ("%s ", tall_finding_kind_info (kind)->name);
  for (guint i = 0; i < lines->len; i++)
    n += g_str_has_prefix (g_ptr_array_index (lines, i), prefix);
  return n;
}

/* Each finding is reported once, also what was mended by a call whose answer did not come. What a
 * failure has left itself is a claim. */
static void
expect_each (const GPtrArray *lines, const GPtrArray *wanted)
{
  for (guint i = 0; i < TALL_N_FINDING_KINDS; i++)
    if (i == TALL_FINDING_STALE_CLAIM)
      g_assert_cmpuint (count_kind (lines, i), >=, count_kind (wanted, i));
    else
      g_assert_cmpuint (count_kind (lines, i), ==, count_kind (wanted, i));
}

/* All that can be mended is mended if a call fails once. */
static void
test_repair (TallStoreFixture *self, gconstpointer data)
{
  const TallStoreKind *kind = data;
  for (guint at = 0;; at += 7)
    {
      g_auto (Outage) outage = { 0 };
      TallVerifySummary summary, again;
      TallTable *table = tall_store_fixture_open_table (self, kind);
      tall_test_create (table, kind->layout->name, kind->key_strategy->name, 0);
      tall_store_fixture_reset (self, kind, table);
      tall_test_damage_all (self, kind);
      TallVerifySummary undisturbed;
      g_autoptr (GPtrArray) wanted =
          tall_test_find (self->front, (TallVerifyOptions){ 0 }, &undisturbed);
      outage_init (&outage, self, at, at);
      outage.failure = at % 2 == 0 ? TALL_FAILURE_BEFORE : TALL_FAILURE_LOST;
      g_autoptr (GPtrArray) lines =
          tall_test_find (TALL_FRONT (outage.store), (TallVerifyOptions){ .repair = TRUE },
                          &summary);
      g_assert_cmpuint (summary.n_for_person, ==, undisturbed.n_for_person);
      g_assert_cmpuint (summary.n_mended, ==, summary.n_findings - summary.n_for_person);
      expect_each (lines, wanted);
      g_assert_true (summary.is_whole);
      again = tall_test_verify_all (self->front, FALSE);
      /* Its last call gives the claim up: that one may stay, as that of a writer. */
      g_assert_cmpuint (again.n_findings, <=, again.n_for_person + 1);
      again = tall_test_verify_all (self->front, TRUE);
      tall_test_expect_findings (self->front, TRUE, again.n_for_person, 0);
      if (!outage_was_met (&outage))
        return;
    }
}

static gboolean
stop_in_trouble (const TallVerifySummary *summary, gpointer data)
{
  guint *n_troubles = data;
  if (summary->trouble != NULL)
    g_assert_nonnull (strstr (summary->trouble, "fails for a test"));
  *n_troubles += summary->trouble != NULL;
  return summary->trouble == NULL;
}

/* Whoever waits for a table may stop. */
static void
test_stopped (TallStoreFixture *self, gconstpointer kind)
{
  tall_test_damage_all (self, kind);
  for (guint at = 0; at < 50; at += 7)
    {
      guint n_troubles = 0;
      g_auto (Outage) outage = { 0 };
      TallVerifySummary summary;
      TallVerifyOptions options = { .alone = TRUE,
                                    .on_progress = stop_in_trouble,
                                    .data = &n_troubles };
      outage_init (&outage, self, at, G_MAXUINT);
      gint64 begun = self->clock.monotonic;
      must (tall_front_verify (TALL_FRONT (outage.store), &options, &summary, &error));
      g_assert_cmpuint (n_troubles, ==, 1);
      g_assert_false (summary.is_whole);
      g_assert_null (summary.trouble);
      g_assert_cmpint (self->clock.monotonic - begun, <, G_USEC_PER_SEC);
    }
}

/* The rate that was asked for is kept after an outage, too. */
static void
test_rate (TallStoreFixture *self, gconstpointer kind G_GNUC_UNUSED)
{
  g_auto (Outage) outage = { 0 };
  TallVerifySummary summary;
  for (guint i = 0; i < 40; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      g_autoptr (TallOrder) order = tall_test_marked_order (number, 1, 1, 1);
      tall_fixture_put (self, order, NULL);
    }
  outage_init (&outage, self, 20, 25);
  gint64 begun = self->clock.monotonic;
  g_autoptr (GPtrArray) lines =
      tall_test_find (TALL_FRONT (outage.store), (TallVerifyOptions){ .rate = 10 }, &summary);
  gint64 waited = ((1 << 6) - 1) * G_USEC_PER_SEC / 4; /* six pauses */
  g_assert_true (outage_was_met (&outage));
  g_assert_cmpint (self->clock.monotonic - begun, >=,
                   waited + (summary.n_orders + summary.n_hints - 2) * G_USEC_PER_SEC / 10);
}

int
main (int argc, char **argv)
{
  static const TallStoreTest tests[] = {
    { "once", test_once },     { "strays", test_strays },   { "for-good", test_for_good },
    { "repair", test_repair }, { "stopped", test_stopped }, { "rate", test_rate },
  };
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add ("verify-outage", tests, G_N_ELEMENTS (tests));
  return g_test_run ();
}
