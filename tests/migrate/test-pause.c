/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* How long writes wait: as it is estimated, as it is allowed, and as it was. */
#include "tall-moving.h"
#include "tall-must.h"

#define MOMENT (G_USEC_PER_SEC / 10)

/* Each call of a kind takes a moment, on one table. */
typedef struct
{
  TallCallKind kind;
  const char *table;
} Slow;

static TallFailure
before_call (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  const Slow *slow = data;
  if (call->kind == slow->kind && g_strcmp0 (call->table, slow->table) == 0)
    g_usleep (MOMENT);
  return TALL_FAILURE_NONE;
}

static void
migrate (Slow *slow,
         TallFailingInfo info,
         const TallMigrateOptions *wanted,
         TallMigrateSummary *summary)
{
  g_auto (TallMoving) moving = { 0 };
  tall_moving_init (&moving, &tall_layout_blob, &tall_layout_wide);
  g_autoptr (TallTable) table = tall_failing_table_new (TALL_MOVING_OTHERS (&moving));
  tall_failing_table_set_info (TALL_FAILING_TABLE (table), info);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), before_call, NULL, slow);
  TallMigrateOptions options = moving.options;
  options.pass_only = wanted->pass_only;
  options.pause = wanted->pause;
  must (tall_migrate_run (table, &options, summary, &error));
}

/* So long as the pass before, and what a gateway takes to shut tables. */
static void
test_estimate (void)
{
  static const TallMigrateOptions pass_only = { .pass_only = TRUE };
  TallMigrateSummary summary;
  Slow slow = { TALL_CALL_READ, "orders" };
  migrate (&slow, TALL_FAILING_EMBEDDED, &pass_only, &summary);
  g_assert_cmpint (summary.outcome, ==, TALL_MIGRATE_PASSED);
  g_assert_cmpint (summary.pause, >=, MOMENT);
  slow.table = "none";
  migrate (&slow, TALL_FAILING_EMBEDDED, &pass_only, &summary);
  gint64 alone = summary.pause;
  migrate (&slow, TALL_FAILING_SHARED, &pass_only, &summary);
  g_assert_cmpint (summary.pause, >, G_USEC_PER_SEC);
  g_assert_cmpint (alone, <, summary.pause);
}

/* What only copies makes nobody wait, whatever is allowed. */
static void
test_limit (void)
{
  const TallMigrateOptions pass_only = { .pass_only = TRUE, .pause = 1 };
  const TallMigrateOptions switches = { .pause = 1 };
  TallMigrateSummary summary;
  Slow slow = { TALL_CALL_READ, "none" };
  migrate (&slow, TALL_FAILING_EMBEDDED, &pass_only, &summary);
  g_assert_cmpint (summary.outcome, ==, TALL_MIGRATE_PASSED);
  migrate (&slow, TALL_FAILING_EMBEDDED, &switches, &summary);
  g_assert_cmpint (summary.outcome, ==, TALL_MIGRATE_TOO_LONG);
  g_assert_cmpint (summary.pause, >, 1);
}

/* From the seal on. */
static void
test_measured (void)
{
  const TallMigrateOptions none = { 0 };
  TallMigrateSummary summary;
  Slow slow = { TALL_CALL_SET_ACCESS, "customers" }; /* is sealed, and closed */
  migrate (&slow, TALL_FAILING_EMBEDDED, &none, &summary);
  g_assert_cmpint (summary.outcome, ==, TALL_MIGRATE_SWITCHED);
  g_assert_cmpint (summary.pause, >=, 2 * MOMENT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/migrate/pause/estimate", test_estimate);
  g_test_add_func ("/migrate/pause/limit", test_limit);
  g_test_add_func ("/migrate/pause/measured", test_measured);
  return g_test_run ();
}
