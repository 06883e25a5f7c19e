/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-failing-table.h"
#include "table/memory-table.h"
#include "tall-must.h"
#include "tall-test-cells.h"

typedef struct
{
  TallTable *memory;
  TallTable *table;
  TallBatch *batch; /* puts s@10=v into rows a and b */
} Fixture;

static void
set_up (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("t");
  self->memory = tall_memory_table_new ();
  self->table = tall_failing_table_new (self->memory);
  must (tall_table_create_table (self->memory, spec, TALL_NO_DEADLINE, &error));

  self->batch = tall_batch_new ();
  static const char *const rows[] = { "a", "b" };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    tall_mutation_put (self->batch, tall_batch_add (self->batch, "t", tall_slice_str (rows[i])),
                       tall_slice_str ("s"), 10, tall_slice_str ("v"));
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_batch_free (self->batch);
  g_object_unref (self->table);
  g_object_unref (self->memory);
}

static guint
count_rows (Fixture *self)
{
  g_autoptr (TallReadResult) result = tall_test_scan (self->memory, "t");
  return result->results[0].n_rows;
}

/* Returns: the code of the error, 0 for success */
static int
apply (Fixture *self)
{
  g_autoptr (GError) error = NULL;
  gboolean applied =
      tall_table_apply (self->table, (TallMutation *const *)self->batch->mutations->pdata, 2,
                        TALL_DURABLE, TALL_NO_DEADLINE, &error);
  g_assert_true (applied == (error == NULL));
  return error == NULL ? 0 : error->code;
}

static int
apply_if (Fixture *self, gboolean *matched)
{
  g_autoptr (GError) error = NULL;
  gboolean answered = tall_table_apply_if (
      self->table,
      &(TallConditionalWrite){ .mutations = (TallMutation *const *)self->batch->mutations->pdata,
                               .n = 1,
                               .qualifier = tall_slice_str ("s"),
                               .durability = TALL_DURABLE,
                               .deadline = TALL_NO_DEADLINE },
      matched, &error);
  g_assert_true (answered == (error == NULL));
  return error == NULL ? 0 : error->code;
}

static void
test_apply (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  static const struct
  {
    TallFailure failure;
    int code;
    guint n_rows;
  } cases[] = {
    { TALL_FAILURE_BEFORE, TALL_ERROR_UNAVAILABLE, 0 },
    { TALL_FAILURE_LATE, TALL_ERROR_TIMED_OUT, 0 },
    { TALL_FAILURE_PARTLY, TALL_ERROR_UNAVAILABLE, 1 },
    { TALL_FAILURE_LOST, TALL_ERROR_TIMED_OUT, 2 },
    { TALL_FAILURE_FALSE, 0, 2 },
    { TALL_FAILURE_NONE, 0, 2 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      tall_failing_table_fail_at (TALL_FAILING_TABLE (self->table), i, cases[i].failure);
      g_assert_cmpint (apply (self), ==, cases[i].code);
      g_assert_cmpuint (count_rows (self), ==, cases[i].n_rows);
    }
  g_assert_cmpuint (tall_failing_table_count_calls (TALL_FAILING_TABLE (self->table)), ==, 6);
}

static void
test_apply_if (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallFailingTable *failing = TALL_FAILING_TABLE (self->table);
  gboolean matched = TRUE;
  tall_failing_table_fail_at (failing, 0, TALL_FAILURE_BEFORE);
  g_assert_cmpint (apply_if (self, &matched), ==, TALL_ERROR_UNAVAILABLE);
  g_assert_cmpuint (count_rows (self), ==, 0);

  /* Done, but the caller hears otherwise. */
  tall_failing_table_fail_at (failing, 1, TALL_FAILURE_FALSE);
  g_assert_cmpint (apply_if (self, &matched), ==, 0);
  g_assert_false (matched);
  g_assert_cmpuint (count_rows (self), ==, 1);
}

static void
test_apply_if_lost (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  gboolean matched = TRUE;
  tall_failing_table_fail_at (TALL_FAILING_TABLE (self->table), 0, TALL_FAILURE_LOST);
  g_assert_cmpint (apply_if (self, &matched), ==, TALL_ERROR_OUTCOME_UNKNOWN);
  g_assert_false (matched);
  g_assert_cmpuint (count_rows (self), ==, 1);
}

/* A late write takes effect when it arrives, if its condition holds then. */
static void
test_late (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallFailingTable *failing = TALL_FAILING_TABLE (self->table);
  gboolean matched = TRUE;
  for (guint i = 0; i < 2; i++)
    {
      tall_failing_table_fail_at (failing, i, TALL_FAILURE_LATE);
      g_assert_cmpint (apply_if (self, &matched), ==, TALL_ERROR_OUTCOME_UNKNOWN);
    }
  g_assert_cmpuint (count_rows (self), ==, 0);
  g_assert_cmpuint (tall_failing_table_deliver_late (failing), ==, 1);
  g_assert_cmpuint (count_rows (self), ==, 1);
  g_assert_cmpuint (tall_failing_table_deliver_late (failing), ==, 0);

  tall_failing_table_fail_at (failing, 2, TALL_FAILURE_LATE);
  g_assert_cmpint (apply (self), ==, TALL_ERROR_TIMED_OUT);
  g_assert_cmpuint (count_rows (self), ==, 1);
  g_assert_cmpuint (tall_failing_table_deliver_late (failing), ==, 1);
  g_assert_cmpuint (count_rows (self), ==, 2);
}

static void
test_increment (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  static const int codes[] = { TALL_ERROR_UNAVAILABLE, TALL_ERROR_OUTCOME_UNKNOWN, 0 };
  TallFailingTable *failing = TALL_FAILING_TABLE (self->table);
  gint64 value = 0;
  tall_failing_table_fail_at (failing, 0, TALL_FAILURE_BEFORE);
  tall_failing_table_fail_at (failing, 1, TALL_FAILURE_LOST);
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autoptr (GError) error = NULL;
      gboolean answered =
          tall_table_increment (self->table, "t", tall_slice_str ("c"), tall_slice_str ("n"), 1,
                                TALL_NO_DEADLINE, &value, &error);
      g_assert_true (answered == (codes[i] == 0));
      g_assert_cmpint (error == NULL ? 0 : error->code, ==, codes[i]);
    }
  g_assert_cmpint (value, ==, 2); /* the lost one counted */
}

static void
test_read (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  static const int codes[] = { TALL_ERROR_UNAVAILABLE, TALL_ERROR_TIMED_OUT, 0 };
  TallFailingTable *failing = TALL_FAILING_TABLE (self->table);
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, "t", tall_slice_str ("a"));
  tall_failing_table_fail_at (failing, 0, TALL_FAILURE_BEFORE);
  tall_failing_table_fail_at (failing, 1, TALL_FAILURE_LOST);
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallReadResult) result =
          tall_table_read (self->table, plan, TALL_NO_DEADLINE, &error);
      g_assert_true ((result != NULL) == (codes[i] == 0));
      g_assert_cmpint (error == NULL ? 0 : error->code, ==, codes[i]);
    }
}

/* Returns: the code of the error, 0 for success */
static int
set_access (Fixture *self, TallTableAccess access, const char *seal)
{
  g_autoptr (GError) error = NULL;
  gboolean set = tall_table_set_access (self->table, "t", access, seal, TALL_NO_DEADLINE, &error);
  g_assert_true (set == (error == NULL));
  return error == NULL ? 0 : error->code;
}

static void
expect_access (Fixture *self, TallTableAccess access, const char *seal)
{
  g_autoptr (TallTableSpec) spec =
      tall_table_describe_table (self->memory, "t", TALL_NO_DEADLINE, NULL);
  g_assert_cmpint (spec->access, ==, access);
  g_assert_cmpstr (spec->seal, ==, seal);
}

static void
test_access (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallFailingTable *failing = TALL_FAILING_TABLE (self->table);
  static const TallFailure failures[] = { TALL_FAILURE_BEFORE, TALL_FAILURE_LOST, TALL_FAILURE_LATE,
                                          TALL_FAILURE_PARTLY };
  for (guint i = 0; i < G_N_ELEMENTS (failures); i++)
    tall_failing_table_fail_at (failing, i, failures[i]);

  g_assert_cmpint (set_access (self, TALL_ACCESS_SEALED, "a"), ==, TALL_ERROR_UNAVAILABLE);
  expect_access (self, TALL_ACCESS_OPEN, NULL);
  g_assert_cmpint (set_access (self, TALL_ACCESS_SEALED, "a"), ==, TALL_ERROR_OUTCOME_UNKNOWN);
  expect_access (self, TALL_ACCESS_SEALED, "a");
  g_assert_cmpint (set_access (self, TALL_ACCESS_OPEN, NULL), ==, TALL_ERROR_OUTCOME_UNKNOWN);
  expect_access (self, TALL_ACCESS_SEALED, "a");
  g_assert_cmpint (set_access (self, TALL_ACCESS_SEALED, "b"), ==, TALL_ERROR_UNAVAILABLE);
  expect_access (self, TALL_ACCESS_SEALED, "a");
  g_assert_cmpint (set_access (self, TALL_ACCESS_CLOSED, NULL), ==, 0);
  g_assert_cmpint (set_access (self, TALL_ACCESS_SEALED, "c"), ==, 0);
  expect_access (self, TALL_ACCESS_CLOSED, "c");

  g_assert_cmpuint (tall_failing_table_deliver_late (failing), ==, 1);
  expect_access (self, TALL_ACCESS_CLOSED, NULL);
}

/* What comes late to a table that was sealed meanwhile has no effect. */
static void
test_late_and_shut (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallFailingTable *failing = TALL_FAILING_TABLE (self->table);
  gboolean matched = TRUE;
  tall_failing_table_fail_at (failing, 0, TALL_FAILURE_LATE);
  tall_failing_table_fail_at (failing, 1, TALL_FAILURE_LATE);
  g_assert_cmpint (apply_if (self, &matched), ==, TALL_ERROR_OUTCOME_UNKNOWN);
  g_assert_cmpint (apply (self), ==, TALL_ERROR_TIMED_OUT);
  g_assert_cmpint (set_access (self, TALL_ACCESS_SEALED, "a"), ==, 0);
  g_assert_cmpuint (tall_failing_table_deliver_late (failing), ==, 0);
  g_assert_cmpuint (count_rows (self), ==, 0);
}

/* Hooks: the other writer comes first, and the wrapped call sees it. */
static TallFailure
overtake (TallFailingTable *failing, const TallCall *call, gpointer data)
{
  Fixture *self = data;
  gboolean matched = FALSE;
  g_assert_cmpint (call->kind, ==, TALL_CALL_APPLY_IF);
  g_assert_cmpstr (call->table, ==, "t");
  g_assert_cmpuint (call->n_mutations, ==, 1);

  must (tall_table_apply_if (tall_failing_table_get_table (failing),
                             &(TallConditionalWrite){
                                 .mutations = (TallMutation *const *)self->batch->mutations->pdata,
                                 .n = 1,
                                 .qualifier = tall_slice_str ("s"),
                                 .durability = TALL_DURABLE,
                                 .deadline = TALL_NO_DEADLINE },
                             &matched, &error));
  g_assert_true (matched);
  return TALL_FAILURE_NONE;
}

static void
check_overtaken (TallFailingTable *failing G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Fixture *self = data;
  g_assert_true (call->succeeded);
  g_assert_false (call->matched);
  g_assert_cmpuint (count_rows (self), ==, 1);
}

static void
test_hooks (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  gboolean matched = TRUE;
  TallFailingTable *failing = TALL_FAILING_TABLE (self->table);
  tall_failing_table_set_hooks (failing, overtake, check_overtaken, self);
  g_assert_cmpint (apply_if (self, &matched), ==, 0);
  g_assert_false (matched);
  g_assert_cmpuint (tall_failing_table_count_calls (failing), ==, 1);
}

#define ADD(path, function) g_test_add (path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/table/failing/apply", test_apply);
  ADD ("/table/failing/apply-if", test_apply_if);
  ADD ("/table/failing/apply-if-lost", test_apply_if_lost);
  ADD ("/table/failing/late", test_late);
  ADD ("/table/failing/increment", test_increment);
  ADD ("/table/failing/read", test_read);
  ADD ("/table/failing/access", test_access);
  ADD ("/table/failing/late-and-shut", test_late_and_shut);
  ADD ("/table/failing/hooks", test_hooks);
  return g_test_run ();
}
