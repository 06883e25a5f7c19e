/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* A user who may not make tables, where an administrator can: nothing is copied, and it can be gone
 * on with, or given up. */
#include "tall-error.h"
#include "table/forwarding-table.h"
#include "tall-moving.h"
#include "tall-must.h"

G_DECLARE_FINAL_TYPE (
    TallForbiddenTable, tall_forbidden_table, TALL, FORBIDDEN_TABLE, TallForwardingTable)

struct _TallForbiddenTable
{
  TallForwardingTable parent_instance;
};

G_DEFINE_FINAL_TYPE (TallForbiddenTable, tall_forbidden_table, TALL_TYPE_FORWARDING_TABLE)

static gboolean cannot_shut;

static gboolean
create_table (TallTable *table G_GNUC_UNUSED,
              const TallTableSpec *spec G_GNUC_UNUSED,
              gint64 deadline G_GNUC_UNUSED,
              GError **error)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED, "this user may not do that");
  return FALSE;
}

static void
get_info (TallTable *table, TallTableInfo *info)
{
  TALL_TABLE_CLASS (tall_forbidden_table_parent_class)->get_info (table, info);
  info->cannot_shut = cannot_shut;
}

static void
tall_forbidden_table_init (TallForbiddenTable *self G_GNUC_UNUSED)
{
}

static void
tall_forbidden_table_class_init (TallForbiddenTableClass *klass)
{
  TALL_TABLE_CLASS (klass)->create_table = create_table;
  TALL_TABLE_CLASS (klass)->get_info = get_info;
}

static void
fail (TallMoving *moving)
{
  g_autoptr (TallTable) shared = tall_failing_table_new (TALL_MOVING_OTHERS (moving));
  g_autoptr (TallTable) table = g_object_new (tall_forbidden_table_get_type (), NULL);
  tall_failing_table_set_info (TALL_FAILING_TABLE (shared), TALL_FAILING_SHARED);
  tall_forwarding_table_wrap (TALL_FORWARDING_TABLE (table), shared);
  must_fail (tall_moving_run (moving, table, &error), TALL_ERROR_UNSUPPORTED, "Creating table",
             "this user may not", "nothing is copied", "migrate --abort");
}

/* By somebody who may, or after tables were made. */
static void
test_resumed (void)
{
  g_auto (TallMoving) moving = { 0 };
  tall_moving_init (&moving, &tall_layout_blob, &tall_layout_normalized);
  fail (&moving);
  fail (&moving); /* the second one finds it begun */
  tall_moving_finish (&moving);
  tall_moving_expect_moved (&moving);
}

static void
test_given_up (void)
{
  g_auto (TallMoving) moving = { 0 };
  tall_moving_init (&moving, &tall_layout_blob, &tall_layout_normalized);
  fail (&moving);
  tall_moving_abort (&moving);
  tall_moving_expect_unmoved (&moving);
}

/* A gateway that cannot seal: known before anything is begun, and no matter where nothing is
 * sealed. */
static void
test_framed (void)
{
  g_auto (TallMoving) moving = { 0 };
  g_autoptr (GError) error = NULL;
  tall_moving_init (&moving, &tall_layout_blob, &tall_layout_normalized);
  g_autoptr (TallTable) table = g_object_new (tall_forbidden_table_get_type (), NULL);
  tall_forwarding_table_wrap (TALL_FORWARDING_TABLE (table), TALL_MOVING_OTHERS (&moving));
  cannot_shut = TRUE;
  g_assert_false (tall_moving_run (&moving, table, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "--pass-only"));
  tall_moving_expect_unmoved (&moving);
  moving.options.pass_only = TRUE;
  g_clear_error (&error);
  g_assert_false (tall_moving_run (&moving, table, &error));
  g_assert_nonnull (strstr (error->message, "may not do that"));
  cannot_shut = FALSE;
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/migrate/forbidden/resumed", test_resumed);
  g_test_add_func ("/migrate/forbidden/given-up", test_given_up);
  g_test_add_func ("/migrate/forbidden/framed", test_framed);
  return g_test_run ();
}
