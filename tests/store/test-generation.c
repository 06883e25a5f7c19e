/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "store/record/generation.h"
#include "table/memory-table.h"
#include "tall-must.h"
#include "tall-test-cells.h"

/* Which names the view shows, and what is under them. It behaves like any other table:
 * tests/conformance/test-generation.c shows that. */

static void
add_table (TallTable *table, const char *name)
{
  g_autoptr (TallTableSpec) spec = tall_table_spec_new (name);
  must (tall_table_create_table (table, spec, TALL_NO_DEADLINE, &error));
}

static void
expect_tables (TallTable *table, const char *expected)
{
  g_auto (GStrv) names = must (tall_table_list_tables (table, TALL_NO_DEADLINE, &error));
  g_autofree char *text = g_strjoinv (" ", names);
  g_assert_cmpstr (text, ==, expected);
}

static void
put_cell (TallTable *table, const char *name, const char *value)
{
  tall_test_put (table, name, tall_slice_str ("row"),
                 (TallCell){ tall_slice_str ("q"), 5, tall_slice_str (value) });
}

static void
expect_cell (TallTable *table, const char *name, const char *value)
{
  g_autoptr (TallReadResult) result = tall_test_get (table, name, tall_slice_str ("row"));
  g_assert_cmpuint (result->results[0].n_rows, ==, value != NULL);
  if (value != NULL)
    g_assert_true (
        tall_slice_equal (result->results[0].rows[0].cells[0].value, tall_slice_str (value)));
}

static void
test_first (void)
{
  g_autoptr (TallTable) memory = tall_memory_table_new ();
  g_autoptr (TallTable) first = tall_generation_table_new (memory, 1);
  g_assert_true (first == memory);
}

/* Each generation sees its own tables, all see `meta`. */
static void
test_names (void)
{
  g_autoptr (TallTable) memory = tall_memory_table_new ();
  g_autoptr (TallTable) second = tall_generation_table_new (memory, 2);
  g_autoptr (TallTable) other = tall_generation_table_new (memory, 22);
  static const char *const names[] = { "meta",     "orders",     "orders-22", "orders-02",
                                       "orders-2", "my-index-2", "two-2-2" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    add_table (memory, names[i]);
  expect_tables (second, "meta my-index orders two-2");
  expect_tables (other, "meta orders");
  add_table (other, "customers");
  expect_tables (other, "customers meta orders");
  expect_tables (memory,
                 "customers-22 meta my-index-2 orders orders-02 orders-2 orders-22 two-2-2");
}

static void
test_rows (void)
{
  g_autoptr (TallTable) memory = tall_memory_table_new ();
  g_autoptr (TallTable) second = tall_generation_table_new (memory, 2);
  add_table (memory, "meta");
  add_table (memory, "orders");
  add_table (second, "orders");
  put_cell (second, "orders", "of the second");
  put_cell (second, "meta", "of all");
  expect_cell (memory, "orders", NULL);
  expect_cell (memory, "orders-2", "of the second");
  expect_cell (second, "orders", "of the second");
  expect_cell (memory, "meta", "of all");

  g_autoptr (TallTableSpec) spec =
      must (tall_table_describe_table (second, "orders", TALL_NO_DEADLINE, &error));
  g_assert_cmpstr (spec->name, ==, "orders");

  g_auto (GStrv) deployments =
      must (tall_table_list_deployments (second, "meta", TALL_NO_DEADLINE, &error));
  g_assert_cmpuint (g_strv_length (deployments), ==, 1);
  TallTableInfo info;
  tall_table_get_info (second, &info);
  g_assert_cmpstr (info.kind, ==, "memory");
}

/* The mutations of the caller stay as they are, also those of several tables in one call. */
static void
test_many_tables (void)
{
  g_autoptr (TallTable) memory = tall_memory_table_new ();
  g_autoptr (TallTable) second = tall_generation_table_new (memory, 2);
  static const char *const names[] = { "orders", "lines", "orders", "meta" };
  g_autoptr (TallBatch) batch = tall_batch_new ();
  add_table (second, "orders");
  add_table (second, "lines");
  add_table (second, "meta");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      TallMutation *row = tall_batch_add (batch, names[i], tall_slice_str (i == 2 ? "2" : "row"));
      tall_mutation_put (batch, row, tall_slice_str ("q"), 5, tall_slice_str (names[i]));
    }
  must (tall_table_apply (second, (TallMutation *const *)batch->mutations->pdata,
                          batch->mutations->len, TALL_DURABLE, TALL_NO_DEADLINE, &error));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const TallMutation *row = g_ptr_array_index (batch->mutations, i);
      g_assert_true (row->table == names[i]);
      expect_cell (second, names[i], names[i]);
    }
}

static void
test_split_name (void)
{
  static const struct
  {
    const char *name;
    const char *short_name;
    guint64 generation;
  } cases[] = {
    { "orders", "orders", 1 },
    { "orders-2", "orders", 2 },
    { "orders-18446744073709551615", "orders", G_MAXUINT64 },
    { "orders-18446744073709551616", "orders-18446744073709551616", 1 },
    { "orders-1", "orders-1", 1 },
    { "orders-02", "orders-02", 1 },
    { "orders-+2", "orders-+2", 1 },
    { "orders- 2", "orders- 2", 1 },
    { "orders-2x", "orders-2x", 1 },
    { "orders-", "orders-", 1 },
    { "-2", "-2", 1 },
    { "a-2-3", "a-2", 3 },
    { "", "", 1 },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *short_name = NULL;
      g_assert_cmpuint (tall_generation_split_name (cases[i].name, &short_name), ==,
                        cases[i].generation);
      g_assert_cmpstr (short_name, ==, cases[i].short_name);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/generation/first", test_first);
  g_test_add_func ("/generation/names", test_names);
  g_test_add_func ("/generation/rows", test_rows);
  g_test_add_func ("/generation/many-tables", test_many_tables);
  g_test_add_func ("/generation/split-name", test_split_name);
  return g_test_run ();
}
