/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Two orders whose keys collide in the target, and two migrators: neither is lost unseen. */
#include "tall-copy-pair.h"
#include "migrate/pass.h"
#include "tall-must.h"
#include "tall-test-orders.h"

/* Two texts with the same MD5 (M. Stevens, 2024). */
#define FIRST "TEXTCOLLBYfGiJUETHQ4hAcKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak"
#define SECOND "TEXTCOLLBYfGiJUETHQ4hEcKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak"

typedef struct
{
  TallCopyPair pair;
  TallReadResult *roots; /* owned: of both orders */
  TallCopied *places;    /* owned: of the fast migrator */
  gboolean done;         /* the fast one has copied the first order */
} Fixture;

static void
put (Fixture *self, const char *number)
{
  g_autoptr (TallOrder) order = tall_test_marked_order (number, 1, 1, 2);
  self->pair.source.clock.now += 10;
  must (tall_front_put_order (self->pair.source.front, order, NULL, NULL, &error));
}

static void
set_up (Fixture *self, gconstpointer layout)
{
  const TallStoreSettings source = { .layout = &tall_layout_blob, .key_strategy = &tall_key_raw };
  const TallStoreSettings target = { .layout = layout, .key_strategy = &tall_key_hashed };
  tall_copy_pair_init (&self->pair, &source, &target);
  put (self, FIRST);
  put (self, SECOND);
  self->roots = tall_copy_side_scan (&self->pair.source);
  g_assert_cmpuint (self->roots->results[0].n_rows, ==, 2);
  self->places = tall_copied_new (100);
}

static void
tear_down (Fixture *self, gconstpointer layout G_GNUC_UNUSED)
{
  tall_read_result_free (self->roots);
  tall_copied_free (self->places);
  tall_copy_pair_clear (&self->pair);
}

/* @i: 0 for the first order, by its key */
static TallCopyOutcome
copy (Fixture *self, guint i, TallCopied *places)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallCopier copier = self->pair.copier;
  TallCopyItem item;
  copier.places = places;
  tall_copy_item_init (&item, &copier, "orders", &self->roots->results[0].rows[i], arena);
  must (tall_copy_run (&copier, &item, 1, &error));
  TallCopyOutcome outcome = item.outcome;
  if (outcome == TALL_COPY_UNFIT)
    g_assert_error (item.error, TALL_ERROR, TALL_ERROR_KEY_COLLISION);
  tall_copy_item_clear (&item);
  return outcome;
}

/* The slow one has found the target's row empty. Before it writes, the fast one copies there. */
static TallFailure
before_write (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Fixture *self = data;
  if (self->done || call->kind != TALL_CALL_APPLY)
    return TALL_FAILURE_NONE;
  self->done = TRUE;
  g_assert_cmpint (copy (self, 0, self->places), ==, TALL_COPY_COPIED);
  return TALL_FAILURE_NONE;
}

/* The fast one finds in the target what it wants of the second order, and that it has lost the
 * first one. */
static void
test_written_over (Fixture *self, gconstpointer layout G_GNUC_UNUSED)
{
  TallFailingTable *target = TALL_FAILING_TABLE (self->pair.target.table);
  tall_failing_table_set_hooks (target, before_write, NULL, self);
  copy (self, 1, NULL);
  g_assert_true (self->done);
  tall_failing_table_set_hooks (target, NULL, NULL, NULL);
  g_assert_cmpint (copy (self, 1, NULL), ==, TALL_COPY_SAME);
  g_assert_cmpint (copy (self, 1, self->places), ==, TALL_COPY_UNFIT);
}

/* What was claimed stays claimed by the same one only, even if nothing came of its copy. */
static void
test_claimed (Fixture *self, gconstpointer layout G_GNUC_UNUSED)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallCopier copier = self->pair.copier;
  TallCopyItem item;
  copier.places = self->places;
  TallFailingTable *target = TALL_FAILING_TABLE (self->pair.target.table);
  tall_copy_item_init (&item, &copier, "orders", &self->roots->results[0].rows[0], arena);
  tall_failing_table_reset (target);
  for (guint i = 1; i < 100; i++)
    tall_failing_table_fail_at (target, i, TALL_FAILURE_BEFORE);
  g_assert_false (tall_copy_run (&copier, &item, 1, &error));
  tall_copy_item_clear (&item);
  tall_failing_table_reset (target);
  g_assert_cmpint (copy (self, 1, self->places), ==, TALL_COPY_UNFIT);
  g_assert_cmpint (copy (self, 0, self->places), ==, TALL_COPY_COPIED);
  g_assert_cmpint (copy (self, 0, self->places), ==, TALL_COPY_SAME);
}

/* Two threads of one pass, or two batches: a tombstone collides as well. */
static void
test_tombstone (Fixture *self, gconstpointer layout G_GNUC_UNUSED)
{
  TallPassCounts counts;
  const TallPassOptions options = { .copier = self->pair.copier };
  g_autoptr (TallPass) pass = tall_pass_new (&options);
  must (
      tall_front_delete_order (self->pair.source.front, TALL_TEST_CUSTOMER, SECOND, NULL, &error));
  must (tall_pass_run (pass, &counts, &error));
  g_assert_cmpuint (counts.n_copied, ==, 1);
  g_assert_cmpuint (counts.n_unfit, ==, 1);
  must (tall_pass_run (pass, &counts, &error)); /* it is not forgotten */
  g_assert_cmpuint (counts.n_copied, ==, 0);
  g_assert_cmpuint (counts.n_unfit, ==, 1);
}

/* Copied together they are told apart by themselves, also by a migrator that remembers no more. */
static void
test_together (Fixture *self, gconstpointer layout G_GNUC_UNUSED)
{
  g_auto (TallCopyCounts) counts = { 0 };
  g_assert_null (self->pair.copier.places);
  must (tall_copy_pair_copy (&self->pair, self->roots, 2, &counts, &error));
  g_assert_cmpuint (counts.n[TALL_COPY_COPIED], ==, 1);
  g_assert_cmpuint (counts.n[TALL_COPY_UNFIT], ==, 1);
  g_assert_cmpint (counts.code, ==, TALL_ERROR_KEY_COLLISION);
  g_assert_nonnull (strstr (counts.message, "order " FIRST));
}

int
main (int argc, char **argv)
{
  static const TallLayout *const layouts[] = { &tall_layout_wide, &tall_layout_normalized };
  static const struct
  {
    const char *name;
    void (*test) (Fixture *self, gconstpointer layout);
  } tests[] = {
    { "written-over", test_written_over },
    { "claimed", test_claimed },
    { "tombstone", test_tombstone },
    { "together", test_together },
  };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    for (guint j = 0; j < G_N_ELEMENTS (tests); j++)
      {
        g_autofree char *path =
            g_strdup_printf ("/migrate/collision/%s/%s", layouts[i]->name, tests[j].name);
        g_test_add (path, Fixture, layouts[i], set_up, tests[j].test, tear_down);
      }
  return g_test_run ();
}
