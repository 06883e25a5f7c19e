/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/record/deployment.h"
#include "store/record/migration.h"
#include "table/memory-table.h"
#include "tall-bulk.h"
#include "tall-error.h"
#include "tall-test-orders.h"
#include "tall-test-store.h"
#include "tall-must.h"

/* A deployment is dropped, and another one made under its name, beside a process that stays up.
 * What that process knows, it knows of the first one: so it stores nothing, and reads nothing, in
 * the second one. */

#define CUSTOMER "ANNA"

/* Memory that other processes share. */
static TallTable *
new_shared (TallTable *memory)
{
  TallTable *table = tall_failing_table_new (memory);
  tall_failing_table_set_info (TALL_FAILING_TABLE (table), TALL_FAILING_SHARED);
  return table;
}

static void
drop (TallTable *table)
{
  must (tall_store_drop (table, &error));
}

static gboolean
put (TallStore *store, const char *customer, const char *number, GError **error)
{
  g_autoptr (TallOrder) order = tall_test_order_with_lines (customer, number, 3);
  return tall_front_put_order (TALL_FRONT (store), order, NULL, NULL, error);
}

static void
expect_there (TallTable *table, const char *customer, const char *number)
{
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  g_autoptr (TallOrder) order =
      must (tall_front_get_order (TALL_FRONT (store), customer, number, NULL, &error));
}

static guint64
get_generation (TallTable *table)
{
  g_autoptr (TallDeployment) record = must (tall_deployment_read (table, TALL_NO_DEADLINE, &error));
  return record->migration.generation;
}

/* Names of tables, with one space in between. */
static char *
list_tables (TallTable *table)
{
  g_auto (GStrv) names = must (tall_table_list_tables (table, TALL_NO_DEADLINE, &error));
  return g_strjoinv (" ", names);
}

/* Everything in all tables but `meta`, as a number of rows. */
static guint
count_rows (TallTable *table)
{
  guint n = 0;
  g_auto (GStrv) names = tall_table_list_tables (table, TALL_NO_DEADLINE, NULL);
  for (guint i = 0; names[i] != NULL; i++)
    {
      const TallSlice all = TALL_SLICE_INIT;
      g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
      tall_read_plan_add_scan (plan, names[i], all, all);
      g_autoptr (TallReadResult) result = tall_table_read (table, plan, TALL_NO_DEADLINE, NULL);
      if (!g_str_equal (names[i], "meta"))
        n += result->results[0].n_rows;
    }
  return n;
}

/* ---- The numbers ---- */

/* They go on, and of what was there nothing is left but the next one. */
static void
test_numbers (void)
{
  g_autoptr (TallTable) memory = tall_memory_table_new ();
  g_autoptr (TallTable) table = new_shared (memory);
  for (guint64 generation = 1; generation < 5; generation++)
    {
      tall_test_create (table, generation % 2 == 0 ? "normalized" : "blob", "numeric", 0);
      g_assert_cmpuint (get_generation (table), ==, generation);
      g_assert_false (tall_store_was_dropped (table));
      drop (table);
      g_autofree char *left = list_tables (table);
      g_assert_cmpstr (left, ==, "meta");
      g_assert_true (tall_store_was_dropped (table));
      must_fail (tall_store_open (table, NULL, NULL, NULL, &error), TALL_ERROR_NOT_FOUND);
      must_fail (tall_store_drop (table, &error), TALL_ERROR_NOT_FOUND);
    }
}

/* A target has a number, too, also after an abort. */
static void
test_numbers_of_targets (void)
{
  g_autoptr (TallTable) memory = tall_memory_table_new ();
  g_autoptr (TallTable) table = new_shared (memory);
  const TallMigration is = TALL_MIGRATION_INIT;
  const TallMigration aborting = {
    .generation = 1, .last = 7, .target = 7, .unsealed = TRUE, .phase = TALL_MIGRATION_ABORTING
  };
  gboolean done;
  tall_test_create (table, "blob", "hashed", 0);
  must (tall_migration_change (table, NULL, &is, &aborting, NULL, TALL_NO_DEADLINE, &done, &error));
  const TallMigration none = tall_migration_give_up (&aborting);
  must (
      tall_migration_change (table, NULL, &aborting, &none, NULL, TALL_NO_DEADLINE, &done, &error));
  drop (table);
  tall_test_create (table, "blob", "hashed", 0);
  g_assert_cmpuint (get_generation (table), ==, 8);
}

/* The table `meta` keeps nothing else, such as rows of loads. */
static void
test_loads_go (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) memory = tall_memory_table_new ();
  g_autoptr (TallTable) table = new_shared (memory);
  tall_test_create (table, "blob", "hashed", 0);
  g_autoptr (TallStore) store = tall_test_open (table, NULL);
  g_autoptr (TallOrder) order = tall_test_order_with_lines (CUSTOMER, "1", 1);
  g_autoptr (TallBulk) bulk = tall_bulk_begin (TALL_FRONT (store), NULL, &error);
  TallBulkResult result = { 0 };
  must (tall_bulk_put_orders (bulk, &order, 1, &result, &error));
  tall_bulk_result_clear (&result);
  drop (table);
  tall_test_create (table, "blob", "hashed", 0);
  g_autoptr (TallStore) next = tall_test_open (table, NULL);
  g_autoptr (GPtrArray) loads = must (tall_store_list_loads (next, &error));
  g_assert_cmpuint (loads->len, ==, 0);
}

/* ---- A process of before ---- */

typedef struct
{
  const char *name;
  const char *before[2]; /* layout and key strategy */
  const char *after[2];
} Change;

static const Change changes[] = {
  { "to-several-rows", { "blob", "hashed" }, { "normalized", "hashed" } },
  { "to-one-row", { "record-type", "hashed" }, { "wide", "hashed" } },
  { "ids", { "blob", "numeric" }, { "blob", "numeric" } },
  { "nothing", { "normalized", "raw" }, { "normalized", "raw" } },
};

typedef enum
{
  DOES_PUT,
  DOES_GET,
  DOES_DELETE,
  DOES_LIST,
  DOES_LOAD,
  N_DOES,
} Does;

/* One process, beside which everything is made anew before its call @at. */
typedef struct
{
  const Change *change;
  TallTable *others; /* the shared one */
  guint at;
  gboolean is_made; /* anew */
} Remade;

static void
make_anew (Remade *self)
{
  self->is_made = TRUE;
  drop (self->others);
  tall_test_create (self->others, self->change->after[0], self->change->after[1], 0);
}

static TallFailure
before_call (TallFailingTable *table G_GNUC_UNUSED, const TallCall *call, gpointer data)
{
  Remade *self = data;
  if (!self->is_made && call->index >= self->at)
    make_anew (self);
  return TALL_FAILURE_NONE;
}

static gboolean
load (TallStore *store, GError **error)
{
  g_autoptr (TallOrder) order = tall_test_order_with_lines (CUSTOMER, "2", 3);
  g_autoptr (TallBulk) bulk = tall_bulk_begin (TALL_FRONT (store), NULL, error);
  TallBulkResult result = { 0 };
  if (bulk == NULL || !tall_bulk_put_orders (bulk, &order, 1, &result, error))
    return FALSE;
  gboolean done = result.error == NULL;
  if (!done)
    g_propagate_error (error, g_steal_pointer (&result.error));
  tall_bulk_result_clear (&result);
  return done;
}

/* Returns: whether it succeeds */
static gboolean
do_something (TallStore *store, Does does, GError **error)
{
  TallFront *front = TALL_FRONT (store);
  g_autoptr (TallOrder) order = NULL;
  g_autoptr (TallOrderList) page = NULL;
  switch (does)
    {
    case DOES_PUT:
      return put (store, CUSTOMER, "2", error);
    case DOES_GET:
      order = tall_front_get_order (front, CUSTOMER, "1", NULL, error);
      return order != NULL;
    case DOES_DELETE:
      return tall_front_delete_order (front, CUSTOMER, "1", NULL, error);
    case DOES_LIST:
      page = tall_front_list_orders (front, CUSTOMER, NULL, error);
      return page != NULL;
    default:
      return load (store, error);
    }
}

/* Returns: FALSE if the process makes fewer calls */
static gboolean
remake_at (const Change *change, Does does, guint at)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) memory = tall_memory_table_new ();
  g_autoptr (TallTable) others = new_shared (memory);
  g_autoptr (TallTable) own = new_shared (memory);
  Remade self = { change, others, at, FALSE };
  tall_test_create (others, change->before[0], change->before[1], 0);
  g_autoptr (TallStore) store = tall_test_open (own, NULL);
  must (put (store, CUSTOMER, "1", &error));
  self.at += tall_failing_table_count_calls (TALL_FAILING_TABLE (own));
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (own), before_call, NULL, &self);
  gboolean done = do_something (store, does, &error);
  gboolean reached = self.is_made;
  if (!reached)
    make_anew (&self);
  g_assert_true (done || error != NULL);
  g_assert_cmpuint (count_rows (memory), ==, 0);

  /* From now on it knows. */
  for (guint i = 0; i < N_DOES; i++)
    {
      g_clear_error (&error);
      must_fail (do_something (store, i, &error), TALL_ERROR_UNSUPPORTED, "another deployment");
    }
  g_assert_cmpuint (count_rows (memory), ==, 0);
  g_autoptr (TallStore) next = tall_test_open (others, NULL);
  g_clear_error (&error);
  must (put (next, "BERT", "2", &error));
  expect_there (others, "BERT", "2");
  return reached;
}

static void
test_process_of_before (gconstpointer data)
{
  const Change *change = data;
  for (guint does = 0; does < N_DOES; does++)
    {
      guint at = 0;
      while (remake_at (change, does, at))
        at++;
      g_assert_cmpuint (at, >, 0);
    }
}

/* Where the table meta goes, too, the numbers begin again. Once a process has read the record, it
 * knows that all it knows is of another deployment. */
static void
test_equal_numbers (void)
{
  g_autoptr (TallTable) memory = tall_memory_table_new ();
  tall_test_create (memory, "blob", "hashed", 0);
  g_autoptr (TallStore) store = tall_test_open (memory, NULL);
  must (put (store, CUSTOMER, "1", &error));
  drop (memory);
  tall_test_create (memory, "normalized", "hashed", 0);
  g_assert_cmpuint (get_generation (memory), ==, 1);
  must_fail (tall_front_ping (TALL_FRONT (store), &error), TALL_ERROR_UNSUPPORTED);
  for (guint i = 0; i < N_DOES; i++)
    must_fail (do_something (store, i, &error), TALL_ERROR_UNSUPPORTED);
  g_assert_cmpuint (count_rows (memory), ==, 0);
}

/* Where a verification goes on, and what it has found, is of one deployment, whoever has it in
 * hand. */
static void
test_cursor (void)
{
  g_autoptr (TallTable) memory = tall_memory_table_new ();
  tall_test_create (memory, "blob", "hashed", 0);
  g_autoptr (TallStore) store = tall_test_open (memory, NULL);
  TallVerifyRequest request = { .most = 1 };
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      must (put (store, CUSTOMER, number, &error));
    }
  g_autoptr (TallVerifyPart) part =
      must (tall_front_verify_some (TALL_FRONT (store), &request, &error));
  g_assert_cmpuint (part->cursor.len, >, 0);
  drop (memory);
  tall_test_create (memory, "blob", "hashed", 0);
  g_autoptr (TallStore) next = tall_test_open (memory, NULL);
  request.cursor = part->cursor;
  must_fail (tall_front_verify_some (TALL_FRONT (next), &request, &error), TALL_ERROR_INVALID);
}

/* ---- Several who drop and make ---- */

/* Two begin with what the same one has left: one makes the deployment. */
static TallFailure
make_meanwhile (TallFailingTable *table, const TallCall *call, gpointer data)
{
  gboolean *made = data;
  if (*made || call->kind != TALL_CALL_APPLY_IF)
    return TALL_FAILURE_NONE;
  *made = TRUE;
  TallTable *memory = tall_failing_table_get_table (table);
  g_autoptr (TallTable) other = new_shared (memory);
  tall_test_create (other, "blob", "hashed", 0);
  drop (other);
  return TALL_FAILURE_NONE;
}

static void
test_slow_init (void)
{
  gboolean made = FALSE;
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) memory = tall_memory_table_new ();
  g_autoptr (TallTable) table = new_shared (memory);
  const TallStoreSettings settings = { .layout = &tall_layout_wide, .key_strategy = &tall_key_raw };
  tall_test_create (table, "blob", "hashed", 0);
  drop (table);
  tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), make_meanwhile, NULL, &made);
  g_assert_false (tall_store_create (table, &settings, &error));
  g_assert_true (made);
  g_clear_error (&error);
  must (tall_store_create (table, &settings, &error));
  g_assert_cmpuint (get_generation (table), ==, 3);
}

/* One who drops stands still before a call, while another one drops it and makes another one. */
typedef struct
{
  guint at;
  gboolean made;
} Meanwhile;

static TallFailure
remake_meanwhile (TallFailingTable *table, const TallCall *call, gpointer data)
{
  Meanwhile *self = data;
  if (self->made || call->index != self->at)
    return TALL_FAILURE_NONE;
  self->made = TRUE;
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTable) other = new_shared (tall_failing_table_get_table (table));
  if (!tall_store_drop (other, &error)) /* it has been dropped already */
    g_assert_error (error, TALL_ERROR, TALL_ERROR_NOT_FOUND);
  tall_test_create (other, "normalized", "hashed", 0);
  g_autoptr (TallStore) store = tall_test_open (other, NULL);
  g_clear_error (&error);
  must (put (store, CUSTOMER, "1", &error));
  return TALL_FAILURE_NONE;
}

static void
test_slow_drop (void)
{
  guint n_refused = 0;
  Meanwhile meanwhile = { .made = TRUE };
  for (; meanwhile.made; meanwhile.at++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallTable) memory = tall_memory_table_new ();
      g_autoptr (TallTable) table = new_shared (memory);
      tall_test_create (memory, "blob", "hashed", 0);
      meanwhile.made = FALSE;
      tall_failing_table_set_hooks (TALL_FAILING_TABLE (table), remake_meanwhile, NULL, &meanwhile);
      gboolean dropped = tall_store_drop (table, &error);
      if (!dropped)
        {
          g_assert_error (error, TALL_ERROR, TALL_ERROR_CONFLICT);
          n_refused++;
        }
      if (meanwhile.made && meanwhile.at > 0) /* at first it drops whatever there is */
        expect_there (memory, CUSTOMER, "1");
    }
  g_assert_cmpuint (n_refused, >, 3);
}

/* Whichever call fails, it can be dropped again, and the numbers go on. */
static void
test_failures (void)
{
  gboolean reached = TRUE;
  for (guint at = 0; reached; at++)
    for (TallFailure failure = TALL_FAILURE_BEFORE; failure <= TALL_FAILURE_FALSE; failure++)
      {
        g_autoptr (TallTable) memory = tall_memory_table_new ();
        g_autoptr (TallTable) table = new_shared (memory);
        tall_test_create (memory, "normalized", "numeric", 0);
        tall_failing_table_fail_at (TALL_FAILING_TABLE (table), at, failure);
        gboolean dropped = tall_store_drop (table, NULL);
        reached = tall_failing_table_count_calls (TALL_FAILING_TABLE (table)) > at;
        tall_failing_table_deliver_late (TALL_FAILING_TABLE (table));
        if (!tall_store_was_dropped (memory))
          {
            g_autoptr (TallTable) again = new_shared (memory);
            g_assert_false (dropped);
            drop (again);
          }
        tall_test_create (memory, "blob", "hashed", 0);
        g_assert_cmpuint (get_generation (memory), ==, 2);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/identity/numbers", test_numbers);
  g_test_add_func ("/identity/numbers-of-targets", test_numbers_of_targets);
  g_test_add_func ("/identity/loads-go", test_loads_go);
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_autofree char *path = g_strdup_printf ("/identity/process-of-before/%s", changes[i].name);
      g_test_add_data_func (path, &changes[i], test_process_of_before);
    }
  g_test_add_func ("/identity/equal-numbers", test_equal_numbers);
  g_test_add_func ("/identity/cursor", test_cursor);
  g_test_add_func ("/identity/slow-init", test_slow_init);
  g_test_add_func ("/identity/slow-drop", test_slow_drop);
  g_test_add_func ("/identity/failures", test_failures);
  return g_test_run ();
}
