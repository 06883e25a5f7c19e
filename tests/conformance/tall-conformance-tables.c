/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-conformance-private.h"
#include "tall-must.h"

/* Calls every slot that works on rows of a table, and expects all to fail alike. */
static void
expect_calls_fail (
    TallConformance *self, const char *table, gint64 deadline, TallError code, TallError of_table)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = add_changes (self, batch, table, "a", "x@1=v");
  TallSlice qualifier = tall_slice_str ("x");
  gint64 value;
  gboolean matched = TRUE;

  g_autoptr (GError) read_error = NULL;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  add_get (self, plan, "a");
  tall_read_plan_add_get (plan, table, mutation->row);
  g_assert_null (tall_table_read (self->table, plan, deadline, &read_error));
  g_assert_error (read_error, TALL_ERROR, (int)code);

  g_autoptr (GError) apply_error = NULL;
  g_assert_false (
      tall_table_apply (self->table, &mutation, 1, TALL_DURABLE, deadline, &apply_error));
  g_assert_error (apply_error, TALL_ERROR, (int)code);

  g_autoptr (GError) condition_error = NULL;
  g_assert_false (tall_table_apply_if (self->table,
                                       &(TallConditionalWrite){ .mutations = &mutation,
                                                                .n = 1,
                                                                .qualifier = qualifier,
                                                                .durability = TALL_DURABLE,
                                                                .deadline = deadline },
                                       &matched, &condition_error));
  g_assert_error (condition_error, TALL_ERROR, (int)code);
  g_assert_false (matched);

  g_autoptr (GError) increment_error = NULL;
  g_assert_false (tall_table_increment (self->table, table, mutation->row, qualifier, 1, deadline,
                                        &value, &increment_error));
  g_assert_error (increment_error, TALL_ERROR, (int)code);

  g_autoptr (GError) describe_error = NULL;
  g_assert_null (tall_table_describe_table (self->table, table, deadline, &describe_error));
  g_assert_error (describe_error, TALL_ERROR, (int)of_table);

  g_autoptr (GError) drop_error = NULL;
  g_assert_false (tall_table_drop_table (self->table, table, deadline, &drop_error));
  g_assert_error (drop_error, TALL_ERROR, (int)of_table);
}

static void
test_not_created (TallConformance *self)
{
  expect_calls_fail (self, "never", TALL_NO_DEADLINE, TALL_ERROR_UNSUPPORTED, TALL_ERROR_NOT_FOUND);
}

/* Reads that ask for no row fail as well. */
static void
test_nothing_asked (TallConformance *self)
{
  const TallSlice b = tall_slice_str ("b");
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
      add_get (self, plan, "a");
      if (i < 2)
        tall_read_plan_add_scan (plan, "never", b, tall_slice_str (i == 0 ? "b" : "a"));
      else
        tall_read_plan_add_gets (plan, "never", NULL, 0);
      must_fail (tall_table_read (self->table, plan, TALL_NO_DEADLINE, &error),
                 TALL_ERROR_UNSUPPORTED);
    }
}

static void
test_deadline (TallConformance *self)
{
  gint64 passed = g_get_monotonic_time () - 1;
  expect_calls_fail (self, SHARED, passed, TALL_ERROR_TIMED_OUT, TALL_ERROR_TIMED_OUT);
  expect_row (self, "a", "");

  g_autoptr (GError) create_error = NULL;
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("late");
  g_assert_false (tall_table_create_table (self->table, spec, passed, &create_error));
  g_assert_error (create_error, TALL_ERROR, TALL_ERROR_TIMED_OUT);
  g_autoptr (GError) list_error = NULL;
  g_assert_null (tall_table_list_tables (self->table, passed, &list_error));
  g_assert_error (list_error, TALL_ERROR, TALL_ERROR_TIMED_OUT);
  g_autoptr (GError) names_error = NULL;
  g_assert_null (tall_table_list_deployments (self->table, SHARED, passed, &names_error));
  g_assert_error (names_error, TALL_ERROR, TALL_ERROR_TIMED_OUT);
}

static void
test_create_twice (TallConformance *self)
{
  g_autoptr (TallTableSpec) spec = tall_table_spec_new (SHARED);
  change (self, "a", "x@1=kept");
  must_fail (tall_table_create_table (self->table, spec, TALL_NO_DEADLINE, &error),
             TALL_ERROR_CONFLICT);
  expect_row (self, "a", "x@1=kept");
}

static void
create (TallTable *table, const TallTableSpec *spec)
{
  must (tall_table_create_table (table, spec, TALL_NO_DEADLINE, &error));
}

static void
drop (TallTable *table, const char *name)
{
  must (tall_table_drop_table (table, name, TALL_NO_DEADLINE, &error));
}

static void
expect_list (TallTable *table, const char *names)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) list = tall_table_list_tables (table, TALL_NO_DEADLINE, &error);
  g_assert_no_error (error);
  g_assert_nonnull (list);
  g_autofree char *text = g_strjoinv (" ", list);
  g_assert_cmpstr (text, ==, names);
}

static void
put_cell (TallConformance *self, TallTable *table, const char *name, const char *cell)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = add_changes (self, batch, name, "a", cell);
  must (tall_table_apply (table, &mutation, 1, TALL_DURABLE, TALL_NO_DEADLINE, &error));
}

static char *
get_cells (TallConformance *self, TallTable *table, const char *name)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, name, row_key (self, plan->arena, "a"));
  g_autoptr (TallReadResult) result =
      must (tall_table_read (table, plan, TALL_NO_DEADLINE, &error));
  return rows_to_text (self, &result->results[0]);
}

/* Whether the deployment of @of is one of those that @asked finds with a table @name. */
static gboolean
is_listed (TallTable *asked, TallTable *of, const char *name)
{
  g_autoptr (GError) error = NULL;
  TallTableInfo info;
  tall_table_get_info (of, &info);
  g_auto (GStrv) names = tall_table_list_deployments (asked, name, TALL_NO_DEADLINE, &error);
  g_assert_no_error (error);
  g_assert_nonnull (names);
  for (guint i = 1; names[0] != NULL && names[i] != NULL; i++)
    g_assert_cmpstr (names[i - 1], <, names[i]);
  return g_strv_contains ((const char *const *)names, info.deployment);
}

/* Two deployments with a table of the same name, one of which is dropped and created again. */
static void
test_deployments (TallConformance *self)
{
  g_autofree char *near_name = g_strdup_printf ("%s-b", self->name);
  g_autoptr (TallTable) neighbour = self->backend.open (near_name, self->backend.data);
  g_autoptr (TallTableSpec) spec = tall_table_spec_new (SHARED);
  expect_list (neighbour, "");
  create (neighbour, spec);
  expect_list (neighbour, SHARED);
  expect_list (self->table, OTHER " " SHARED);
  g_assert_true (is_listed (self->table, self->table, SHARED));
  g_assert_true (is_listed (self->table, neighbour, SHARED));
  g_assert_true (is_listed (neighbour, neighbour, SHARED));
  g_assert_false (is_listed (neighbour, neighbour, OTHER));
  g_assert_false (is_listed (self->table, self->table, "har"));

  put_cell (self, neighbour, SHARED, "x@1=theirs");
  expect_row (self, "a", "");
  put_cell (self, self->table, SHARED, "x@1=ours");
  g_autofree char *theirs = get_cells (self, neighbour, SHARED);
  g_assert_cmpstr (theirs, ==, "a: x@1=theirs");

  drop (neighbour, SHARED);
  expect_list (neighbour, "");
  expect_row (self, "a", "x@1=ours");
  create (neighbour, spec);
  g_autofree char *fresh = get_cells (self, neighbour, SHARED);
  g_assert_cmpstr (fresh, ==, "");
  put_cell (self, neighbour, SHARED, "x@1=again");
  g_autofree char *again = get_cells (self, neighbour, SHARED);
  g_assert_cmpstr (again, ==, "a: x@1=again");
  drop (neighbour, SHARED);
  g_assert_false (is_listed (neighbour, neighbour, SHARED));
}

/* A table with every setting: described as it was created, and kept so. */
static void
test_settings (TallConformance *self)
{
  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("kept");
  spec->max_versions = 2;
  spec->ttl = 3600;
  if (!self->backend.no_splits)
    {
      spec->splits = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
      g_ptr_array_add (spec->splits, g_bytes_new_static ("\x40", 1));
      g_ptr_array_add (spec->splits, g_bytes_new_static ("\x80\x00\xff", 3));
    }
  create (self->table, spec);
  g_autoptr (TallTableSpec) kept =
      must (tall_table_describe_table (self->table, "kept", TALL_NO_DEADLINE, &error));
  g_assert_cmpstr (kept->name, ==, "kept");
  g_assert_cmpuint (kept->max_versions, ==, 2);
  g_assert_cmpuint (kept->ttl, ==, 3600);
  g_assert_cmpuint (kept->splits == NULL ? 0 : kept->splits->len, ==,
                    spec->splits == NULL ? 0 : spec->splits->len);
  for (guint i = 0; spec->splits != NULL && i < spec->splits->len; i++)
    g_assert_true (
        g_bytes_equal (g_ptr_array_index (kept->splits, i), g_ptr_array_index (spec->splits, i)));

  /* The oldest of three versions is removed, and so are cells older than an hour. */
  gint64 now = g_get_real_time () / 1000;
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *cell = g_strdup_printf ("x@%" G_GINT64_FORMAT "=v%u", now - 1000 + i, i);
      put_cell (self, self->table, "kept", cell);
    }
  g_autofree char *expired = g_strdup_printf ("y@%" G_GINT64_FORMAT "=old", now - 3700 * 1000);
  put_cell (self, self->table, "kept", expired);
  g_autofree char *cells = get_cells (self, self->table, "kept");
  g_autofree char *expected =
      g_strdup_printf ("a: x@%" G_GINT64_FORMAT "=v2 x@%" G_GINT64_FORMAT "=v1", now - 998,
                       now - 999);
  g_assert_cmpstr (cells, ==, expected);

  /* A cell that has expired does not exist. */
  gboolean matched = FALSE;
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_autofree char *put = g_strdup_printf ("y@%" G_GINT64_FORMAT "=new", now);
  TallMutation *mutation = add_changes (self, batch, "kept", "a", put);
  must (tall_table_apply_if (self->table,
                             &(TallConditionalWrite){ .mutations = &mutation,
                                                      .n = 1,
                                                      .qualifier = tall_slice_str ("y"),
                                                      .durability = TALL_DURABLE,
                                                      .deadline = TALL_NO_DEADLINE },
                             &matched, &error));
  g_assert_true (matched);
  drop (self->table, "kept");
}

static void
expect_invalid (TallConformance *self, TallMutation *mutation)
{
  must_fail (tall_table_apply (self->table, &mutation, 1, TALL_DURABLE, TALL_NO_DEADLINE, &error),
             TALL_ERROR_INVALID);

  g_autoptr (GError) condition_error = NULL;
  gboolean matched;
  g_assert_false (
      tall_table_apply_if (self->table,
                           &(TallConditionalWrite){ .mutations = &mutation,
                                                    .n = 1,
                                                    .qualifier = tall_slice_str ("none"),
                                                    .durability = TALL_DURABLE,
                                                    .deadline = TALL_NO_DEADLINE },
                           &matched, &condition_error));
  g_assert_error (condition_error, TALL_ERROR, TALL_ERROR_INVALID);
}

static void
test_invalid_mutations (TallConformance *self)
{
  static const char *const cases[] = {
    "x@0=v",                   /* no timestamp of a cell */
    "x@9223372036854775807=v", /* HBase's "now" */
    "@1=v",                    /* no qualifier */
    "<=0",
    "x@5=v y@9=v <=5", /* deletes its own put */
    "!5 x@5=v",
  };
  g_autoptr (TallBatch) batch = tall_batch_new ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    expect_invalid (self, add_changes (self, batch, SHARED, "a", cases[i]));
  expect_invalid (self, tall_batch_add (batch, SHARED, row_key (self, batch->arena, "a")));

  g_string_truncate (self->rows, 0);
  expect_invalid (self, add_changes (self, batch, SHARED, "", "x@1=v"));
  g_autofree char *long_row = g_strnfill (TALL_MAX_ROW_KEY + 1, 'r');
  expect_invalid (self, add_changes (self, batch, SHARED, long_row, "x@1=v"));
}

/* Rows of one call: each its table, s(hared) or o(ther), and its key. */
static const struct
{
  const char *rows;
  gboolean allowed;
} different_rows[] = {
  { "sa sb oa", TRUE },     { "sb oc sa oa", TRUE },  { "sa sb oa sa", FALSE },
  { "sa sb sb", FALSE },    { "sb sa sb", FALSE },    { "sa oa sb ob sc ob", FALSE },
  { "oa sb ob sb", FALSE }, { "sc ob sb sc", FALSE },
};

static void
test_row_twice (TallConformance *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (different_rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallBatch) batch = tall_batch_new ();
      g_auto (GStrv) rows = g_strsplit (different_rows[i].rows, " ", -1);
      g_autofree char *cell = g_strdup_printf ("x@%u=v", i + 1);
      for (char **row = rows; *row != NULL; row++)
        add_changes (self, batch, (*row)[0] == 's' ? SHARED : OTHER, *row + 1, cell);
      gboolean applied =
          tall_table_apply (self->table, (TallMutation *const *)batch->mutations->pdata,
                            batch->mutations->len, TALL_DURABLE, TALL_NO_DEADLINE, &error);
      g_test_message ("%s", different_rows[i].rows);
      g_assert_cmpint (applied, ==, different_rows[i].allowed);
      if (!applied)
        g_assert_error (error, TALL_ERROR, TALL_ERROR_INVALID);
    }
  expect_row (self, "a", "x@2=v x@1=v");
}

static void
expect_invalid_read (TallConformance *self, const TallReadPlan *plan)
{
  must_fail (tall_table_read (self->table, plan, TALL_NO_DEADLINE, &error), TALL_ERROR_INVALID);
}

static void
test_invalid_reads (TallConformance *self)
{
  g_autoptr (TallReadPlan) range = tall_read_plan_new ();
  TallRead *read = add_get (self, range, "a");
  read->min_timestamp = 10;
  read->max_timestamp = 9;
  expect_invalid_read (self, range);

  g_autoptr (TallReadPlan) no_key = tall_read_plan_new ();
  tall_read_plan_add_get (no_key, SHARED, (TallSlice)TALL_SLICE_INIT);
  expect_invalid_read (self, no_key);

  g_autoptr (TallReadPlan) no_qualifier = tall_read_plan_new ();
  TallSlice empty = TALL_SLICE_INIT;
  read = add_get (self, no_qualifier, "a");
  read->qualifiers = &empty;
  read->n_qualifiers = 1;
  expect_invalid_read (self, no_qualifier);
}

static void
test_invalid_specs (TallConformance *self)
{
  static const char *const names[] = { "", "a.b", "a b", "-a", "ä", "a/b", "a:b" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (TallTableSpec) spec = tall_table_spec_new (names[i]);
      must_fail (tall_table_create_table (self->table, spec, TALL_NO_DEADLINE, &error),
                 TALL_ERROR_INVALID);
    }

  g_autoptr (TallTableSpec) spec = tall_table_spec_new ("unsorted");
  spec->splits = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  g_ptr_array_add (spec->splits, g_bytes_new_static ("b", 1));
  g_ptr_array_add (spec->splits, g_bytes_new_static ("b", 1));
  must_fail (tall_table_create_table (self->table, spec, TALL_NO_DEADLINE, &error),
             TALL_ERROR_INVALID);
  expect_list (self->table, OTHER " " SHARED);
}

const TallConformanceCase tall_conformance_table_cases[] = {
  { "table/not-created", test_not_created },
  { "table/not-created-nothing-asked", test_nothing_asked },
  { "table/deadline", test_deadline },
  { "table/create-twice", test_create_twice },
  { "table/deployments", test_deployments },
  { "table/settings", test_settings },
  { "invalid/mutations", test_invalid_mutations },
  { "invalid/row-twice", test_row_twice },
  { "invalid/reads", test_invalid_reads },
  { "invalid/specs", test_invalid_specs },
  { NULL, NULL },
};
