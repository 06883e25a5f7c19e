/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What others write and read while a deployment moves, by processes that know nothing of it: what
 * was acknowledged is in the target, and afterwards they can neither write nor read. If a migration
 * leaves something out (`--omit N`, a #TallOmission), this must fail. */
#include "migrate/access.h"
#include "tall-error.h"
#include "store/read/fetch.h"
#include "tall-moving.h"
#include "tall-must.h"
#include "tall-test-orders.h"
#include "store/commit/put.h"
#include "tall-must.h"

#define ORDER "fence"

static guint omits; /* #TallOmission, by migrators */

/* A process that works on the first generation, whatever the record says. */
typedef struct
{
  TallMoving *moving;
  TallStoreContext context;
  guint at;        /* the call of the migrator before which it writes */
  gboolean tried;  /* to write */
  gint64 revision; /* that was acknowledged; 0: none was */
} Stranger;

static void
stranger_init (Stranger *self, TallMoving *moving, guint at)
{
  const TallStoreHooks hooks = { .omits = omits };
  *self = (Stranger){ .moving = moving, .at = at };
  must (tall_store_context_init (&self->context, TALL_MOVING_OTHERS (moving),
                                 moving->side.deployment, &hooks, &error));
}

static void
stranger_write (Stranger *self)
{
  static const TallWriteOptions options = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (TallOrder) order = tall_test_marked_order (ORDER, 1, 1, 3);
  g_auto (TallOperation) operation = { 0 };
  g_auto (TallContent) content = { 0 };
  self->tried = TRUE;
  must (tall_content_init (&content, tall_record_of_order (order), &error));
  tall_operation_init (&operation, &self->context, order->customer_number, ORDER, 0);
  if (!tall_put (&operation, &content, &options, &self->revision, &error))
    {
      if (!tall_error_is_not_done (error))
        g_assert_error (error, TALL_ERROR, TALL_ERROR_SHUT);
      self->revision = 0;
    }
}

static void
stranger_expect_shut_out (Stranger *self)
{
  g_autoptr (GError) error = NULL;
  g_auto (TallOperation) operation = { 0 };
  gint64 revision;
  tall_operation_init (&operation, &self->context, TALL_TEST_CUSTOMER, ORDER, 0);
  must (tall_operation_identify (&operation, FALSE, &error));
  g_autoptr (TallOrder) order = tall_fetch_order (&operation, &revision, &error);
  g_assert_null (order);
  if (!g_error_matches (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED)) /* the table is gone */
    g_assert_error (error, TALL_ERROR, TALL_ERROR_SHUT);
}

/* What was acknowledged is there, as it was stored. */
static void
stranger_expect_kept (Stranger *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallStore) store = tall_test_open (TALL_MOVING_OTHERS (self->moving), NULL);
  gint64 revision = 0;
  g_autoptr (TallOrder) order =
      tall_front_get_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, ORDER, &revision, &error);
  must_be (error, self->revision == 0 ? TALL_ERROR_NOT_FOUND : 0);
  g_assert_cmpint (revision, ==, self->revision);
}

static TallFailure
before_call (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Stranger *stranger = data;
  if (call->index == stranger->at)
    stranger_write (stranger);
  return TALL_FAILURE_NONE;
}

static void
begin (TallMoving *moving, const TallLayout *from, const TallLayout *to)
{
  tall_moving_init (moving, from, to);
  moving->hooks.omits = omits;
}

/* Returns: FALSE if the migrator has made fewer calls */
static gboolean
write_at (const TallLayout *from, const TallLayout *to, guint at, guint *n_stored)
{
  g_auto (TallMoving) moving = { 0 };
  Stranger stranger;
  begin (&moving, from, to);
  stranger_init (&stranger, &moving, at);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (moving.side.table), before_call, NULL,
                                &stranger);
  must (tall_moving_run (&moving, moving.side.table, &error));
  stranger_expect_kept (&stranger);
  stranger_expect_shut_out (&stranger);
  stranger_write (&stranger);
  g_assert_cmpint (stranger.revision, ==, 0);
  *n_stored += stranger.tried && stranger.revision != 0;
  tall_store_context_clear (&stranger.context);
  return at < tall_failing_table_count_calls (TALL_FAILING_TABLE (moving.side.table));
}

static void
test_writes (gconstpointer data)
{
  const TallLayout *const *pair = data;
  guint n = 0, n_stored = 0;
  while (write_at (pair[0], pair[1], n, &n_stored))
    n++;
  g_assert_cmpuint (n, >, 40);
}

/* Another process goes on with the phase that is recorded, up to the seal, and dies. */
static void
seal_again (TallMoving *moving, const TallStoreContext *source)
{
  g_autofree char *seal = NULL;
  must (tall_access_seal (source, &seal, &error));
  g_assert_nonnull (moving);
}

typedef struct
{
  Stranger stranger;
  TallFailingTable *aborter; /* its unseal is on the way */
  gboolean closing;          /* the migrator was about to close */
} Late;

/* After the last pass, before the record says so: the unseal of an earlier abort arrives, somebody
 * writes, and another migrator seals again. */
static TallFailure
before_closing (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Late *late = data;
  TallMoving *moving = late->stranger.moving;
  if (late->closing || call->kind != TALL_CALL_APPLY_IF || !g_str_equal (call->table, "meta"))
    return TALL_FAILURE_NONE;
  if (tall_moving_read_migration (moving).phase != TALL_MIGRATION_SEALING)
    return TALL_FAILURE_NONE;
  late->closing = TRUE;
  g_assert_cmpuint (tall_failing_table_deliver_late (late->aborter), ==, 1);
  stranger_write (&late->stranger);
  g_assert_cmpint (late->stranger.revision, >, 0);
  seal_again (moving, &late->stranger.context);
  return TALL_FAILURE_NONE;
}

/* The first call is on its way when whoever has sent it goes on with a second one. */
static TallFailure
delay_first (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  gboolean *delayed = data;
  if (*delayed || call->kind != TALL_CALL_SET_ACCESS)
    return TALL_FAILURE_NONE;
  *delayed = TRUE;
  return TALL_FAILURE_LATE;
}

/* The migrator's threads all call it. */
static TallFailure
die_under_seal (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  gint *sealed = data; /* atomic */
  if (call->kind == TALL_CALL_SET_ACCESS)
    {
      g_atomic_int_set (sealed, TRUE);
      return TALL_FAILURE_NONE;
    }
  return g_atomic_int_get (sealed) ? TALL_FAILURE_BEFORE : TALL_FAILURE_NONE;
}

static void
test_late_unseal (void)
{
  g_autoptr (GError) error = NULL;
  g_auto (TallMoving) moving = { 0 };
  Late late = { 0 };
  gint sealed = FALSE;
  gboolean delayed = FALSE;
  begin (&moving, &tall_layout_blob, &tall_layout_wide);
  TallFailingTable *migrator = TALL_FAILING_TABLE (moving.side.table);
  stranger_init (&late.stranger, &moving, 0);
  tall_failing_table_set_hooks (migrator, die_under_seal, NULL, &sealed);
  g_assert_false (tall_moving_run (&moving, moving.side.table, &error));
  g_clear_error (&error);

  g_autoptr (TallTable) aborter = tall_failing_table_new (TALL_MOVING_OTHERS (&moving));
  late.aborter = TALL_FAILING_TABLE (aborter);
  tall_failing_table_set_hooks (late.aborter, delay_first, NULL, &delayed);
  g_assert_true (tall_migrate_abort (aborter, &moving.options, &error));
  g_assert_no_error (error);
  tall_moving_expect_unmoved (&moving);

  tall_failing_table_set_hooks (migrator, before_closing, NULL, &late);
  must_fail (tall_moving_run (&moving, moving.side.table, &error), TALL_ERROR_UNAVAILABLE);
  g_assert_true (late.closing);
  g_assert_cmpuint (tall_moving_get_generation (&moving), ==, TALL_FIRST_GENERATION);
  stranger_expect_kept (&late.stranger);
  /* The unseal has come, and the last abort has waited for its answers. */
  moving.options.settled = TRUE;
  tall_moving_finish (&moving);
  stranger_expect_kept (&late.stranger);
  stranger_expect_shut_out (&late.stranger);
  tall_store_context_clear (&late.stranger.context);
}

/* Calls that change nothing now come later. */
static TallFailure
delay_access (TallFailingTable *table, const TallCall *call, gpointer data G_GNUC_UNUSED)
{
  if (call->kind != TALL_CALL_SET_ACCESS)
    return TALL_FAILURE_NONE;
  g_autoptr (TallTableSpec) spec = tall_table_describe_table (tall_failing_table_get_table (table),
                                                              call->table, TALL_NO_DEADLINE, NULL);
  return spec->access == TALL_ACCESS_OPEN ? TALL_FAILURE_LATE : TALL_FAILURE_NONE;
}

/* Calls of an abort come again after the next switch. Nothing was closed when it began, so it opens
 * nothing that has been closed since. */
static void
test_late_abort (void)
{
  g_autoptr (GError) error = NULL;
  g_auto (TallMoving) moving = { 0 };
  gint sealed = FALSE;
  begin (&moving, &tall_layout_blob, &tall_layout_wide);
  TallFailingTable *migrator = TALL_FAILING_TABLE (moving.side.table);
  tall_failing_table_set_hooks (migrator, die_under_seal, NULL, &sealed);
  g_assert_false (tall_moving_run (&moving, moving.side.table, &error));
  g_clear_error (&error);
  g_autoptr (TallTable) aborter = tall_failing_table_new (TALL_MOVING_OTHERS (&moving));
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (aborter), delay_access, NULL, NULL);
  g_assert_true (tall_migrate_abort (aborter, &moving.options, &error));
  g_assert_no_error (error);
  tall_moving_expect_unmoved (&moving);
  tall_moving_finish (&moving);
  g_assert_cmpuint (tall_failing_table_deliver_late (TALL_FAILING_TABLE (aborter)), >, 0);
  tall_moving_expect_moved (&moving);
}

/* A seal comes after the one that was sent again for it, and is not taken for that: somebody may
 * have unsealed in between. */
static void
test_late_seal (void)
{
  const TallStoreHooks hooks = { .omits = omits };
  gboolean delayed = FALSE;
  TallStoreContext source = { 0 };
  g_auto (TallMoving) moving = { 0 };
  g_auto (TallAccess) access = { 0 };
  g_autofree char *seal = NULL;
  begin (&moving, &tall_layout_blob, &tall_layout_wide);
  g_autoptr (TallTable) failing = tall_failing_table_new (TALL_MOVING_OTHERS (&moving));
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (failing), delay_first, NULL, &delayed);
  must (tall_store_context_init (&source, failing, moving.side.deployment, &hooks, &error));
  must (tall_access_seal (&source, &seal, &error));
  g_assert_cmpuint (tall_failing_table_deliver_late (TALL_FAILING_TABLE (failing)), ==, 1);
  must (tall_access_describe (&source, &access, &error));
  g_assert_cmpstr (access.common_seal, !=, seal);
  tall_store_context_clear (&source);
}

int
main (int argc, char **argv)
{
  static const TallLayout *const pairs[][2] = {
    { &tall_layout_blob, &tall_layout_record_type },
    { &tall_layout_normalized, &tall_layout_wide },
  };
  g_test_init (&argc, &argv, NULL);
  if (argc == 3 && g_str_equal (argv[1], "--omit"))
    omits = (guint)g_ascii_strtoull (argv[2], NULL, 10);
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/migrate/fence/%s-%s", pairs[i][0]->name, pairs[i][1]->name);
      g_test_add_data_func (path, pairs[i], test_writes);
    }
  g_test_add_func ("/migrate/fence/late-unseal", test_late_unseal);
  g_test_add_func ("/migrate/fence/late-abort", test_late_abort);
  g_test_add_func ("/migrate/fence/late-seal", test_late_seal);
  return g_test_run ();
}
