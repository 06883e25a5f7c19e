/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What reads take of memory: only what they are asked for, however long the rows are. */
#include "tall-error.h"
#include "table/rocksdb/database.h"
#include "tall-test-directory.h"
#include "tall-must.h"

#include <string.h>
#include <time.h>

#define N 20
#define LONG (100 * 1024)
#define MANY 600

/* Each look at the clock takes so long, in microseconds. The program's own function comes before
 * that of the library. */
static gint64 look_time;
static gint64 ahead;

gint64
g_get_monotonic_time (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  ahead += look_time;
  return ahead + now.tv_sec * G_TIME_SPAN_SECOND + now.tv_nsec / 1000;
}

typedef struct
{
  char *directory;
  TallTable *table;
} Fixture;

static void
put_row (TallTable *table, guint i)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_autofree char *key = g_strdup_printf ("row%02u", i);
  g_autofree char *text = g_strnfill (LONG, 'x');
  TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str (key));
  tall_mutation_put (batch, mutation, tall_slice_str ("long"), 5, tall_slice_str (text));
  tall_mutation_put (batch, mutation, tall_slice_str ("s"), 5, tall_slice_str (key));
  must (tall_table_apply (table, &mutation, 1, TALL_DURABLE_LATER, TALL_NO_DEADLINE, &error));
}

static void
set_up (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  self->directory = tall_test_directory_new ();
  TallRocksdbOptions options = { .directory = self->directory, .sync = FALSE };
  self->table = must (tall_rocksdb_table_open (&options, &error));
  TallTableSpec spec = { .name = (char *)"orders" };
  must (tall_table_create_table (self->table, &spec, TALL_NO_DEADLINE, &error));
  for (guint i = 0; i < N; i++)
    put_row (self->table, i);
}

static void
tear_down (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_object_unref (self->table);
  tall_test_directory_remove (self->directory);
  g_free (self->directory);
}

static TallReadResult *
read_plan (Fixture *self, const TallReadPlan *plan)
{
  return must (tall_table_read (self->table, plan, TALL_NO_DEADLINE, &error));
}

static TallRead *
add_gets (TallReadPlan *plan)
{
  TallSlice keys[N];
  for (guint i = 0; i < N; i++)
    {
      char *key = tall_arena_printf (plan->arena, "row%02u", i);
      keys[i] = tall_slice_str (key);
    }
  return tall_read_plan_add_gets (plan, "orders", keys, N);
}

static TallRead *
add_scan (TallReadPlan *plan)
{
  return tall_read_plan_add_prefix_scan (plan, "orders", tall_slice_str ("row"));
}

static void
assert_states (const TallRows *rows)
{
  g_assert_cmpuint (rows->n_rows, ==, N);
  g_assert_false (rows->cut);
  for (guint i = 0; i < N; i++)
    {
      const TallRow *row = &rows->rows[i];
      g_assert_cmpuint (row->n_cells, ==, 1);
      g_assert_true (tall_slice_equal (row->cells[0].qualifier, tall_slice_str ("s")));
      g_assert_true (tall_slice_equal (row->cells[0].value, row->key));
      g_assert_cmpint (row->cells[0].timestamp, ==, 5);
    }
}

/* A short column of long rows costs its own bytes. */
static void
test_columns (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  const TallSlice qualifier = tall_slice_str ("s");
  TallRead *(*const adders[]) (TallReadPlan *) = { add_scan, add_gets };
  for (guint i = 0; i < G_N_ELEMENTS (adders); i++)
    {
      g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
      TallRead *read = adders[i](plan);
      read->qualifiers = &qualifier;
      read->n_qualifiers = 1;
      g_autoptr (TallReadResult) result = read_plan (self, plan);
      assert_states (&result->results[0]);
      g_assert_cmpuint (tall_arena_get_size (result->arena), <, LONG / 2);
    }
}

static void
test_timestamps (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  add_scan (plan)->max_timestamp = 5;
  g_autoptr (TallReadResult) result = read_plan (self, plan);
  g_assert_cmpuint (result->results[0].n_rows, ==, 0);
  g_assert_cmpuint (tall_arena_get_size (result->arena), <, LONG / 2);
}

static void
test_keys_only (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallRead *(*const adders[]) (TallReadPlan *) = { add_scan, add_gets };
  for (guint i = 0; i < G_N_ELEMENTS (adders); i++)
    {
      g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
      adders[i](plan)->keys_only = TRUE;
      g_autoptr (TallReadResult) result = read_plan (self, plan);
      g_assert_cmpuint (result->results[0].n_rows, ==, N);
      g_assert_cmpuint (result->results[0].rows[N - 1].n_cells, ==, 1);
      g_assert_cmpuint (tall_arena_get_size (result->arena), <, LONG / 2);
    }
}

/* A scan is cut after the row with which it has its bytes, and goes on from there. */
static void
test_cut (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GByteArray) start = g_byte_array_new ();
  tall_bytes_append (start, tall_slice_str ("row"));
  guint n_rows = 0;
  for (gboolean cut = TRUE; cut;)
    {
      g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
      TallRead *read =
          tall_read_plan_add_scan (plan, "orders", tall_slice_array (start), tall_slice_str ("s"));
      read->max_bytes = 3 * LONG;
      g_autoptr (TallReadResult) result = read_plan (self, plan);
      const TallRows *rows = &result->results[0];
      cut = rows->cut;
      g_assert_cmpuint (rows->n_rows, ==, cut ? 3 : N % 3);
      n_rows += rows->n_rows;
      g_byte_array_set_size (start, 0);
      tall_bytes_append (start, rows->rows[rows->n_rows - 1].key);
      tall_bytes_append_u8 (start, 0);
    }
  g_assert_cmpuint (n_rows, ==, N);
}

static void
test_gets_too_large (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  add_gets (plan)->max_bytes = (N - 1) * LONG;
  must_fail (tall_table_read (self->table, plan, TALL_NO_DEADLINE, &error), TALL_ERROR_TOO_LARGE);

  g_autoptr (TallReadPlan) one = tall_read_plan_new ();
  tall_read_plan_add_get (one, "orders", tall_slice_str ("row07"))->max_bytes = 1;
  g_autoptr (TallReadResult) result = read_plan (self, one);
  g_assert_cmpuint (result->results[0].n_rows, ==, 1);
}

static TallRead *
add_many_gets (TallReadPlan *plan)
{
  TallSlice *keys = tall_arena_newa0 (plan->arena, TallSlice, MANY);
  for (guint i = 0; i < MANY; i++)
    keys[i] = tall_slice_str (tall_arena_printf (plan->arena, "row%u", 1000 + i));
  return tall_read_plan_add_gets (plan, "orders", keys, MANY);
}

/* A read of many rows ends when its time is over, and not when it has them all. */
static void
test_late (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  TallRead *(*const adders[]) (TallReadPlan *) = { add_scan, add_many_gets };
  g_autoptr (TallBatch) batch = tall_batch_new ();
  for (guint i = 0; i < MANY; i++)
    {
      const char *key = tall_arena_printf (batch->arena, "row%u", 1000 + i);
      TallMutation *mutation = tall_batch_add (batch, "orders", tall_slice_str (key));
      tall_mutation_put (batch, mutation, tall_slice_str ("s"), 5, tall_slice_str (key));
    }
  g_assert_true (tall_table_apply (self->table, (TallMutation *const *)batch->mutations->pdata,
                                   MANY, TALL_DURABLE_LATER, TALL_NO_DEADLINE, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (adders); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
      adders[i](plan);
      look_time = G_TIME_SPAN_SECOND;
      gint64 deadline = g_get_monotonic_time () + 2 * G_TIME_SPAN_SECOND;
      g_assert_null (tall_table_read (self->table, plan, deadline, &error));
      look_time = 0;
      g_assert_error (error, TALL_ERROR, TALL_ERROR_TIMED_OUT);
      g_assert_nonnull (strstr (error->message, "while rows were read"));
    }
}

/* Writes what is stored for a row again, with so many bytes more, or fewer. */
static void
stretch_row (Fixture *self, const char *key, gint more)
{
  char *failure = NULL;
  gsize len;
  TallRocksdbTable *table = TALL_ROCKSDB_TABLE (self->table);
  TallRocksdbFamily *family = must (tall_rocksdb_table_find_family (table, "orders", &error));
  rocksdb_readoptions_t *reading = rocksdb_readoptions_create ();
  rocksdb_writeoptions_t *writing = rocksdb_writeoptions_create ();
  char *stored = rocksdb_get_cf (tall_rocksdb_table_get_handle (table), reading, family->handle,
                                 key, strlen (key), &len, &failure);
  g_assert_null (failure);
  g_assert_nonnull (stored);
  g_autofree char *bytes = g_malloc0 (len + 1);
  memcpy (bytes, stored, len);
  rocksdb_put_cf (tall_rocksdb_table_get_handle (table), writing, family->handle, key, strlen (key),
                  bytes, (gsize)((gssize)len + more), &failure);
  g_assert_null (failure);
  rocksdb_free (stored);
  rocksdb_readoptions_destroy (reading);
  rocksdb_writeoptions_destroy (writing);
  tall_rocksdb_family_unref (family);
}

/* A row whose end is damaged is refused, also by a read of what lies before it. */
static void
test_damaged_end (Fixture *self, gconstpointer data G_GNUC_UNUSED)
{
  const TallSlice columns[] = { tall_slice_str ("long") };
  for (gint more = -1; more <= 1; more += 2)
    for (guint way = 0; way < 3; way++)
      {
        g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
        put_row (self->table, 0);
        stretch_row (self, "row00", more);
        TallRead *read =
            way == 0 ? tall_read_plan_add_get (plan, "orders", tall_slice_str ("row00"))
                     : tall_read_plan_add_prefix_scan (plan, "orders", tall_slice_str ("r"));
        read->qualifiers = columns;
        read->n_qualifiers = way < 2 ? 1 : 0;
        read->keys_only = way == 2;
        must_fail (tall_table_read (self->table, plan, TALL_NO_DEADLINE, &error),
                   TALL_ERROR_DAMAGED);
        stretch_row (self, "row00", -more);
      }
}

#define ADD(path, function) g_test_add (path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/table/rocksdb/reader/columns", test_columns);
  ADD ("/table/rocksdb/reader/timestamps", test_timestamps);
  ADD ("/table/rocksdb/reader/keys-only", test_keys_only);
  ADD ("/table/rocksdb/reader/cut", test_cut);
  ADD ("/table/rocksdb/reader/gets-too-large", test_gets_too_large);
  ADD ("/table/rocksdb/reader/late", test_late);
  ADD ("/table/rocksdb/reader/damaged-end", test_damaged_end);
  return g_test_run ();
}
