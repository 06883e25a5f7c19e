/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/store.h"

#include "bench/phase.h"
#include "bench/run.h"
#include "bench/settle.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

#include "tall-error.h"
#include "tall-failing-table.h"
#include "table/memory-table.h"
#include "bench/orders.h"
#include "table/rocksdb/table.h"
#include "tall-must.h"

static const TallStoreSettings settings = { .layout = &tall_layout_blob,
                                            .key_strategy = &tall_key_hashed };

/* Returns: (transfer full): tables in memory with calls that can fail */
static TallFailingTable *
make_table (void)
{
  g_autoptr (TallTable) memory = tall_memory_table_new ();
  return TALL_FAILING_TABLE (tall_failing_table_new (memory));
}

static guint
count_tables (TallFailingTable *table)
{
  g_auto (GStrv) names =
      must (tall_table_list_tables (tall_failing_table_get_table (table), G_MAXINT64, &error));
  return g_strv_length (names);
}

/* Opening must fail with @code; then closes. */
static void
fail_to_open (TallFailingTable *table, TallError code)
{
  g_auto (TallBenchStore) store = { 0 };
  must_fail (tall_bench_store_open_in (&store, TALL_TABLE (table), &settings, &error), (gint)code);
}

static void
assert_other_is_there (TallFailingTable *table)
{
  g_autoptr (TallStore) other =
      must (tall_store_open (tall_failing_table_get_table (table), "wide", NULL, NULL, &error));
}

/* Another process makes a deployment of that name. */
static void
make_other (TallFailingTable *table)
{
  const TallStoreSettings others = { .layout = &tall_layout_wide,
                                     .key_strategy = &tall_key_hashed };
  must (tall_store_create (tall_failing_table_get_table (table), &others, &error));
}

static void
test_close (void)
{
  g_autoptr (TallFailingTable) table = make_table ();
  TallBenchStore store = { 0 };
  must (tall_bench_store_open_in (&store, TALL_TABLE (table), &settings, &error));
  g_assert_cmpuint (count_tables (table), >, 0);
  tall_bench_store_close (&store);
  g_assert_cmpuint (count_tables (table), ==, 0);
}

static void
test_existing (void)
{
  g_autoptr (TallFailingTable) table = make_table ();
  make_other (table);
  fail_to_open (table, TALL_ERROR_CONFLICT);
  assert_other_is_there (table);
}

/* Opens and closes. Returns: how many calls opening took */
static guint
open_and_close (TallFailingTable *table)
{
  g_auto (TallBenchStore) store = { 0 };
  g_autoptr (GError) error = NULL;
  gboolean opened = tall_bench_store_open_in (&store, TALL_TABLE (table), &settings, &error);
  g_assert_true (opened == (error == NULL));
  return tall_failing_table_count_calls (table);
}

/* Whichever call of opening fails: nothing is left. */
static void
test_failures (void)
{
  static const TallFailure failures[] = { TALL_FAILURE_BEFORE, TALL_FAILURE_LOST,
                                          TALL_FAILURE_FALSE };
  g_autoptr (TallFailingTable) well = make_table ();
  guint n_calls = open_and_close (well);
  g_assert_cmpuint (n_calls, >, 3);
  for (guint i = 0; i < G_N_ELEMENTS (failures); i++)
    for (guint n = 0; n < n_calls; n++)
      {
        g_autoptr (TallFailingTable) table = make_table ();
        tall_failing_table_fail_at (table, n, failures[i]);
        open_and_close (table);
        g_assert_cmpuint (count_tables (table), ==, 0);
      }
}

typedef struct
{
  TallFailure record; /* of writing the record */
  guint n_reads;      /* that fail after that */
  gboolean other;     /* another deployment is made before the record is written */
  gboolean written;   /* the record, or it was tried */
} Story;

static TallFailure
tell (TallFailingTable *self, const TallCall *call, gpointer data)
{
  Story *story = data;
  if (call->kind == TALL_CALL_APPLY_IF && !story->written)
    {
      story->written = TRUE;
      if (story->other)
        make_other (self);
      return story->record;
    }
  if (call->kind != TALL_CALL_READ || !story->written || story->n_reads == 0)
    return TALL_FAILURE_NONE;
  story->n_reads--;
  return TALL_FAILURE_BEFORE;
}

/* This process's record was written, but opening could not see that: closing removes it. */
static void
test_ours (void)
{
  g_autoptr (TallFailingTable) table = make_table ();
  Story story = { .record = TALL_FAILURE_LOST, .n_reads = 1 };
  tall_failing_table_set_hooks (table, tell, NULL, &story);
  fail_to_open (table, TALL_ERROR_OUTCOME_UNKNOWN);
  g_assert_cmpuint (story.n_reads, ==, 0);
  g_assert_cmpuint (count_tables (table), ==, 0);
}

/* Another process was faster, and the error of the own attempt does not say so. */
static void
test_other (void)
{
  static const Story stories[] = {
    { .record = TALL_FAILURE_BEFORE, .other = TRUE },
    { .record = TALL_FAILURE_LOST, .other = TRUE },
    { .record = TALL_FAILURE_LOST, .other = TRUE, .n_reads = 1 },
    { .record = TALL_FAILURE_NONE, .other = TRUE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (stories); i++)
    {
      g_autoptr (TallFailingTable) table = make_table ();
      Story story = stories[i];
      tall_failing_table_set_hooks (table, tell, NULL, &story);
      fail_to_open (table, story.record == TALL_FAILURE_BEFORE ? TALL_ERROR_UNAVAILABLE
                           : story.record == TALL_FAILURE_LOST ? TALL_ERROR_OUTCOME_UNKNOWN
                                                               : TALL_ERROR_CONFLICT);
      g_assert_true (story.written);
      assert_other_is_there (table);
    }
}

/* If its owner is unknown, the deployment is left, and a message says so. */
static void
test_unknown (void)
{
  g_autoptr (TallFailingTable) table = make_table ();
  Story story = { .record = TALL_FAILURE_LOST, .other = TRUE, .n_reads = 2 };
  tall_failing_table_set_hooks (table, tell, NULL, &story);
  g_test_expect_message (G_LOG_DOMAIN, G_LOG_LEVEL_MESSAGE, "*may be left*");
  fail_to_open (table, TALL_ERROR_OUTCOME_UNKNOWN);
  g_test_assert_expected_messages ();
  assert_other_is_there (table);
}

#define ADMIN                                                                                      \
  "sh -c 'work=$1; shift; for table; do echo \"$table $(printf $work | wc -c)\"; done' admin"

/* A command that knows each table by its whole name says what it takes. */
static void
test_settle (void)
{
  static const char *const wrong[] = {
    "true", "false", "echo 5", "printf 'a 1\nb x\n'", "/no/such/command", "'",
  };
  g_autoptr (TallFailingTable) table = make_table ();
  g_auto (TallBenchStore) store = { 0 };
  g_autoptr (GError) error = NULL;
  guint64 bytes = 0;
  must (tall_bench_store_open_in (&store, TALL_TABLE (table), &settings, &error));
  guint n = count_tables (table);
  must (tall_bench_settle (store.inner, ADMIN, TALL_BENCH_FLUSHED, &bytes, &error));
  g_assert_cmpuint (bytes, ==, n * strlen ("flush"));
  must (tall_bench_settle (store.inner, ADMIN, TALL_BENCH_COMPACTED, &bytes, &error));
  g_assert_cmpuint (bytes, ==, n * strlen ("compact"));
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_assert_false (
          tall_bench_settle (store.inner, wrong[i], TALL_BENCH_FLUSHED, &bytes, &error));
      g_assert_nonnull (error);
      g_clear_error (&error);
    }
}

/* Files have what was replaced until they are compacted. */
static void
test_settle_embedded (void)
{
  g_auto (TallBenchStore) store = { 0 };
  const TallWorkload workload = { .prefix = "", .n_lines = 50, .n_customers = 2, .seed = 3 };
  g_autoptr (GPtrArray) orders = tall_workload_make_orders (&workload, 0, 20);
  guint64 bytes[2] = { 0 }, compacted = 0;
  TallRocksdbOptions options = TALL_ROCKSDB_OPTIONS_INIT;
  store.directory = must (g_dir_make_tmp ("tallorder-test-XXXXXX", &error));
  options.directory = store.directory;
  g_autoptr (TallTable) table = must (tall_rocksdb_table_open (&options, &error));
  must (tall_bench_store_open_in (&store, table, &settings, &error));
  g_clear_object (&table);
  for (guint i = 0; i < 2; i++)
    {
      for (guint k = 0; k < orders->len; k++)
        {
          TallOrder *order = g_ptr_array_index (orders, k);
          must (tall_front_put_order (store.front, order, NULL, NULL, &error));
          tall_bench_change_order (order);
        }
      must (tall_bench_settle (store.inner, NULL, TALL_BENCH_FLUSHED, &bytes[i], &error));
    }
  must (tall_bench_settle (store.inner, NULL, TALL_BENCH_COMPACTED, &compacted, &error));
  g_assert_cmpuint (bytes[0], >, 20 * 50 * 20);
  g_assert_cmpuint (bytes[1], >=, bytes[0] * 18 / 10);
  g_assert_cmpuint (compacted, <=, bytes[0] * 12 / 10);
}

/* The time of this process grows while it works; that of no process is not known. */
static void
test_meter (void)
{
  g_autoptr (TallFailingTable) table = make_table ();
  TallBenchPids pids = { 0 };
  g_autofree char *text =
      g_strdup_printf ("gateway=%d,server=%d,server=%d", getpid (), getpid (), getpid ());
  must (tall_bench_pids_parse (&pids, text, &error));
  g_assert_cmpuint (pids.n_gateways, ==, 1);
  g_assert_cmpuint (pids.n_servers, ==, 2);
  const TallBenchMeter meter = { TALL_TABLE (table), &pids };
  double before[TALL_BENCH_N_SPENDINGS], after[TALL_BENCH_N_SPENDINGS];
  tall_bench_meter_read (&meter, before);
  do
    tall_bench_meter_read (&meter, after);
  while (after[TALL_BENCH_SPENT_CLIENT] < before[TALL_BENCH_SPENT_CLIENT] + 1e6);
  g_assert_cmpfloat (after[TALL_BENCH_SPENT_GATEWAY], >=, after[TALL_BENCH_SPENT_CLIENT]);
  g_assert_cmpfloat (after[TALL_BENCH_SPENT_SERVER], >=, 2 * after[TALL_BENCH_SPENT_GATEWAY]);
  g_assert_true (isnan (after[TALL_BENCH_SPENT_SENT]));
  const TallBenchMeter alone = { TALL_TABLE (table), NULL };
  tall_bench_meter_read (&alone, after);
  g_assert_true (isnan (after[TALL_BENCH_SPENT_GATEWAY]));
  g_assert_true (isnan (after[TALL_BENCH_SPENT_SERVER]));
}

/* A table that hands on every call, but changes a byte in the largest cell of each row that is
 * read, from some moment on. */
typedef struct
{
  TallForwardingTable parent_instance;
  gint lies; /* atomic */
} LyingTable;

typedef TallForwardingTableClass LyingTableClass;

GType lying_table_get_type (void);
G_DEFINE_TYPE (LyingTable, lying_table, TALL_TYPE_FORWARDING_TABLE)

static void
change_a_cell (const TallReadResult *result, const TallRow *row)
{
  TallSlice *value = &row->cells[0].value;
  for (guint i = 1; i < row->n_cells; i++)
    if (row->cells[i].value.len > value->len)
      value = &row->cells[i].value;
  guint8 *changed = tall_arena_memdup (result->arena, value->data, value->len);
  changed[value->len - 1] ^= 1;
  *value = tall_slice (changed, value->len);
}

static void
change_cells (const TallReadResult *result)
{
  for (guint i = 0; i < result->n_results; i++)
    for (guint r = 0; r < result->results[i].n_rows; r++)
      change_a_cell (result, &result->results[i].rows[r]);
}

static TallReadResult *
lying_table_read (TallTable *base, const TallReadPlan *plan, gint64 deadline, GError **error)
{
  TallReadResult *result =
      TALL_TABLE_CLASS (lying_table_parent_class)->read (base, plan, deadline, error);
  if (result != NULL && g_atomic_int_get (&((LyingTable *)base)->lies))
    change_cells (result);
  return result;
}

static void
lying_table_init (LyingTable *self G_GNUC_UNUSED)
{
}

static void
lying_table_class_init (LyingTableClass *klass)
{
  TALL_TABLE_CLASS (klass)->read = lying_table_read;
}

/* Its operations took some CPU time, and not more than this process since it began. */
static gboolean
is_plausible (const TallBenchRecord *record)
{
  struct timespec time;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);
  double spent = record->metrics[TALL_BENCH_CPU_CLIENT] * (double)record->n_timed;
  g_assert_cmpfloat (spent, >, 1);
  g_assert_cmpfloat (spent, <=, (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3);
  g_assert_true (isnan (record->metrics[TALL_BENCH_SENT]));
  return TRUE;
}

static gboolean
run_phase (TallBenchStore *store, const TallBenchOrders *orders, const char *name, GError **error)
{
  const TallBenchMeter meter = { store->inner, NULL };
  const TallBenchPlan plan = { .n_clients = 2, .n_operations = 50, .seed = 5, .meter = &meter };
  TallBenchRecord record = { 0 };
  guint n;
  const TallBenchPhase *phases = tall_bench_phases (&n);
  for (guint i = 0; i < n; i++)
    if (g_str_equal (phases[i].name, name))
      return tall_bench_run_phase (&phases[i], &plan, store->front, orders, &record, error)
             && is_plausible (&record);
  g_error ("no phase %s", name);
}

/* A table that returns a wrong cell fails the run, whatever fetches orders. */
static void
test_wrong_cell (void)
{
  static const char *const names[] = { "get", "customer", "check" };
  const TallWorkload workload = { .prefix = "", .n_lines = 2, .n_customers = 2, .seed = 3 };
  g_autoptr (TallBenchOrders) orders =
      tall_bench_orders_new (tall_workload_make_orders (&workload, 0, 20));
  g_autoptr (TallTable) memory = tall_memory_table_new ();
  g_autoptr (TallTable) table = g_object_new (lying_table_get_type (), NULL);
  g_auto (TallBenchStore) store = { 0 };
  g_autoptr (GError) error = NULL;
  tall_forwarding_table_wrap (TALL_FORWARDING_TABLE (table), memory);
  must (tall_bench_store_open_in (&store, table, &settings, &error));
  must (run_phase (&store, orders, "store", &error));
  must (run_phase (&store, orders, "get", &error));
  g_atomic_int_set (&((LyingTable *)table)->lies, 1);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      gboolean went_well = run_phase (&store, orders, names[i], &error);
      g_assert_cmpstr (went_well ? names[i] : "", ==, "");
      g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
      g_clear_error (&error);
    }
  g_atomic_int_set (&((LyingTable *)table)->lies, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bench/store/close", test_close);
  g_test_add_func ("/bench/store/existing", test_existing);
  g_test_add_func ("/bench/store/failures", test_failures);
  g_test_add_func ("/bench/store/ours", test_ours);
  g_test_add_func ("/bench/store/other", test_other);
  g_test_add_func ("/bench/store/settle", test_settle);
  g_test_add_func ("/bench/store/settle-embedded", test_settle_embedded);
  g_test_add_func ("/bench/store/wrong-cell", test_wrong_cell);
  g_test_add_func ("/bench/meter", test_meter);
  g_test_add_func ("/bench/store/unknown", test_unknown);
  return g_test_run ();
}
