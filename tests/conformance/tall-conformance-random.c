/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-conformance-private.h"
#include "tall-must.h"
#include "table/memory-table.h"

/* The same random operations on the store under test and on the memory table: both must give the
 * same answers. There are few rows, qualifiers and timestamps, so that they often coincide. */
#define N_ROWS 5
#define N_QUALIFIERS 3
#define N_TIMESTAMPS 9
#define N_VALUES 4

/* Between two timestamps, so that each put of a mutation can have one of its own. */
#define STEP 8
#define DEFAULT_OPERATIONS 20000

typedef struct
{
  TallConformance *self;
  TallTable *reference;
  guint together; /* rows that both change in one step, at most */
} Pair;

static TallSlice
random_text (TallArena *arena, const char *prefix, int n)
{
  return tall_slice_str (tall_arena_printf (arena, "%s%d", prefix, g_test_rand_int_range (0, n)));
}

static TallSlice
random_row (TallConformance *self, TallArena *arena)
{
  return row_key_bytes (self, arena, random_text (arena, "r", N_ROWS));
}

static gboolean
has_row (const TallBatch *batch, TallSlice row)
{
  for (guint i = 0; i < batch->mutations->len; i++)
    if (tall_slice_equal (((TallMutation *)batch->mutations->pdata[i])->row, row))
      return TRUE;
  return FALSE;
}

/* One that the batch does not have; it has a few of them. */
static TallSlice
random_new_row (TallConformance *self, const TallBatch *batch)
{
  TallSlice row = random_row (self, batch->arena);
  while (has_row (batch, row))
    row = random_row (self, batch->arena);
  return row;
}

static gint64
random_timestamp (void)
{
  return g_test_rand_int_range (1, N_TIMESTAMPS + 1);
}

/* Puts only cells that no delete of the same mutation would take. */
static TallMutation *
random_mutation (TallConformance *self, TallBatch *batch)
{
  TallMutation *mutation = tall_batch_add (batch, SHARED, random_new_row (self, batch));
  gint64 up_to = g_test_rand_int_range (0, 5) == 0 ? random_timestamp () / 2 : 0;
  gint64 at = g_test_rand_int_range (0, 6) == 0 ? random_timestamp () : 0;
  if (up_to > 0)
    tall_mutation_delete_up_to (batch, mutation, up_to);
  if (at > 0)
    tall_mutation_delete_at (batch, mutation, at);
  for (guint i = g_test_rand_int_range (0, 4); i > 0 || mutation->n_changes == 0; i -= i > 0)
    {
      gint64 timestamp = random_timestamp ();
      if (timestamp > up_to && timestamp != at)
        tall_mutation_put (batch, mutation, random_text (batch->arena, "q", N_QUALIFIERS),
                           timestamp * STEP + mutation->n_changes,
                           random_text (batch->arena, "v", N_VALUES));
    }
  for (guint i = 0; i < mutation->n_changes; i++)
    if (mutation->changes[i].kind != TALL_CHANGE_PUT)
      mutation->changes[i].timestamp *= STEP;
  return mutation;
}

static void
compare_plan (Pair *pair, const TallReadPlan *plan)
{
  g_autoptr (TallReadResult) got = run_plan (pair->self, plan);
  g_autoptr (TallReadResult) wanted =
      must (tall_table_read (pair->reference, plan, TALL_NO_DEADLINE, &error));
  for (guint i = 0; i < plan->reads->len; i++)
    {
      g_autofree char *got_text = rows_to_text (pair->self, &got->results[i]);
      g_autofree char *wanted_text = rows_to_text (pair->self, &wanted->results[i]);
      g_assert_cmpstr (got_text, ==, wanted_text);
    }
}

static void
narrow (TallReadPlan *plan, TallRead *read)
{
  if (g_test_rand_bit ())
    read->max_versions = g_test_rand_int_range (1, 4);
  if (g_test_rand_bit ())
    {
      read->min_timestamp = random_timestamp () * STEP;
      read->max_timestamp = read->min_timestamp + g_test_rand_int_range (1, 5) * STEP;
    }
  if (g_test_rand_bit ())
    {
      TallSlice *qualifiers = tall_arena_newa0 (plan->arena, TallSlice, 2);
      qualifiers[0] = tall_slice_str ("q0");
      qualifiers[1] = tall_slice_str ("q2");
      read->qualifiers = qualifiers;
      read->n_qualifiers = g_test_rand_int_range (1, 3);
    }
}

static void
operate_read (Pair *pair)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallConformance *self = pair->self;
  for (guint i = g_test_rand_int_range (1, 4); i > 0; i--)
    {
      TallSlice keys[2] = { random_row (self, plan->arena), random_row (self, plan->arena) };
      if (g_test_rand_bit ())
        narrow (plan, tall_read_plan_add_gets (plan, SHARED, keys, 2));
      else
        {
          TallRead *read =
              tall_read_plan_add_scan (plan, SHARED, keys[0], row_key (self, plan->arena, "z"));
          read->limit = g_test_rand_int_range (0, 4);
          narrow (plan, read);
        }
    }
  compare_plan (pair, plan);
}

static void
operate_apply (Pair *pair)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = random_mutation (pair->self, batch);
  TallTable *tables[] = { pair->self->table, pair->reference };
  for (guint i = 0; i < 2; i++)
    {
      must (
          tall_table_apply (tables[i], &mutation, 1, TALL_DURABLE_LATER, TALL_NO_DEADLINE, &error));
    }
}

static void
operate_apply_if (Pair *pair)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  guint n = (guint)g_test_rand_int_range (1, (gint32)MIN (pair->together, N_ROWS - 1) + 1);
  for (guint i = 0; i < n; i++)
    random_mutation (pair->self, batch);
  TallSlice expected = random_text (batch->arena, "v", N_VALUES);
  gboolean absent = g_test_rand_bit ();
  TallSlice qualifier = random_text (batch->arena, "q", N_QUALIFIERS);
  TallTable *tables[] = { pair->self->table, pair->reference };
  gboolean matched[2] = { FALSE, FALSE };
  for (guint i = 0; i < 2; i++)
    {
      must (tall_table_apply_if (tables[i],
                                 &(TallConditionalWrite){
                                     .mutations = (TallMutation *const *)batch->mutations->pdata,
                                     .n = n,
                                     .qualifier = qualifier,
                                     .expected = absent ? NULL : &expected,
                                     .durability = TALL_DURABLE_LATER,
                                     .deadline = TALL_NO_DEADLINE },
                                 &matched[i], &error));
    }
  g_assert_cmpint (matched[0], ==, matched[1]);
}

static void
compare_all (Pair *pair)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  add_scan (pair->self, plan, "", "z");
  compare_plan (pair, plan);
}

static void
test_like_memory (TallConformance *self)
{
  guint n = self->backend.n_operations != 0 ? self->backend.n_operations : DEFAULT_OPERATIONS;
  g_autofree char *rows = g_strdup (self->rows->str);
  g_autoptr (TallTable) reference = tall_memory_table_new ();
  g_autoptr (TallTableSpec) spec = tall_table_spec_new (SHARED);
  must (tall_table_create_table (reference, spec, TALL_NO_DEADLINE, &error));

  TallTableInfo info;
  tall_table_get_info (self->table, &info);
  tall_memory_table_set_together (TALL_MEMORY_TABLE (reference), info.together);
  Pair pair = { self, reference, info.together };
  for (guint i = 0; i < n; i++)
    {
      /* Markers only grow, so new rows are used from time to time. */
      if (i % 100 == 0)
        g_string_printf (self->rows, "%s%u/", rows, i);
      int kind = g_test_rand_int_range (0, 10);
      if (kind < 5)
        operate_apply (&pair);
      else if (kind < 7)
        operate_apply_if (&pair);
      else
        operate_read (&pair);
      if (i % 20 == 19)
        compare_all (&pair);
    }
}

const TallConformanceCase tall_conformance_random_cases[] = {
  { "random/like-memory", test_like_memory },
  { NULL, NULL },
};
