/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/migrate.h"
#include "store/record/deployment.h"
#include "table/memory-table.h"
#include "tall-error.h"
#include "tall-must.h"
#include "tall-test-orders.h"
#include "tall-test-store.h"

/* A migrator stands still before one of its calls. Meanwhile others end its migration, and go on in
 * the tables that count then; or they drop the deployment, make another one of that name, and
 * migrate it. What the slow one does afterwards harms nobody. */

/* What happens meanwhile, and before which call. */
typedef struct _Slow Slow;
struct _Slow
{
  const char *from;
  const char *to;
  void (*meanwhile) (Slow *self);
  guint at;
  gboolean is_made;
  TallTable *memory; /* owned */
  TallTable *others; /* owned: memory that others share */
};

static TallTable *
new_shared (TallTable *memory)
{
  TallTable *table = tall_failing_table_new (memory);
  tall_failing_table_set_info (TALL_FAILING_TABLE (table), TALL_FAILING_SHARED);
  return table;
}

static void
put (TallTable *table, const char *number, guint writer)
{
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  g_autoptr (TallOrder) order = tall_test_marked_order (number, writer, 1, 3);
  must (tall_front_put_order (TALL_FRONT (store), order, NULL, NULL, &error));
}

static void
expect (TallTable *table, const char *number, guint expected)
{
  guint writer, sequence;
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  g_autoptr (TallOrder) order =
      must (tall_front_get_order (TALL_FRONT (store), TALL_TEST_CUSTOMER, number, NULL, &error));
  tall_test_read_mark (order, &writer, &sequence);
  g_assert_cmpuint (writer, ==, expected);
}

static gboolean
migrate (TallTable *table, const char *layout, gboolean pass_only, GError **error)
{
  TallMigrateSummary summary;
  const TallMigrateOptions options = {
    .move = { .layout = layout != NULL ? tall_layout_find (layout, NULL) : NULL },
    .pass_only = pass_only,
  };
  return tall_migrate_run (table, &options, &summary, error);
}

static TallFailure
before_call (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Slow *self = data;
  if (self->is_made || call->index < self->at)
    return TALL_FAILURE_NONE;
  self->is_made = TRUE;
  self->meanwhile (self);
  return TALL_FAILURE_NONE;
}

/* Returns: FALSE if the migrator makes fewer calls. @after: what must hold then */
static gboolean
run_slowly (const Slow *wanted, guint at, gboolean is_shared, void (*after) (const Slow *self))
{
  g_autoptr (GError) error = NULL;
  Slow self = *wanted;
  self.at = at;
  self.memory = tall_memory_table_new ();
  self.others = is_shared ? new_shared (self.memory) : g_object_ref (self.memory);
  tall_test_create (self.memory, self.from, "hashed", 0);
  put (self.memory, "1", 1);
  g_autoptr (TallTable) own = tall_failing_table_new (self.memory);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (own), before_call, NULL, &self);
  if (!migrate (own, self.to, FALSE, &error))
    g_test_message ("at call %u the error is: %s", at, error->message);
  if (self.is_made)
    after (&self);
  g_object_unref (self.memory);
  g_object_unref (self.others);
  return self.is_made;
}

/* ---- Others end the migration, and claim the order ---- */

/* Nothing arrives of what a client does after its claim. */
static TallFailure
die_after_claim (TallFailingTable *table G_GNUC_UNUSED,
                 const TallCall *call G_GNUC_UNUSED,
                 gpointer data)
{
  const gboolean *claimed = data;
  return *claimed ? TALL_FAILURE_BEFORE : TALL_FAILURE_NONE;
}

static void
note_claim (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  gboolean *claimed = data;
  *claimed |= call->kind == TALL_CALL_APPLY_IF && call->matched;
}

static void
claim_and_die (TallTable *memory)
{
  gboolean claimed = FALSE;
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) dying = tall_failing_table_new (memory);
  g_autoptr (TallStore) client = tall_test_open (dying, NULL);
  g_autoptr (TallOrder) order = tall_test_marked_order ("1", 2, 2, 3);
  const TallWriteOptions once = { .timeout = 1 };
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (dying), die_after_claim, note_claim, &claimed);
  g_assert_false (tall_front_put_order (TALL_FRONT (client), order, &once, NULL, &error));
}

static void
end_and_claim (Slow *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallDeployment) record = tall_deployment_read (self->memory, TALL_NO_DEADLINE, &error);
  gboolean is_begun = record->migration.phase != TALL_MIGRATION_NONE;
  if (record->migration.generation == TALL_FIRST_GENERATION)
    g_assert_true (migrate (self->memory, is_begun ? NULL : self->to, FALSE, &error));
  g_assert_no_error (error);
  claim_and_die (self->memory);
}

static void
expect_kept (const Slow *self)
{
  expect (self->memory, "1", 1);
}

static void
test_claimed (gconstpointer data)
{
  const Slow slow = { .from = "blob", .to = data, .meanwhile = end_and_claim };
  guint at = 0;
  while (run_slowly (&slow, at, FALSE, expect_kept))
    at++;
  g_assert_cmpuint (at, >, 40);
}

/* ---- Others make another deployment in the place of this one ---- */

static void
remake_and_migrate (Slow *self)
{
  g_autoptr (GError) error = NULL;
  must (tall_store_drop (self->others, &error));
  tall_test_create (self->others, "wide", "raw", 0);
  put (self->memory, "1001", 4);
  must (migrate (self->memory, "normalized", TRUE, &error)); /* copies, and does not switch */
  g_assert_no_error (error);
  put (self->memory, "1002", 5);
}

static void
expect_others (const Slow *self)
{
  g_autoptr (TallDeployment) record =
      must (tall_deployment_read (self->memory, TALL_NO_DEADLINE, &error));
  g_assert_cmpstr (record->layout, ==, "wide");
  g_assert_cmpint (record->migration.phase, ==, TALL_MIGRATION_COPYING);
  expect (self->memory, "1001", 4);
  expect (self->memory, "1002", 5);
  must (migrate (self->memory, NULL, FALSE, &error));
  expect (self->memory, "1001", 4);
  expect (self->memory, "1002", 5);
}

static void
test_remade (void)
{
  const Slow slow = { .from = "wide", .to = "blob", .meanwhile = remake_and_migrate };
  guint at = 0;
  while (run_slowly (&slow, at, TRUE, expect_others))
    at++;
  g_assert_cmpuint (at, >, 40);
}

/* Where the table meta was dropped, too, the numbers begin again. The steps of the record say
 * nothing of the deployment, but its id is compared before each. */
static TallFailure
before_step (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Slow *self = data;
  gboolean is_of_record = call->kind == TALL_CALL_READ && g_strcmp0 (call->table, "meta") == 0;
  if (self->is_made || !is_of_record || self->at-- > 0)
    return TALL_FAILURE_NONE;
  self->is_made = TRUE;
  self->meanwhile (self);
  return TALL_FAILURE_NONE;
}

static void
test_remade_with_equal_numbers (void)
{
  const Slow slow = { .from = "wide", .to = "blob", .meanwhile = remake_and_migrate };
  gboolean reached = TRUE;
  for (guint at = 1; reached; at++)
    {
      g_autoptr (GError) error = NULL;
      Slow self = slow;
      self.at = at;
      self.memory = tall_memory_table_new ();
      self.others = g_object_ref (self.memory);
      tall_test_create (self.memory, self.from, "hashed", 0);
      put (self.memory, "1", 1);
      g_autoptr (TallTable) own = tall_failing_table_new (self.memory);
      tall_failing_table_set_hooks (TALL_FAILING_TABLE (own), before_step, NULL, &self);
      if (!migrate (own, self.to, FALSE, &error))
        g_test_message ("at read %u the error is: %s", at, error->message);
      reached = self.is_made;
      if (reached)
        expect_others (&self);
      g_object_unref (self.memory);
      g_object_unref (self.others);
    }
}

int
main (int argc, char **argv)
{
  static const char *const layouts[] = { "record-type", "normalized", "denormalized" };
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    {
      g_autofree char *path = g_strdup_printf ("/slow-migrator/claimed/%s", layouts[i]);
      g_test_add_data_func (path, layouts[i], test_claimed);
    }
  g_test_add_func ("/slow-migrator/remade", test_remade);
  g_test_add_func ("/slow-migrator/remade-with-equal-numbers", test_remade_with_equal_numbers);
  return g_test_run ();
}
