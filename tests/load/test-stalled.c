/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "load/store/loader.h"
#include "load/store/storer.h"
#include "store/record/tables.h"
#include "tall-test-files.h"
#include "tall-test-store.h"
#include "tall-must.h"

/* A store that stands still while it is loaded into. */

#define N_ORDERS 2000
#define SECOND G_USEC_PER_SEC

static gboolean
goes_on (TallPatience *self, TallError code, gint64 begun, gint64 now)
{
  g_autoptr (GError) cause = g_error_new_literal (TALL_ERROR, (gint)code, "as told");
  tall_patience_begin (self, begun);
  return tall_patience_goes_on (self, cause, now);
}

/* What is refused at once is tried some times, and time has nothing to say. */
static void
test_refused (void)
{
  TallPatience self = { 3, 1, 100 };
  g_assert_true (goes_on (&self, TALL_ERROR_UNAVAILABLE, 1, 2));
  g_assert_true (goes_on (&self, TALL_ERROR_OUTCOME_UNKNOWN, SECOND, 2 * SECOND - 1));
  g_assert_false (goes_on (&self, TALL_ERROR_UNAVAILABLE, 2 * SECOND, 2 * SECOND + 1));
  g_assert_false (self.is_used_up);
}

/* What stands still is waited for, however often; the tries that are refused at once stay. */
static void
test_stands_still (void)
{
  TallPatience self = { 3, 1, 100 };
  for (gint64 i = 1; i < 90; i++)
    g_assert_true (goes_on (&self, i % 2 == 0 ? TALL_ERROR_TIMED_OUT : TALL_ERROR_OVERLOADED,
                            i * SECOND, i * SECOND + 1));
  g_assert_true (goes_on (&self, TALL_ERROR_UNAVAILABLE, 90 * SECOND, 91 * SECOND));
  g_assert_true (goes_on (&self, TALL_ERROR_OUTCOME_UNKNOWN, 91 * SECOND, 92 * SECOND));
  g_assert_true (goes_on (&self, TALL_ERROR_UNAVAILABLE, 93 * SECOND, 93 * SECOND));
  g_assert_true (goes_on (&self, TALL_ERROR_UNAVAILABLE, 94 * SECOND, 94 * SECOND));
  g_assert_true (goes_on (&self, TALL_ERROR_TIMED_OUT, 100 * SECOND, 101 * SECOND - 1));
  g_assert_false (self.is_used_up);
  g_assert_false (goes_on (&self, TALL_ERROR_TIMED_OUT, 100 * SECOND, 101 * SECOND));
  g_assert_true (self.is_used_up);
}

static void
test_lasting (void)
{
  TallPatience self = { 3, 1, 100 };
  g_assert_false (goes_on (&self, TALL_ERROR_INTERNAL, 1, 2 * SECOND));
  g_assert_false (self.is_used_up);
}

typedef struct
{
  TallTable *table; /* that stands still */
  TallTestClock clock;
  TallStore *store;
  const char *of; /* the table that stands still; NULL: all do */
  gint from;      /* call of it with which it begins */
  gint n_calls;   /* for which it does */
  gint n_seen;    /* atomic */
  gint n_said;    /* atomic */
  TallLoadSummary summary;
  GError *error;
} Fixture;

/* Nothing has an answer in time; every second call is done nevertheless. */
static TallFailure
stand_still (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Fixture *self = data;
  if (self->of != NULL && g_strcmp0 (call->table, self->of) != 0)
    return TALL_FAILURE_NONE;
  gint i = g_atomic_int_add (&self->n_seen, 1) - self->from;
  if (i < 0 || i >= self->n_calls)
    return TALL_FAILURE_NONE;
  return i % 2 == 0 ? TALL_FAILURE_LOST : TALL_FAILURE_LATE;
}

static void
set_up (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallTable) memory = tall_test_table_new (&tall_layout_normalized, &tall_key_hashed);
  self->table = tall_failing_table_new (memory);
  self->clock.now = G_GINT64_CONSTANT (1750000000000);
  self->store = tall_test_open (self->table, &self->clock);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (self->table), stand_still, NULL, self);
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  tall_failing_table_deliver_late (TALL_FAILING_TABLE (self->table));
  g_clear_object (&self->store);
  g_clear_object (&self->table);
  g_clear_error (&self->error);
}

static void
say_stalled (guint seconds G_GNUC_UNUSED,
             guint most G_GNUC_UNUSED,
             const GError *cause,
             gpointer data)
{
  Fixture *self = data;
  g_assert_nonnull (cause);
  g_atomic_int_inc (&self->n_said);
}

static gboolean
load (Fixture *self, guint patience)
{
  g_autoptr (GString) csv = g_string_new ("C,O,Q\n");
  for (guint i = 0; i < N_ORDERS; i++)
    g_string_append_printf (csv, "%u,%u,1\n%u,%u,2\n", i % 50, i, i % 50, i);
  g_autofree char *path = tall_test_write_file (csv->str, (gssize)csv->len);
  g_autoptr (TallMapping) mapping = must (tall_mapping_parse (
      "m", "[order]\ncustomer_number=C\norder_number=O\n[line]\nquantity=Q\n", -1, &error));
  g_autoptr (TallCsvReader) reader =
      must (tall_csv_reader_open (path, &mapping->dialect, TALL_CSV_MAX_ROW, &error));
  must (tall_mapping_bind_reader (mapping, reader, &error));
  g_remove (path);
  g_autoptr (TallRejects) rejects = must (tall_rejects_new (NULL, &error));
  g_autoptr (TallLoadFiles) files =
      tall_load_files_new_of_one (g_steal_pointer (&reader), g_steal_pointer (&mapping));
  TallLoadOptions options = TALL_LOAD_OPTIONS_INIT;
  options.retry_delay = 1;
  options.patience = patience;
  options.stalled = say_stalled;
  options.data = self;
  return tall_load (TALL_FRONT (self->store), files, rejects, &options, &self->summary,
                    &self->error);
}

static void
assert_loaded (const Fixture *self)
{
  g_assert_no_error (self->error);
  g_assert_cmpuint (self->summary.ends[TALL_LOAD_STORED].items
                        + self->summary.ends[TALL_LOAD_UNCHANGED].items,
                    ==, N_ORDERS);
  for (guint i = 0; i < N_ORDERS; i += 97)
    {
      g_autofree char *customer = g_strdup_printf ("%u", i % 50);
      g_autofree char *number = g_strdup_printf ("%u", i);
      g_autoptr (TallOrder) order =
          must (tall_front_get_order (TALL_FRONT (self->store), customer, number, NULL, &error));
      g_assert_cmpuint (tall_order_count_lines (order), ==, 2);
    }
}

/* Loads that are not finished. */
static guint
count_unfinished (const Fixture *self)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_prefix_scan (plan, TALL_META_TABLE, tall_slice_str ("load/"));
  g_autoptr (TallReadResult) result =
      must (tall_table_read (self->table, plan, TALL_NO_DEADLINE, &error));
  return result->results[0].n_rows;
}

/* Everything stands still in the middle of the load, for more tries than a store gets that is not
 * there. */
static void
test_waits (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  self->from = 10;
  self->n_calls = 100;
  g_assert_true (load (self, 60));
  assert_loaded (self);
  g_assert_cmpuint (self->summary.retries, >=, 10);
  g_assert_cmpuint (count_unfinished (self), ==, 0);
}

/* Orders cannot be written, and the record can: the load stays one that was cut short. */
static void
test_cut_short (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  self->of = tall_layout_get_order_table (&tall_layout_normalized);
  self->from = 4;
  self->n_calls = G_MAXINT;
  g_assert_false (load (self, 0));
  g_assert_cmpuint (count_unfinished (self), ==, 1);
  g_autoptr (GPtrArray) loads = must (tall_store_list_loads (self->store, &error));
  const TallUnfinishedLoad *left = g_ptr_array_index (loads, 0);
  g_assert_nonnull (strstr (left->name, "tallorder-"));
  g_autofree char *place = g_strdup_printf (" of %s: ", left->name);
  g_assert_true (g_str_has_prefix (self->error->message, "Stopped at line "));
  g_assert_nonnull (strstr (self->error->message, place));
}

/* The record cannot be written: neither every few seconds nor at the end. */
static void
test_record_stands_still (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  self->of = TALL_META_TABLE;
  self->from = 4; /* an index is looked for, revisions are taken, the row of the load is written */
  self->n_calls = 12;
  g_assert_true (load (self, 60));
  assert_loaded (self);
}

/* It never goes on: the load stops, and says why. */
static void
test_gives_up (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  self->from = 10;
  self->n_calls = G_MAXINT;
  g_assert_false (load (self, 0));
  g_assert_nonnull (self->error);
  g_assert_nonnull (strstr (self->error->message, "the store has stood still for more than 0 s: "));
  g_assert_nonnull (strstr (self->error->message, "Stopped at line "));
}

/* It never can: nothing is safe, so nothing counts as stored. */
static void
test_record_fails (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  self->of = TALL_META_TABLE;
  self->from = 4;
  self->n_calls = G_MAXINT;
  g_assert_false (load (self, 0));
  g_assert_error (self->error, TALL_ERROR, TALL_ERROR_TIMED_OUT);
  g_assert_cmpuint (self->summary.rows, ==, 2 * N_ORDERS);
  for (guint i = 0; i < TALL_LOAD_N_ENDS; i++)
    g_assert_cmpuint (self->summary.ends[i].items, ==, 0);
}

#define ADD(name, function)                                                                        \
  g_test_add ("/load/stalled/" name, Fixture, NULL, set_up, function, tear_down)

static void
count_said (guint seconds G_GNUC_UNUSED,
            guint most G_GNUC_UNUSED,
            const GError *cause G_GNUC_UNUSED,
            gpointer data)
{
  ++*(guint *)data;
}

/* It is said every ten seconds, whoever asks how often. */
static void
test_said_seldom (void)
{
  guint n = 0;
  TallStall stall;
  TallPatience patience = { .tries = 1, .patience = 600 };
  g_autoptr (GError) cause = g_error_new (TALL_ERROR, TALL_ERROR_TIMED_OUT, "it stands still");
  tall_stall_init (&stall, count_said, &n);
  for (gint64 second = 0; second < 35; second++)
    tall_stall_say (&stall, &patience, cause, stall.said_at + G_USEC_PER_SEC);
  g_assert_cmpuint (n, ==, 0);
  gint64 begun = stall.said_at;
  for (gint64 second = 0; second < 35; second++)
    tall_stall_say (&stall, &patience, cause, begun + second * G_USEC_PER_SEC);
  g_assert_cmpuint (n, ==, 3);
  tall_stall_clear (&stall);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load/patience/refused", test_refused);
  g_test_add_func ("/load/patience/stands-still", test_stands_still);
  g_test_add_func ("/load/patience/lasting", test_lasting);
  ADD ("waits", test_waits);
  ADD ("record", test_record_stands_still);
  ADD ("record-fails", test_record_fails);
  ADD ("gives-up", test_gives_up);
  ADD ("cut-short", test_cut_short);
  g_test_add_func ("/load/stalled/said-seldom", test_said_seldom);
  return g_test_run ();
}
