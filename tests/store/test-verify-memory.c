/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* However many rows lie between those of an order, a verification holds a few pages. And what it
 * has found before a table goes away stays found. */
#include "tall-error.h"
#include "table/forwarding-table.h"
#include "tall-must.h"
#include "tall-test-findings.h"
#include "tall-test-mending.h"
#include "tall-test-orders.h"

#define MANY 20000
#define STRAY_SIZE 400
#define MOST_PAGES 3 /* at once: one with rows of the order, one that was read, one that is */
#define MOST_ROWS 4096

/* Counts what its callers hold. */
#define TYPE_HELD_TABLE (held_table_get_type ())
G_DECLARE_FINAL_TYPE (HeldTable, held_table, HELD, TABLE, TallForwardingTable)

struct _HeldTable
{
  TallForwardingTable parent_instance;
  guint n_held; /* large results */
  guint most_held;
  guint most_rows; /* of one */
  guint64 n_rows;
};

G_DEFINE_FINAL_TYPE (HeldTable, held_table, TALL_TYPE_FORWARDING_TABLE)

static void
let_go (gpointer data)
{
  ((HeldTable *)data)->n_held--;
}

static TallReadResult *
held_table_read (TallTable *base, const TallReadPlan *plan, gint64 deadline, GError **error)
{
  guint n_rows = 0;
  HeldTable *self = HELD_TABLE (base);
  TallTable *table = tall_forwarding_table_get_table (TALL_FORWARDING_TABLE (self));
  TallReadResult *result = tall_table_read (table, plan, deadline, error);
  for (guint i = 0; result != NULL && i < result->n_results; i++)
    n_rows += result->results[i].n_rows;
  self->n_rows += n_rows;
  self->most_rows = MAX (self->most_rows, n_rows);
  if (n_rows < 100)
    return result;
  self->n_held++;
  self->most_held = MAX (self->most_held, self->n_held);
  tall_arena_own (result->arena, self, let_go);
  return result;
}

static void
held_table_init (HeldTable *self G_GNUC_UNUSED)
{
}

static void
held_table_class_init (HeldTableClass *klass)
{
  TALL_TABLE_CLASS (klass)->read = held_table_read;
}

/* The order between whose rows they lie is looked at by the walk, again as a suspect, and to be
 * mended: each time page by page. */
static void
test_pages (TallStoreFixture *fixture, gconstpointer data)
{
  const TallStoreKind *kind = data;
  TallVerifySummary summary;
  const TallTestDamage *damage = tall_test_damage_find ("left-claim-and-cells");
  if (kind->layout->single_row || kind->key_strategy != &tall_key_hashed)
    return;
  tall_test_damage_do (damage, fixture, kind);
  tall_test_put_strays (fixture, kind, damage->name, MANY, STRAY_SIZE);
  g_autoptr (TallTable) table = g_object_new (TYPE_HELD_TABLE, NULL);
  tall_forwarding_table_wrap (TALL_FORWARDING_TABLE (table), fixture->table);
  g_autoptr (TallStore) store = tall_test_open (table, &fixture->clock);
  g_autoptr (GPtrArray) lines =
      tall_test_find (TALL_FRONT (store), (TallVerifyOptions){ .repair = TRUE }, &summary);
  HeldTable *held = HELD_TABLE (table);
  g_assert_cmpuint (summary.n_for_person, ==, 1);
  g_assert_cmpuint (summary.n_mended, ==, 1);
  /* Of the root rows that are not in one table with the others, a plan gets one. */
  g_assert_cmpuint (held->n_rows, >, kind->layout == &tall_layout_normalized ? MANY : 3 * MANY);
  g_assert_cmpuint (held->most_rows, <=, MOST_ROWS);
  g_assert_cmpuint (held->most_held, <=, MOST_PAGES);
  g_assert_cmpuint (held->n_held, ==, 0);
}

/* From the first look at the hints on, nothing answers. */
static TallFailure
fail_from_hints (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  gboolean *fails = data;
  *fails = *fails || g_strcmp0 (call->table, "index") == 0;
  return *fails ? TALL_FAILURE_BEFORE : TALL_FAILURE_NONE;
}

/* The first answer has found something and failed then, the others have found nothing. */
static void
test_kept (TallStoreFixture *fixture, gconstpointer kind)
{
  gboolean fails = FALSE;
  TallVerifySummary summary;
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (TallOrder) order = tall_test_marked_order (TALL_TEST_ORDER, 1, 1, 3);
  tall_fixture_put (fixture, order, NULL);
  tall_test_damage_do (tall_test_damage_find ("never-stray-row"), fixture, kind);
  g_autoptr (TallTable) table = tall_failing_table_new (fixture->table);
  g_autoptr (TallStore) store = tall_test_open (table, &fixture->clock);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), fail_from_hints, NULL, &fails);
  must_fail (tall_test_find_some (TALL_FRONT (store), (TallVerifyOptions){ 0 }, lines, &summary,
                                  &error),
             TALL_ERROR_UNAVAILABLE);
  g_assert_cmpuint (lines->len, ==, 1);
  g_assert_true (g_str_has_prefix (g_ptr_array_index (lines, 0), "stray-row "));
  g_assert_cmpuint (summary.n_findings, ==, 1);
}

int
main (int argc, char **argv)
{
  static const TallStoreTest tests[] = { { "pages", test_pages }, { "kept", test_kept } };
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add ("verify-memory", tests, G_N_ELEMENTS (tests));
  return g_test_run ();
}
