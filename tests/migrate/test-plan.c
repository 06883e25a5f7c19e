/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What is shown before anything begins. */
#include "tall-error.h"
#include "migrate/migrate.h"
#include "tall-must.h"
#include "tall-test-orders.h"
#include "tall-test-store.h"

#define N_ORDERS 16 /* all are in the sample */
#define N_LEFT 2
#define N_LINES 50

static gboolean
on_plan (const TallMigratePlan *plan, gpointer data)
{
  *(TallMigratePlan *)data = *plan;
  return FALSE;
}

static gboolean
agree (const TallMigratePlan *plan G_GNUC_UNUSED, gpointer data G_GNUC_UNUSED)
{
  return TRUE;
}

static TallMigratePlan
plan (TallTable *table)
{
  TallMigratePlan shown = { 0 };
  TallMigrateSummary summary;
  const TallMigrateOptions options = { .move = { .layout = &tall_layout_wide },
                                       .on_plan = on_plan,
                                       .data = &shown };
  must (tall_migrate_run (table, &options, &summary, &error));
  g_assert_cmpint (summary.outcome, ==, TALL_MIGRATE_STOPPED);
  return shown;
}

static void
put_all (TallFront *front)
{
  for (guint i = 0; i < N_ORDERS; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      g_autoptr (TallOrder) order = tall_test_marked_order (number, 0, i, N_LINES);
      must (tall_front_put_order (front, order, NULL, NULL, &error));
    }
}

/* What is deleted takes next to no room. */
static void
test_deleted (void)
{
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  TallFront *front = TALL_FRONT (store);
  put_all (front);
  TallMigratePlan all = plan (table);
  for (guint i = N_LEFT; i < N_ORDERS; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      must (tall_front_delete_order (front, TALL_TEST_CUSTOMER, number, NULL, &error));
    }
  TallMigratePlan left = plan (table);
  g_assert_cmpuint (all.n_orders, ==, N_ORDERS);
  g_assert_cmpuint (left.n_orders, ==, N_ORDERS);
  g_assert_cmpuint (left.needed, >, 0);
  g_assert_cmpuint (left.needed, <, all.needed / 2);
  g_assert_cmpuint (left.n_bytes, <, all.n_bytes / 2);
}

/* There has to be room for what the target needs, which is more than what the source has. */
static void
test_room (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  TallMigrateSummary summary;
  put_all (TALL_FRONT (store));
  const TallMigratePlan shown = plan (table);
  g_assert_cmpuint (shown.n_bytes, <, shown.needed - 1);
  TallMigrateOptions options = { .move = { .layout = &tall_layout_wide },
                                 .room = shown.needed - 1,
                                 .on_plan = agree };
  g_assert_false (tall_migrate_run (table, &options, &summary, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE);
  g_autoptr (TallDeployment) record = tall_deployment_read (table, TALL_NO_DEADLINE, NULL);
  g_assert_cmpint (record->migration.phase, ==, TALL_MIGRATION_NONE);
  g_clear_error (&error);
  options.room = shown.needed;
  g_assert_true (tall_migrate_run (table, &options, &summary, &error));
  g_assert_no_error (error);
  g_assert_cmpint (summary.outcome, ==, TALL_MIGRATE_SWITCHED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/migrate/plan/deleted", test_deleted);
  g_test_add_func ("/migrate/plan/room", test_room);
  return g_test_run ();
}
