/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-conformance-private.h"
#include "tall-must.h"
#include "tall-test-cells.h"

/* Calls that run while a table is sealed or closed. */
#define TABLE "fence"
#define SEAL "2f4ad0a3-7be5-4c1b-8d2e-6c1f0f4b9d03"

#define N_THREADS 6
#define N_CALLS 40 /* that succeed before the table is shut */

typedef struct
{
  TallConformance *self;
  guint round;
  gint n_calls; /* atomic: that have succeeded */
  gint is_shut; /* atomic: set_access has returned */
} Fence;

/* One thread, which calls until it is refused. */
typedef struct _Caller
{
  Fence *fence;
  gboolean (*call) (struct _Caller *self, GError **error);
  guint number;
  guint n_calls; /* that succeeded */
} Caller;

static TallMutation *
add_put (Caller *self, TallBatch *batch)
{
  g_autofree char *row =
      g_strdup_printf ("%u/%u/%06u", self->fence->round, self->number, self->n_calls);
  return add_changes (self->fence->self, batch, TABLE, row, "x@1=v");
}

static gboolean
call_apply (Caller *self, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = add_put (self, batch);
  return tall_table_apply (self->fence->self->table, &mutation, 1, TALL_DURABLE_LATER,
                           TALL_NO_DEADLINE, error);
}

static gboolean
call_apply_if (Caller *self, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  gboolean matched = FALSE;
  TallMutation *mutation = add_put (self, batch);
  gboolean answered =
      tall_table_apply_if (self->fence->self->table,
                           &(TallConditionalWrite){ .mutations = &mutation,
                                                    .n = 1,
                                                    .qualifier = tall_slice_str ("x"),
                                                    .durability = TALL_DURABLE_LATER,
                                                    .deadline = TALL_NO_DEADLINE },
                           &matched, error);
  g_assert_true (matched == answered);
  return answered;
}

static gboolean
call_increment (Caller *self, GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autofree char *row = g_strdup_printf ("%u/counter/%u", self->fence->round, self->number);
  gint64 value = 0;
  gboolean answered =
      tall_table_increment (self->fence->self->table, TABLE,
                            row_key (self->fence->self, arena, row), tall_slice_str ("n"), 1,
                            TALL_NO_DEADLINE, &value, error);
  g_assert_true (!answered || value == self->n_calls + 1);
  return answered;
}

static gboolean
call_read (Caller *self, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, TABLE, row_key (self->fence->self, plan->arena, "a"));
  if (self->number % 2 == 1)
    tall_read_plan_add_prefix_scan (plan, TABLE, row_key (self->fence->self, plan->arena, ""));
  g_autoptr (TallReadResult) result =
      tall_table_read (self->fence->self->table, plan, TALL_NO_DEADLINE, error);
  return result != NULL;
}

/* What begins after the table was shut is refused. */
static gpointer
run_caller (gpointer data)
{
  Caller *self = data;
  for (;;)
    {
      g_autoptr (GError) error = NULL;
      gboolean is_shut = g_atomic_int_get (&self->fence->is_shut) != 0;
      if (!self->call (self, &error))
        {
          g_assert_error (error, TALL_ERROR, TALL_ERROR_SHUT);
          return NULL;
        }
      g_assert_false (is_shut);
      self->n_calls++;
      g_atomic_int_inc (&self->fence->n_calls);
    }
}

static char *
read_rows (TallConformance *self, guint *n_rows)
{
  g_autoptr (TallReadResult) result = tall_test_scan (self->table, TABLE);
  *n_rows = result->results[0].n_rows;
  return rows_to_text (self, &result->results[0]);
}

static guint
get_rounds (TallConformance *self)
{
  return self->backend.n_operations == 0 ? 5 : 2;
}

/* What was acknowledged is there once the table is sealed, and nothing comes after it. */
static void
seal_beside_writers (TallConformance *self, guint round)
{
  Fence fence = { .self = self, .round = round };
  Caller callers[N_THREADS];
  GThread *threads[N_THREADS];
  guint least, n_before, n_after;
  g_free (read_rows (self, &least));
  for (guint i = 0; i < N_THREADS; i++)
    {
      callers[i] = (Caller){ &fence, i % 3 == 0 ? call_apply : call_apply_if, i, 0 };
      if (i % 3 == 2)
        callers[i].call = call_increment;
      threads[i] = g_thread_new ("writer", run_caller, &callers[i]);
    }
  while (g_atomic_int_get (&fence.n_calls) < N_CALLS)
    g_thread_yield ();
  set_access (self, TABLE, TALL_ACCESS_SEALED, SEAL);
  g_atomic_int_set (&fence.is_shut, TRUE);
  g_autofree char *before = read_rows (self, &n_before);
  for (guint i = 0; i < N_THREADS; i++)
    {
      g_thread_join (threads[i]);
      least += callers[i].call != call_increment ? callers[i].n_calls : callers[i].n_calls > 0;
    }
  g_autofree char *after = read_rows (self, &n_after);
  g_assert_cmpstr (before, ==, after);
  g_assert_cmpuint (n_after, >=, least);
  g_assert_cmpuint (n_after, <=, least + N_THREADS);
}

static void
test_writers (TallConformance *self)
{
  create_table (self, TABLE);
  for (guint round = 0; round < get_rounds (self); round++)
    {
      seal_beside_writers (self, round);
      set_access (self, TABLE, TALL_ACCESS_OPEN, NULL);
    }
  drop_table (self, TABLE);
}

static void
close_beside_readers (TallConformance *self)
{
  Fence fence = { .self = self };
  Caller callers[N_THREADS];
  GThread *threads[N_THREADS];
  for (guint i = 0; i < N_THREADS; i++)
    {
      callers[i] = (Caller){ &fence, call_read, i, 0 };
      threads[i] = g_thread_new ("reader", run_caller, &callers[i]);
    }
  while (g_atomic_int_get (&fence.n_calls) < N_CALLS)
    g_thread_yield ();
  set_access (self, TABLE, TALL_ACCESS_CLOSED, NULL);
  g_atomic_int_set (&fence.is_shut, TRUE);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
}

static void
test_readers (TallConformance *self)
{
  create_table (self, TABLE);
  for (guint round = 0; round < get_rounds (self); round++)
    {
      close_beside_readers (self);
      set_access (self, TABLE, TALL_ACCESS_UNCLOSED, NULL);
    }
  drop_table (self, TABLE);
}

const TallConformanceCase tall_conformance_fence_cases[] = {
  { "fence/writers", test_writers },
  { "fence/readers", test_readers },
  { NULL, NULL },
};
