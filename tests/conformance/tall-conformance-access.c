/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-conformance-private.h"
#include "tall-must.h"

/* Sealing and closing. Every case makes a table of its own. */
#define TABLE "shutter"
#define SEAL_A "0b8ff1f3-5d4f-4a4a-a7a7-0c7a3f0a7f01"
#define SEAL_B "7c1f28a7-94b5-4f39-9a0e-0c8f6c7c4a02"

static void
expect_access (TallTable *table, TallTableAccess access, const char *seal)
{
  g_autoptr (TallTableSpec) spec =
      must (tall_table_describe_table (table, TABLE, TALL_NO_DEADLINE, &error));
  g_assert_cmpint (spec->access, ==, access);
  g_assert_cmpstr (spec->seal, ==, seal);
}

/* Returns: the code of the error, 0 if it went well */
static int
code_of (const GError *error, gboolean succeeded)
{
  g_assert_true (succeeded == (error == NULL));
  g_assert_true (error == NULL || error->domain == TALL_ERROR);
  return error == NULL ? 0 : error->code;
}

static int
apply (TallConformance *self, TallTable *table, const char *row, const char *changes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = add_changes (self, batch, TABLE, row, changes);
  gboolean applied = tall_table_apply (table, &mutation, 1, TALL_DURABLE, TALL_NO_DEADLINE, &error);
  return code_of (error, applied);
}

static int
apply_if (TallConformance *self,
          TallTable *table,
          const char *row,
          const char *expected,
          const char *changes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = add_changes (self, batch, TABLE, row, changes);
  TallSlice value = tall_slice_str (expected);
  gboolean matched = TRUE;
  gboolean answered =
      tall_table_apply_if (table,
                           &(TallConditionalWrite){ .mutations = &mutation,
                                                    .n = 1,
                                                    .qualifier = tall_slice_str ("x"),
                                                    .expected = &value,
                                                    .durability = TALL_DURABLE,
                                                    .deadline = TALL_NO_DEADLINE },
                           &matched, &error);
  g_assert_true (answered || !matched);
  return code_of (error, answered);
}

static int
increment (TallConformance *self, TallTable *table, const char *row)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallArena) arena = tall_arena_new (0);
  gint64 value = 0;
  gboolean answered =
      tall_table_increment (table, TABLE, row_key (self, arena, row), tall_slice_str ("n"), 1,
                            TALL_NO_DEADLINE, &value, &error);
  return code_of (error, answered);
}

/* Reads all rows of TABLE; with @beside also a row of SHARED, before or after them. */
static int
read_rows (TallConformance *self, TallTable *table, const char *beside, char **rows)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  const TallSlice all = TALL_SLICE_INIT;
  if (g_strcmp0 (beside, "before") == 0)
    add_get (self, plan, "a");
  guint index = plan->reads->len;
  tall_read_plan_add_scan (plan, TABLE, all, all);
  if (g_strcmp0 (beside, "after") == 0)
    add_get (self, plan, "a");
  g_autoptr (TallReadResult) result = tall_table_read (table, plan, TALL_NO_DEADLINE, &error);
  if (result != NULL && rows != NULL)
    *rows = rows_to_text (self, &result->results[index]);
  return code_of (error, result != NULL);
}

/* Gets one row, or two in one read. */
static int
get_rows (TallConformance *self, TallTable *table, guint n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  const TallSlice keys[] = { row_key (self, plan->arena, "a"), row_key (self, plan->arena, "b") };
  tall_read_plan_add_gets (plan, TABLE, keys, n);
  g_autoptr (TallReadResult) result = tall_table_read (table, plan, TALL_NO_DEADLINE, &error);
  return code_of (error, result != NULL);
}

static void
expect_rows (TallConformance *self, TallTable *table, const char *expected)
{
  g_autofree char *rows = NULL;
  g_assert_cmpint (read_rows (self, table, NULL, &rows), ==, 0);
  g_assert_cmpstr (rows, ==, expected);
}

/* Every way to write, conditions that hold and others, rows that are there and others. */
static void
expect_writes_fail (TallConformance *self, TallTable *table)
{
  static const char *const rows[] = { "a", "new" };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_assert_cmpint (apply (self, table, rows[i], "x@5=w"), ==, TALL_ERROR_SHUT);
      g_assert_cmpint (apply (self, table, rows[i], "<=9"), ==, TALL_ERROR_SHUT);
      g_assert_cmpint (apply_if (self, table, rows[i], "v", "x@5=w"), ==, TALL_ERROR_SHUT);
      g_assert_cmpint (apply_if (self, table, rows[i], "other", "x@5=w"), ==, TALL_ERROR_SHUT);
      g_assert_cmpint (increment (self, table, rows[i]), ==, TALL_ERROR_SHUT);
    }
}

/* Every way to read and write. */
static void
expect_closed (TallConformance *self, TallTable *table)
{
  static const char *const beside[] = { NULL, "before", "after" };
  for (guint i = 0; i < G_N_ELEMENTS (beside); i++)
    g_assert_cmpint (read_rows (self, table, beside[i], NULL), ==, TALL_ERROR_SHUT);
  g_assert_cmpint (get_rows (self, table, 1), ==, TALL_ERROR_SHUT);
  g_assert_cmpint (increment (self, table, "a"), ==, TALL_ERROR_SHUT);
  if (self->backend.may_hang)
    return;
  g_assert_cmpint (get_rows (self, table, 2), ==, TALL_ERROR_SHUT);
  expect_writes_fail (self, table);
}

static void
expect_listed (TallTable *table)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) names = tall_table_list_tables (table, TALL_NO_DEADLINE, &error);
  g_assert_no_error (error);
  g_assert_true (g_strv_contains ((const char *const *)names, TABLE));
}

static void
test_sealed (TallConformance *self)
{
  create_table (self, TABLE);
  expect_access (self->table, TALL_ACCESS_OPEN, NULL);
  g_assert_cmpint (apply (self, self->table, "a", "x@1=v"), ==, 0);

  set_access (self, TABLE, TALL_ACCESS_SEALED, SEAL_A);
  expect_access (self->table, TALL_ACCESS_SEALED, SEAL_A);
  expect_writes_fail (self, self->table);
  expect_rows (self, self->table, "a: x@1=v");
  g_assert_cmpint (get_rows (self, self->table, 2), ==, 0);
  expect_listed (self->table);
  change (self, "a", "x@1=beside");

  set_access (self, TABLE, TALL_ACCESS_OPEN, NULL);
  expect_access (self->table, TALL_ACCESS_OPEN, NULL);
  expect_rows (self, self->table, "a: x@1=v");
  g_assert_cmpint (apply (self, self->table, "b", "x@1=w"), ==, 0);
  g_assert_cmpint (apply_if (self, self->table, "a", "v", "x@2=w"), ==, 0);
  g_assert_cmpint (increment (self, self->table, "c"), ==, 0);
  drop_table (self, TABLE);
}

static void
test_closed (TallConformance *self)
{
  create_table (self, TABLE);
  g_assert_cmpint (apply (self, self->table, "a", "x@1=v"), ==, 0);

  set_access (self, TABLE, TALL_ACCESS_CLOSED, NULL);
  expect_access (self->table, TALL_ACCESS_CLOSED, NULL);
  expect_closed (self, self->table);
  expect_listed (self->table);
  change (self, "a", "x@1=beside");
  expect_row (self, "a", "x@1=beside");

  set_access (self, TABLE, TALL_ACCESS_UNCLOSED, NULL);
  expect_rows (self, self->table, "a: x@1=v");
  g_assert_cmpint (apply (self, self->table, "b", "x@1=w"), ==, 0);
  drop_table (self, TABLE);
}

/* One of each two settings does not change the other: what is closed stays closed whatever becomes
 * of its seal, because a seal may come late; and what is unclosed stays sealed. */
static void
test_independent (TallConformance *self)
{
  create_table (self, TABLE);
  g_assert_cmpint (apply (self, self->table, "a", "x@1=v"), ==, 0);
  set_access (self, TABLE, TALL_ACCESS_UNCLOSED, NULL);
  expect_access (self->table, TALL_ACCESS_OPEN, NULL);
  set_access (self, TABLE, TALL_ACCESS_CLOSED, NULL);
  set_access (self, TABLE, TALL_ACCESS_SEALED, SEAL_A);
  expect_access (self->table, TALL_ACCESS_CLOSED, SEAL_A);
  expect_closed (self, self->table);
  set_access (self, TABLE, TALL_ACCESS_OPEN, NULL);
  expect_access (self->table, TALL_ACCESS_CLOSED, NULL);
  expect_closed (self, self->table);

  set_access (self, TABLE, TALL_ACCESS_SEALED, SEAL_A);
  set_access (self, TABLE, TALL_ACCESS_SEALED, SEAL_B);
  set_access (self, TABLE, TALL_ACCESS_UNCLOSED, NULL);
  expect_access (self->table, TALL_ACCESS_SEALED, SEAL_B);
  expect_rows (self, self->table, "a: x@1=v");
  expect_writes_fail (self, self->table);
  set_access (self, TABLE, TALL_ACCESS_UNCLOSED, NULL);
  expect_access (self->table, TALL_ACCESS_SEALED, SEAL_B);
  set_access (self, TABLE, TALL_ACCESS_OPEN, NULL);
  g_assert_cmpint (apply (self, self->table, "a", "x@2=w"), ==, 0);
  drop_table (self, TABLE);
}

/* Each access after each other one. */
static void
test_changes (TallConformance *self)
{
  create_table (self, TABLE);
  g_assert_cmpint (apply (self, self->table, "a", "x@1=v"), ==, 0);
  set_access (self, TABLE, TALL_ACCESS_OPEN, NULL);
  set_access (self, TABLE, TALL_ACCESS_SEALED, SEAL_A);
  set_access (self, TABLE, TALL_ACCESS_SEALED, SEAL_A);
  set_access (self, TABLE, TALL_ACCESS_SEALED, SEAL_B);
  expect_access (self->table, TALL_ACCESS_SEALED, SEAL_B);

  set_access (self, TABLE, TALL_ACCESS_CLOSED, NULL);
  set_access (self, TABLE, TALL_ACCESS_CLOSED, NULL);
  expect_access (self->table, TALL_ACCESS_CLOSED, SEAL_B);
  g_assert_cmpint (read_rows (self, self->table, NULL, NULL), ==, TALL_ERROR_SHUT);

  set_access (self, TABLE, TALL_ACCESS_SEALED, SEAL_A);
  set_access (self, TABLE, TALL_ACCESS_UNCLOSED, NULL);
  expect_access (self->table, TALL_ACCESS_SEALED, SEAL_A);
  expect_rows (self, self->table, "a: x@1=v");
  g_assert_cmpint (apply (self, self->table, "a", "x@2=w"), ==, TALL_ERROR_SHUT);

  set_access (self, TABLE, TALL_ACCESS_CLOSED, NULL);
  set_access (self, TABLE, TALL_ACCESS_OPEN, NULL);
  set_access (self, TABLE, TALL_ACCESS_UNCLOSED, NULL);
  expect_access (self->table, TALL_ACCESS_OPEN, NULL);
  set_access (self, TABLE, TALL_ACCESS_CLOSED, NULL);
  expect_access (self->table, TALL_ACCESS_CLOSED, NULL);
  set_access (self, TABLE, TALL_ACCESS_UNCLOSED, NULL);
  g_assert_cmpint (apply (self, self->table, "a", "x@2=w"), ==, 0);
  expect_rows (self, self->table, "a: x@2=w x@1=v");
  drop_table (self, TABLE);
}

/* A table that was shut can be dropped; one of its name is open. */
static void
test_dropped (TallConformance *self)
{
  for (TallTableAccess access = TALL_ACCESS_SEALED; access <= TALL_ACCESS_CLOSED; access++)
    {
      create_table (self, TABLE);
      set_access (self, TABLE, access, access == TALL_ACCESS_SEALED ? SEAL_A : NULL);
      drop_table (self, TABLE);
    }
  create_table (self, TABLE);
  expect_access (self->table, TALL_ACCESS_OPEN, NULL);
  g_assert_cmpint (apply (self, self->table, "a", "x@1=v"), ==, 0);
  drop_table (self, TABLE);
}

/* Calls by way of another object see it as well, but for a store that has only one. */
static void
test_other_object (TallConformance *self)
{
  create_table (self, TABLE);
  g_autoptr (TallTable) other = self->backend.open (self->name, self->backend.data);
  g_auto (GStrv) names = tall_table_list_tables (other, TALL_NO_DEADLINE, NULL);
  if (g_strv_contains ((const char *const *)names, TABLE))
    {
      g_assert_cmpint (apply (self, other, "a", "x@1=v"), ==, 0);
      set_access (self, TABLE, TALL_ACCESS_SEALED, SEAL_A);
      expect_access (other, TALL_ACCESS_SEALED, SEAL_A);
      expect_writes_fail (self, other);
      set_access (self, TABLE, TALL_ACCESS_CLOSED, NULL);
      expect_closed (self, other);
      set_access (self, TABLE, TALL_ACCESS_OPEN, NULL);
      set_access (self, TABLE, TALL_ACCESS_UNCLOSED, NULL);
      g_assert_cmpint (apply (self, other, "a", "x@2=w"), ==, 0);
    }
  drop_table (self, TABLE);
}

/* A batch on a table that is open and one that is not: the first may be done, the second is not. */
static void
test_batch (TallConformance *self)
{
  create_table (self, TABLE);
  set_access (self, TABLE, TALL_ACCESS_SEALED, SEAL_A);
  for (guint first = 0; first < 2; first++)
    {
      g_autoptr (TallBatch) batch = tall_batch_new ();
      const char *row = first == 0 ? "p" : "q";
      add_changes (self, batch, first == 0 ? TABLE : SHARED, row, "x@1=v");
      add_changes (self, batch, first == 0 ? SHARED : TABLE, row, "x@1=v");
      TallMutation *const *mutations = (TallMutation *const *)batch->mutations->pdata;
      must_fail (tall_table_apply (self->table, mutations, 2, TALL_DURABLE, TALL_NO_DEADLINE,
                                   &error),
                 TALL_ERROR_SHUT);
      expect_rows (self, self->table, "");
    }
  drop_table (self, TABLE);
}

static void
expect_refused (TallConformance *self,
                const char *table,
                int access,
                const char *seal,
                gint64 deadline,
                TallError code)
{
  must_fail (tall_table_set_access (self->table, table, (TallTableAccess)access, seal, deadline,
                                    &error),
             code);
}

static void
expect_not_created (TallConformance *self, TallTableAccess access, const char *seal)
{
  g_autoptr (TallTableSpec) spec = tall_table_spec_new (TABLE);
  spec->access = access;
  spec->seal = g_strdup (seal);
  must_fail (tall_table_create_table (self->table, spec, TALL_NO_DEADLINE, &error),
             TALL_ERROR_INVALID);
}

static void
test_refused (TallConformance *self)
{
  const gint64 never = TALL_NO_DEADLINE;
  g_autofree char *long_seal = g_strnfill (TALL_MAX_SEAL + 1, 's');
  for (int access = TALL_ACCESS_OPEN; access <= TALL_ACCESS_UNCLOSED; access++)
    {
      const char *seal = access == TALL_ACCESS_SEALED ? SEAL_A : NULL;
      expect_refused (self, "never", access, seal, never, TALL_ERROR_NOT_FOUND);
      expect_refused (self, SHARED, access, seal, g_get_monotonic_time () - 1,
                      TALL_ERROR_TIMED_OUT);
    }
  expect_refused (self, SHARED, TALL_ACCESS_OPEN, SEAL_A, never, TALL_ERROR_INVALID);
  expect_refused (self, SHARED, TALL_ACCESS_CLOSED, SEAL_A, never, TALL_ERROR_INVALID);
  expect_refused (self, SHARED, TALL_ACCESS_UNCLOSED, SEAL_A, never, TALL_ERROR_INVALID);
  expect_refused (self, SHARED, TALL_ACCESS_SEALED, NULL, never, TALL_ERROR_INVALID);
  expect_refused (self, SHARED, TALL_ACCESS_SEALED, "", never, TALL_ERROR_INVALID);
  expect_refused (self, SHARED, TALL_ACCESS_SEALED, "a'b", never, TALL_ERROR_INVALID);
  expect_refused (self, SHARED, TALL_ACCESS_SEALED, long_seal, never, TALL_ERROR_INVALID);
  expect_refused (self, SHARED, TALL_ACCESS_UNCLOSED + 1, NULL, never, TALL_ERROR_INVALID);
  expect_not_created (self, TALL_ACCESS_SEALED, SEAL_A);
  expect_not_created (self, TALL_ACCESS_CLOSED, NULL);
  expect_not_created (self, TALL_ACCESS_UNCLOSED, NULL);
  expect_not_created (self, TALL_ACCESS_OPEN, SEAL_A);
  change (self, "a", "x@1=v");
}

const TallConformanceCase tall_conformance_access_cases[] = {
  { "access/sealed", test_sealed },
  { "access/closed", test_closed },
  { "access/independent", test_independent },
  { "access/changes", test_changes },
  { "access/dropped", test_dropped },
  { "access/other-object", test_other_object },
  { "access/batch", test_batch },
  { "access/refused", test_refused },
  { NULL, NULL },
};
