/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Copies of what changes meanwhile, is in an odd state, or does not fit. */
#include "tall-bulk.h"
#include "tall-copy-pair.h"
#include "tall-limits.h"
#include "tall-must.h"
#include "tall-test-orders.h"

#define MOST_CALLS 100 /* that are made again and again, before it ends */
#define TOGETHER 16    /* rows of one step, as embedded stores have steps */

typedef struct
{
  const TallLayout *from;
  const TallLayout *to;
  guint together; /* of the target */
} Pair;

static void
pair_init (TallCopyPair *self, const Pair *pair)
{
  const TallStoreSettings source = { .layout = pair->from,
                                     .key_strategy = &tall_key_raw,
                                     .index = TALL_INDEX_BY_DATE };
  const TallStoreSettings target = { .layout = pair->to,
                                     .key_strategy = &tall_key_hashed,
                                     .index = TALL_INDEX_BY_DATE };
  self->target.together = pair->together;
  tall_copy_pair_init (self, &source, &target);
  self->copier.begun = TALL_COPY_NOW;
}

static void
put_on (TallCopySide *side, guint sequence, guint n_lines, gint64 sales_date)
{
  g_autoptr (TallOrder) order = tall_test_marked_order (TALL_TEST_ORDER, 1, sequence, n_lines);
  side->clock.now += 10;
  order->has_sales_date = TRUE;
  order->sales_date = sales_date;
  must (tall_front_put_order (side->front, order, NULL, NULL, &error));
}

static void
put (TallCopySide *side, guint sequence, guint n_lines)
{
  put_on (side, sequence, n_lines, (gint64)sequence * 1000);
}

static void
expect (TallCopyPair *self, TallCopyOutcome outcome)
{
  g_auto (TallCopyCounts) counts = { 0 };
  tall_copy_pair_copy_all (self, &counts);
  g_assert_cmpuint (counts.n[outcome], ==, 1);
}

static void
expect_sound (TallCopyPair *self, guint sequence)
{
  TallVerifySummary summary;
  TallVerifyOptions options = { .alone = TRUE };
  g_autoptr (TallOrder) order = must (
      tall_front_get_order (self->target.front, TALL_TEST_CUSTOMER, TALL_TEST_ORDER, NULL, &error));
  guint writer, found;
  tall_test_read_mark (order, &writer, &found);
  g_assert_cmpuint (found, ==, sequence);
  must (tall_front_verify (self->target.front, &options, &summary, &error));
  g_assert_cmpuint (summary.n_findings, ==, 0);
  g_assert_cmpuint (summary.n_hints, ==, 1);
}

/* A later version takes the place of the earlier one, of its rows and of its hint. */
static void
test_replaced (gconstpointer data)
{
  const Pair *pair = data;
  g_auto (TallCopyPair) self = { 0 };
  pair_init (&self, pair);
  put (&self.source, 1, 5);
  expect (&self, TALL_COPY_COPIED);
  put (&self.source, 2, 2);
  expect (&self, TALL_COPY_COPIED);
  expect_sound (&self, 2);
  expect (&self, TALL_COPY_SAME);
}

/* Somebody has copied a later version than the one that was read: nothing of it is touched. */
static void
test_overtaken (gconstpointer data)
{
  const Pair *pair = data;
  g_auto (TallCopyPair) self = { 0 };
  g_auto (TallCopyCounts) counts = { 0 };
  pair_init (&self, pair);
  put (&self.source, 1, 5);
  g_autoptr (TallReadResult) early = tall_copy_side_scan (&self.source);
  put (&self.source, 2, 2);
  expect (&self, TALL_COPY_COPIED);
  g_autofree char *before = tall_copy_dump (self.target.table);
  must (tall_copy_pair_copy (&self, early, 1, &counts, &error));
  g_assert_cmpuint (counts.n[TALL_COPY_MOVED], ==, 1);
  g_autofree char *after = tall_copy_dump (self.target.table);
  g_assert_cmpstr (after, ==, before);
}

/* The same where the source still has what was read: another process has copied from a source that
 * has moved on since. */
static void
test_later_there (gconstpointer data)
{
  const Pair *pair = data;
  g_auto (TallCopyPair) self = { 0 };
  TallState state;
  pair_init (&self, pair);
  put (&self.source, 1, 5);
  expect (&self, TALL_COPY_COPIED);
  g_assert_true (tall_test_read_state (self.target.store, TALL_TEST_ORDER, &state, NULL));
  state.revision += 10;
  tall_test_write_state (self.target.store, TALL_TEST_ORDER, &state, state.revision);
  g_autofree char *before = tall_copy_dump (self.target.table);
  expect (&self, TALL_COPY_MOVED);
  g_autofree char *after = tall_copy_dump (self.target.table);
  g_assert_cmpstr (after, ==, before);
}

/* Copies the first of @roots while the target answers no call from the one numbered @at on.
 * Returns: whether it is done all the same: it has made no more calls than that */
static gboolean
copy_until (TallCopyPair *self, TallReadResult *roots, guint at)
{
  g_auto (TallCopyCounts) counts = { 0 };
  g_autoptr (GError) error = NULL;
  TallFailingTable *target = TALL_FAILING_TABLE (self->target.table);
  tall_failing_table_reset (target);
  for (guint i = at; i < at + MOST_CALLS; i++)
    tall_failing_table_fail_at (target, i, TALL_FAILURE_BEFORE);
  gboolean done = tall_copy_pair_copy (self, roots, 1, &counts, &error);
  tall_failing_table_reset (target);
  return done;
}

/* A migrator has died before it wrote the root row, and the order was replaced since: nothing in
 * the target says that there are rows of an earlier version. They go all the same, because the
 * order was written since the migration began. */
static void
test_half_copied (gconstpointer data)
{
  const Pair *pair = data;
  gboolean done = FALSE;
  for (guint at = 0; !done; at++)
    {
      g_auto (TallCopyPair) self = { 0 };
      pair_init (&self, pair);
      put_on (&self.source, 1, 5, 1000);
      g_autoptr (TallReadResult) early = tall_copy_side_scan (&self.source);
      done = copy_until (&self, early, at);
      if (!done)
        put_on (&self.source, 2, 2, 1000);
      g_auto (TallCopyCounts) again = { 0 };
      tall_copy_pair_copy_all (&self, &again);
      expect_sound (&self, done ? 1 : 2);
    }
}

/* The same after an earlier version was copied as a whole: as long as rows of it are left, the root
 * row says that there is something to do. */
static void
test_half_replaced (gconstpointer data)
{
  const Pair *pair = data;
  gboolean done = FALSE;
  for (guint at = 0; !done; at++)
    {
      g_auto (TallCopyPair) self = { 0 };
      pair_init (&self, pair);
      put (&self.source, 1, 5);
      expect (&self, TALL_COPY_COPIED);
      put (&self.source, 2, 2);
      g_autoptr (TallReadResult) roots = tall_copy_side_scan (&self.source);
      done = copy_until (&self, roots, at);
      g_auto (TallCopyCounts) again = { 0 };
      tall_copy_pair_copy_all (&self, &again);
      expect_sound (&self, 2);
    }
}

typedef struct
{
  TallCopyPair *pair;
  guint at; /* the call at which it comes */
  gboolean came;
} Faster;

/* Another process copies a later version just then. */
static TallFailure
copy_later (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Faster *faster = data;
  if (call->index != faster->at || faster->came)
    return TALL_FAILURE_NONE;
  faster->came = TRUE;
  put_on (&faster->pair->source, 2, 2, 1000);
  expect (faster->pair, TALL_COPY_COPIED);
  return TALL_FAILURE_NONE;
}

/* Whoever has written rows of an earlier version into what another process has copied by then,
 * takes them back. */
static void
test_faster_process (gconstpointer data)
{
  const Pair *pair = data;
  guint n_moved = 0;
  gboolean came = TRUE;
  if (pair->together > 0)
    return; /* an embedded store is of one process */
  for (guint at = 0; came; at++)
    {
      g_auto (TallCopyPair) self = { 0 };
      g_auto (TallCopyCounts) counts = { 0 };
      Faster faster = { .pair = &self, .at = at };
      pair_init (&self, pair);
      put_on (&self.source, 1, 5, 1000);
      g_autoptr (TallReadResult) early = tall_copy_side_scan (&self.source);
      TallFailingTable *target = TALL_FAILING_TABLE (self.target.table);
      tall_failing_table_reset (target);
      tall_failing_table_set_hooks (target, copy_later, NULL, &faster);
      must (tall_copy_pair_copy (&self, early, 1, &counts, &error));
      tall_failing_table_reset (target);
      n_moved += counts.n[TALL_COPY_MOVED];
      came = faster.came;
      if (came)
        expect_sound (&self, 2);
    }
  g_assert_cmpuint (n_moved, >=, 2);
}

/* Changes the state that was read of the only order, and says how. Returns: (transfer full): the
 * new bytes of its cell */
static guint8 *
spoil_digest (TallReadResult *roots)
{
  TallState state;
  TallRow *row = (TallRow *)&roots->results[0].rows[0];
  guint8 *bytes = g_new (guint8, TALL_STATE_SIZE);
  for (guint i = 0; i < row->n_cells; i++)
    {
      TallCell *cell = (TallCell *)&row->cells[i];
      if (!tall_slice_equal (cell->qualifier, TALL_STATE_QUALIFIER))
        continue;
      must (tall_state_decode (cell->value, &state, &error));
      state.digest[0] ^= 1;
      tall_state_write (&state, bytes);
      cell->value = tall_slice (bytes, TALL_STATE_SIZE);
    }
  return bytes;
}

/* The rows have the revision that was read, but are of another content: a load has stored it again
 * at the same revision. */
static void
test_other_digest (gconstpointer data)
{
  const Pair *pair = data;
  g_auto (TallCopyPair) self = { 0 };
  g_auto (TallCopyCounts) counts = { 0 };
  pair_init (&self, pair);
  put (&self.source, 1, 5);
  g_autoptr (TallReadResult) early = tall_copy_side_scan (&self.source);
  g_autofree guint8 *bytes = spoil_digest (early);
  must (tall_copy_pair_copy (&self, early, 1, &counts, &error));
  g_assert_cmpuint (counts.n[TALL_COPY_MOVED], ==, 1);
  g_assert_cmpuint (tall_test_count_cells (self.target.table, pair->to, 0), ==, 0);
  expect (&self, TALL_COPY_COPIED);
  expect_sound (&self, 1);
}

/* An equal revision says nothing: orders of a load may have it, too. */
static void
test_equal_revision (gconstpointer data)
{
  const Pair *pair = data;
  g_auto (TallCopyPair) self = { 0 };
  TallState state;
  gint64 timestamp;
  pair_init (&self, pair);
  put (&self.source, 1, 5);
  expect (&self, TALL_COPY_COPIED);
  g_assert_true (tall_test_read_state (self.target.store, TALL_TEST_ORDER, &state, &timestamp));
  state.digest[0] ^= 1;
  tall_test_write_state (self.target.store, TALL_TEST_ORDER, &state, timestamp);
  expect (&self, TALL_COPY_COPIED);
  expect_sound (&self, 1);
}

/* What was read is not what is there any more when its rows are read. */
static void
test_moved (gconstpointer data)
{
  const Pair *pair = data;
  g_auto (TallCopyPair) self = { 0 };
  g_auto (TallCopyCounts) counts = { 0 };
  pair_init (&self, pair);
  put (&self.source, 1, 5);
  g_autoptr (TallReadResult) early = tall_copy_side_scan (&self.source);
  put (&self.source, 2, 2);
  must (tall_copy_pair_copy (&self, early, 1, &counts, &error));
  g_assert_cmpuint (counts.n[TALL_COPY_MOVED], ==, 1);
  expect (&self, TALL_COPY_COPIED);
  expect_sound (&self, 2);
}

/* A claim changes nothing of what is copied. */
static void
test_claimed (gconstpointer data)
{
  const Pair *pair = data;
  g_auto (TallCopyPair) self = { 0 };
  TallState state;
  pair_init (&self, pair);
  put (&self.source, 1, 3);
  expect (&self, TALL_COPY_COPIED);
  g_assert_true (tall_test_read_state (self.source.store, TALL_TEST_ORDER, &state, NULL));
  state.pending = state.revision + 100;
  memset (state.pending_token + 8, 7, 8);
  tall_test_write_state (self.source.store, TALL_TEST_ORDER, &state, state.pending);
  expect (&self, TALL_COPY_SAME);
  expect_sound (&self, 1);
}

/* Orders that a load has stored keep their revisions, which are not times. */
static void
test_loaded (gconstpointer data)
{
  const Pair *pair = data;
  g_auto (TallCopyPair) self = { 0 };
  g_autoptr (GError) error = NULL;
  TallBulkResult result = { 0 };
  TallState state;
  pair_init (&self, pair);
  g_autoptr (TallBulk) bulk = tall_bulk_begin (self.source.front, NULL, &error);
  TallOrder *order = tall_test_marked_order (TALL_TEST_ORDER, 1, 4, 3);
  must (tall_bulk_put_orders (bulk, &order, 1, &result, &error));
  g_assert_cmpint (result.outcome, ==, TALL_BULK_STORED);
  tall_order_free (order);
  expect (&self, TALL_COPY_COPIED);
  g_assert_true (
      tall_copy_side_read_state (&self.target, TALL_TEST_CUSTOMER, TALL_TEST_ORDER, &state));
  g_assert_cmpint (state.revision, ==, result.revision);
  g_assert_cmpint (state.revision, <, TALL_FIRST_REVISION);
  expect_sound (&self, 4);
  put (&self.source, 5, 1);
  expect (&self, TALL_COPY_COPIED);
  expect_sound (&self, 5);
}

/* A newer version's order is refused, and named. */
static void
test_newer (gconstpointer data)
{
  const Pair *pair = data;
  g_auto (TallCopyPair) self = { 0 };
  g_auto (TallCopyCounts) counts = { 0 };
  TallState state;
  gint64 timestamp;
  pair_init (&self, pair);
  put (&self.source, 1, 3);
  g_assert_true (tall_test_read_state (self.source.store, TALL_TEST_ORDER, &state, &timestamp));
  state.schema = TALL_SCHEMA + 1;
  tall_test_write_state (self.source.store, TALL_TEST_ORDER, &state, timestamp);
  tall_copy_pair_copy_all (&self, &counts);
  g_assert_cmpuint (counts.n[TALL_COPY_UNFIT], ==, 1);
  g_assert_cmpint (counts.code, ==, TALL_ERROR_NEWER_VERSION);
  g_assert_cmpuint (tall_test_count_cells (self.target.table, pair->to, 0), ==, 0);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*test) (gconstpointer pair);
  } tests[] = {
    { "replaced", test_replaced },
    { "overtaken", test_overtaken },
    { "moved", test_moved },
    { "later-there", test_later_there },
    { "claimed", test_claimed },
    { "loaded", test_loaded },
    { "equal-revision", test_equal_revision },
    { "other-digest", test_other_digest },
    { "newer", test_newer },
    { "half-copied", test_half_copied },
    { "half-replaced", test_half_replaced },
    { "faster-process", test_faster_process },
  };
  static const Pair pairs[] = {
    { &tall_layout_blob, &tall_layout_normalized, 0 },
    { &tall_layout_record_type, &tall_layout_wide, 0 },
    { &tall_layout_normalized, &tall_layout_denormalized, 0 },
    { &tall_layout_blob, &tall_layout_normalized, TOGETHER },
    { &tall_layout_normalized, &tall_layout_blob, TOGETHER },
  };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    for (guint j = 0; j < G_N_ELEMENTS (tests); j++)
      {
        g_autofree char *path =
            g_strdup_printf ("/migrate/copy/%s-%s-%u/%s", pairs[i].from->name, pairs[i].to->name,
                             pairs[i].together, tests[j].name);
        g_test_add_data_func (path, &pairs[i], tests[j].test);
      }
  return g_test_run ();
}
