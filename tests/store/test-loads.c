/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/bulk/loads.h"

#include "tall-error.h"
#include "tall-failing-table.h"
#include "store/follow.h"
#include "tall-test-store.h"
#include "tall-must.h"

/* The revisions of loads: no two batches have one, whoever takes them at the same time. */

#define TAKEN_AT_ONCE 4096
#define N_AT_ONCE 64

/* One process that loads. */
typedef struct
{
  TallFollower *follower;
  TallLoadRevisions revisions;
} Process;

static void
process_init (Process *self, TallTable *table, TallTestClock *clock)
{
  TallStoreHooks hooks = clock != NULL ? tall_test_hooks (clock) : (TallStoreHooks){ 0 };
  g_autoptr (TallDeployment) record = must (tall_deployment_read (table, TALL_NO_DEADLINE, &error));
  self->follower = must (tall_follower_new (table, record, &hooks, &error));
  tall_load_revisions_init (&self->revisions);
}

static void
process_clear (Process *self)
{
  tall_load_revisions_clear (&self->revisions);
  tall_follower_free (self->follower);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Process, process_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallLoads, tall_loads_clear)

static void
begin (TallLoads *self, Process *process)
{
  tall_loads_init (self, tall_follower_get_context (process->follower), &process->revisions, NULL);
}

static gint64
take (TallLoads *self)
{
  gint64 revision = must (tall_loads_take (self, &error));
  g_assert_cmpint (revision, >, 0);
  return revision;
}

/* Two processes, each with two loads at once, whose batches are many more than are taken at once.
 */
static void
test_many (void)
{
  Process processes[2];
  TallLoads loads[4];
  gint64 last[4] = { 0 };
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  for (guint i = 0; i < 2; i++)
    process_init (&processes[i], table, NULL);
  for (guint i = 0; i < 4; i++)
    begin (&loads[i], &processes[i / 2]);
  for (guint i = 0; i < 3 * TAKEN_AT_ONCE; i++)
    for (guint j = 0; j < 4; j++)
      {
        gint64 revision = take (&loads[j]);
        g_assert_cmpint (revision, >, last[j]);
        last[j] = revision;
        g_assert_true (g_hash_table_add (seen, g_memdup2 (&revision, sizeof revision)));
      }
  for (guint i = 0; i < 4; i++)
    tall_loads_clear (&loads[i]);
  for (guint i = 0; i < 2; i++)
    process_clear (&processes[i]);
}

static void
count_takes (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  if (call->kind == TALL_CALL_APPLY_IF)
    ++*(guint *)data;
}

/* Loads of one process that begin together take revisions once. One that begins later has larger
 * ones than whoever has taken some before it. */
static void
test_one_process (void)
{
  guint n_takes = 0;
  TallLoads loads[N_AT_ONCE];
  g_auto (Process) process;
  g_auto (Process) other;
  g_auto (TallLoads) others;
  g_auto (TallLoads) later;
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  g_autoptr (TallTable) failing = tall_failing_table_new (table);
  process_init (&process, failing, NULL);
  process_init (&other, table, NULL);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (failing), NULL, count_takes, &n_takes);
  for (guint i = 0; i < N_AT_ONCE; i++)
    begin (&loads[i], &process);
  gint64 made = g_get_monotonic_time ();
  while (g_get_monotonic_time () == made)
    ;
  for (guint i = 0; i < N_AT_ONCE; i++)
    take (&loads[i]);
  g_assert_cmpuint (n_takes, ==, 1);

  begin (&others, &other);
  gint64 theirs = take (&others);
  begin (&later, &process);
  g_assert_cmpint (take (&later), >, theirs);
  g_assert_cmpuint (n_takes, ==, 2);
  for (guint i = 0; i < N_AT_ONCE; i++)
    tall_loads_clear (&loads[i]);
}

/* Between the write that takes revisions and its answer another process takes some, and then a
 * second load of this process begins. */
typedef struct
{
  Process *process;
  TallLoads others;
  TallLoads second;
  gint64 theirs;
} Meanwhile;

static void
begin_second (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Meanwhile *self = data;
  if (call->kind != TALL_CALL_APPLY_IF || self->theirs != 0)
    return;
  self->theirs = take (&self->others);
  begin (&self->second, self->process);
  while (g_get_monotonic_time () == self->second.made)
    ;
}

/* What was taken for the first load is too small for the second one, though its answer comes late.
 */
static void
test_late_answer (void)
{
  g_auto (Process) process;
  g_auto (Process) other;
  g_auto (TallLoads) first;
  Meanwhile meanwhile = { .process = &process };
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  g_autoptr (TallTable) failing = tall_failing_table_new (table);
  process_init (&process, failing, NULL);
  process_init (&other, table, NULL);
  begin (&first, &process);
  begin (&meanwhile.others, &other);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (failing), NULL, begin_second, &meanwhile);
  g_assert_cmpint (take (&first), <, meanwhile.theirs);
  g_assert_cmpint (take (&meanwhile.second), >, meanwhile.theirs);
  tall_loads_clear (&meanwhile.others);
  tall_loads_clear (&meanwhile.second);
}

/* Another process takes revisions before each conditional write of ours. */
typedef struct
{
  TallLoads others;
  guint n_left;
} Faster;

static TallFailure
be_faster (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Faster *self = data;
  if (call->kind != TALL_CALL_APPLY_IF || self->n_left == 0)
    return TALL_FAILURE_NONE;
  self->n_left--;
  self->others.made = G_MAXINT64; /* nothing that was taken before will do */
  take (&self->others);
  return TALL_FAILURE_NONE;
}

/* A process gives way to others, with pauses, until its time is over, and no longer. */
static void
test_others_are_faster (void)
{
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;
      TallTestClock clock = { .now = TALL_FIRST_REVISION };
      g_auto (Process) process;
      g_auto (Process) other;
      g_auto (TallLoads) ours;
      Faster faster = { .n_left = i == 0 ? 40 : G_MAXUINT };
      g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
      g_autoptr (TallTable) failing = tall_failing_table_new (table);
      process_init (&process, failing, &clock);
      process_init (&other, table, NULL);
      begin (&ours, &process);
      begin (&faster.others, &other);
      tall_failing_table_set_hooks (TALL_FAILING_TABLE (failing), be_faster, NULL, &faster);
      if (i == 0)
        {
          take (&ours);
          g_assert_cmpuint (clock.n_sleeps, ==, 40);
        }
      else
        {
          g_assert_cmpint (tall_loads_take (&ours, &error), ==, 0);
          g_assert_error (error, TALL_ERROR, TALL_ERROR_OVERLOADED);
          g_assert_cmpint (clock.monotonic, >=, 10 * G_USEC_PER_SEC);
        }
      tall_loads_clear (&faster.others);
    }
}

static TallFailure
lose_answers (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  guint *n_left = data;
  if (call->kind != TALL_CALL_APPLY_IF || *n_left == 0)
    return TALL_FAILURE_NONE;
  --*n_left;
  return TALL_FAILURE_LATE;
}

/* Where no answer comes, nobody was faster: the store cannot be written, which is said at once. */
static void
test_unknown (void)
{
  for (guint i = 0; i < 2; i++)
    {
      guint n_left = i == 0 ? 2 : G_MAXUINT;
      g_autoptr (GError) error = NULL;
      TallTestClock clock = { .now = TALL_FIRST_REVISION };
      g_auto (Process) process;
      g_auto (TallLoads) loads;
      g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
      g_autoptr (TallTable) failing = tall_failing_table_new (table);
      process_init (&process, failing, &clock);
      begin (&loads, &process);
      tall_failing_table_set_hooks (TALL_FAILING_TABLE (failing), lose_answers, NULL, &n_left);
      if (i == 0)
        take (&loads);
      else
        {
          g_assert_cmpint (tall_loads_take (&loads, &error), ==, 0);
          g_assert_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
          g_assert_cmpint (clock.monotonic, <, G_USEC_PER_SEC);
        }
    }
}

typedef struct
{
  Process process;
  TallLoads loads;
  gint *n_ready; /* atomic */
  gint64 revision;
} Thread;

static gpointer
take_together (gpointer data)
{
  Thread *self = data;
  g_atomic_int_inc (self->n_ready);
  while (g_atomic_int_get (self->n_ready) < N_AT_ONCE)
    g_thread_yield ();
  self->revision = take (&self->loads);
  return NULL;
}

/* As many processes at once, each of which takes some. */
static void
test_together (void)
{
  gint n_ready = 0;
  Thread all[N_AT_ONCE];
  GThread *threads[N_AT_ONCE];
  g_autoptr (GHashTable) seen = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (TallTable) table = tall_test_table_new (&tall_layout_blob, &tall_key_hashed);
  for (guint i = 0; i < N_AT_ONCE; i++)
    {
      all[i].n_ready = &n_ready;
      process_init (&all[i].process, table, NULL);
      begin (&all[i].loads, &all[i].process);
    }
  for (guint i = 0; i < N_AT_ONCE; i++)
    threads[i] = g_thread_new ("load", take_together, &all[i]);
  for (guint i = 0; i < N_AT_ONCE; i++)
    {
      g_thread_join (threads[i]);
      g_assert_true (g_hash_table_add (seen, &all[i].revision));
      tall_loads_clear (&all[i].loads);
      process_clear (&all[i].process);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/store/loads/many", test_many);
  g_test_add_func ("/store/loads/one-process", test_one_process);
  g_test_add_func ("/store/loads/late-answer", test_late_answer);
  g_test_add_func ("/store/loads/others-are-faster", test_others_are_faster);
  g_test_add_func ("/store/loads/unknown", test_unknown);
  g_test_add_func ("/store/loads/together", test_together);
  return g_test_run ();
}
