/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-conformance-private.h"
#include "tall-must.h"

static void
fill (TallConformance *self, const char *rows)
{
  g_auto (GStrv) list = g_strsplit (rows, " ", -1);
  for (guint i = 0; list[i] != NULL; i++)
    change (self, list[i], "x@1=v");
}

static void
test_boundaries (TallConformance *self)
{
  static const struct
  {
    const char *start;
    const char *stop;
    const char *rows;
  } cases[] = {
    { "", "z", "a: x@1=v; b: x@1=v; bb: x@1=v; c: x@1=v" },
    { "b", "c", "b: x@1=v; bb: x@1=v" }, /* start is in, stop is not */
    { "aa", "bb", "b: x@1=v" },          /* neither has to exist */
    { "b", "b", "" },
    { "c", "a", "" },
    { "d", "z", "" },
  };

  fill (self, "c a bb b");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
      add_scan (self, plan, cases[i].start, cases[i].stop);
      expect_read (self, plan, cases[i].rows);
    }
}

static void
test_limit (TallConformance *self)
{
  static const char *const expected[] = { "a: x@1=v; b: x@1=v; c: x@1=v", "a: x@1=v",
                                          "a: x@1=v; b: x@1=v", "a: x@1=v; b: x@1=v; c: x@1=v",
                                          "a: x@1=v; b: x@1=v; c: x@1=v" };
  fill (self, "a b c");
  for (guint limit = 0; limit < G_N_ELEMENTS (expected); limit++)
    {
      g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
      add_scan (self, plan, "a", "z")->limit = limit;
      expect_read (self, plan, expected[limit]);
    }
}

/* Rows without a wanted cell are not counted. */
static void
test_limit_counts_found (TallConformance *self)
{
  change (self, "a", "x@1=v");
  change (self, "b", "y@1=v");
  change (self, "c", "x@1=v");
  change (self, "c", "<=1");
  change (self, "d", "y@1=v x@5=v");
  change (self, "e", "y@1=v");

  TallSlice qualifier = tall_slice_str ("y");
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallRead *read = add_scan (self, plan, "a", "z");
  read->qualifiers = &qualifier;
  read->n_qualifiers = 1;
  read->limit = 2;
  expect_read (self, plan, "b: y@1=v; d: y@1=v");
}

static void
test_to_the_end (TallConformance *self)
{
  /* No other case has rows so near the end. */
  g_string_assign (self->rows, "\xff\xff\xff");
  fill (self, "a b");
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_scan (plan, SHARED, row_key (self, plan->arena, "a"),
                           (TallSlice)TALL_SLICE_INIT);
  expect_read (self, plan, "a: x@1=v; b: x@1=v");

  /* Nothing comes after this prefix, so its scan has no end. */
  g_autoptr (TallReadPlan) prefix_plan = tall_read_plan_new ();
  tall_read_plan_add_prefix_scan (prefix_plan, SHARED, tall_slice_str ("\xff\xff\xff"));
  expect_read (self, prefix_plan, "a: x@1=v; b: x@1=v");
}

static void
test_prefix (TallConformance *self)
{
  fill (self, "p p\xff p\xff\xff p\xff\xff\xffz q o\xff");
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_prefix_scan (plan, SHARED, row_key (self, plan->arena, "p\xff"));
  expect_read (self, plan, "p\\xFF: x@1=v; p\\xFF\\xFF: x@1=v; p\\xFF\\xFF\\xFFz: x@1=v");

  g_autoptr (TallReadPlan) wider = tall_read_plan_new ();
  tall_read_plan_add_prefix_scan (wider, SHARED, row_key (self, wider->arena, "p"));
  expect_read (self, wider,
               "p: x@1=v; p\\xFF: x@1=v; p\\xFF\\xFF: x@1=v; p\\xFF\\xFF\\xFFz: x@1=v");
}

static void
test_gets (TallConformance *self)
{
  static const char *const wanted[] = { "c", "nothing", "a", "b", "none" };
  fill (self, "a b c d");
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallSlice keys[G_N_ELEMENTS (wanted)];
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    keys[i] = row_key (self, plan->arena, wanted[i]);
  tall_read_plan_add_gets (plan, SHARED, keys, G_N_ELEMENTS (keys));
  expect_read (self, plan, "c: x@1=v; a: x@1=v; b: x@1=v");
}

static void
test_positions (TallConformance *self)
{
  static const char *const expected[] = { "b: x@1=v",     "",         "a: x@1=v; b: x@1=v",
                                          "c: other@1=v", "b: x@1=v", "" };
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = add_changes (self, batch, OTHER, "c", "other@1=v");
  must (tall_table_apply (self->table, &mutation, 1, TALL_DURABLE, TALL_NO_DEADLINE, &error));
  fill (self, "a b");

  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  add_get (self, plan, "b");
  add_get (self, plan, "c");
  add_scan (self, plan, "a", "z");
  tall_read_plan_add_prefix_scan (plan, OTHER, row_key (self, plan->arena, ""));
  add_get (self, plan, "b"); /* a second time */
  tall_read_plan_add_gets (plan, SHARED, NULL, 0);
  g_autoptr (TallReadResult) result = run_plan (self, plan);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      g_autofree char *text = rows_to_text (self, &result->results[i]);
      g_assert_cmpstr (text, ==, expected[i]);
    }
}

static void
test_empty_plan (TallConformance *self)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  g_autoptr (TallReadResult) result = run_plan (self, plan);
  g_assert_cmpuint (result->n_results, ==, 0);
}

/* More rows than any store handles at once, written in one call and read by keys and by a scan. */
static void
test_many_rows (TallConformance *self)
{
  enum
  {
    N = 1500
  };
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_autofree TallSlice *keys = g_new (TallSlice, N);
  for (guint i = 0; i < N; i++)
    {
      const char *name = tall_arena_printf (batch->arena, "%06u", i * 7 % N);
      TallMutation *mutation = tall_batch_add (batch, SHARED, row_key (self, batch->arena, name));
      tall_mutation_put (batch, mutation, tall_slice_str ("x"), 1 + i, tall_slice_str (name));
      keys[i] = mutation->row;
    }
  must (tall_table_apply (self->table, (TallMutation *const *)batch->mutations->pdata, N,
                          TALL_DURABLE, TALL_NO_DEADLINE, &error));

  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_gets (plan, SHARED, keys, N);
  add_scan (self, plan, "0", "9");
  g_autoptr (TallReadResult) result = run_plan (self, plan);
  g_assert_cmpuint (result->results[0].n_rows, ==, N);
  g_assert_cmpuint (result->results[1].n_rows, ==, N);
  for (guint i = 0; i < N; i++)
    {
      const TallRow *got = &result->results[0].rows[i];
      const TallRow *scanned = &result->results[1].rows[i];
      g_autofree char *name = g_strdup_printf ("%06u", i);
      g_assert_true (tall_slice_equal (got->key, keys[i]));
      g_assert_cmpint (got->cells[0].timestamp, ==, 1 + i);
      g_assert_cmpmem (scanned->cells[0].value.data, scanned->cells[0].value.len, name, 6);
    }
}

const TallConformanceCase tall_conformance_scan_cases[] = {
  { "scan/boundaries", test_boundaries },
  { "scan/limit", test_limit },
  { "scan/limit-counts-found", test_limit_counts_found },
  { "scan/to-the-end", test_to_the_end },
  { "scan/prefix", test_prefix },
  { "read/gets", test_gets },
  { "read/positions", test_positions },
  { "read/empty-plan", test_empty_plan },
  { "read/many-rows", test_many_rows },
  { NULL, NULL },
};
