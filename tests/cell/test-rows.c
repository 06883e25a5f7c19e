/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cell/cell.h"

static void
add (TallRowsBuilder *builder, const char *qualifier, gint64 timestamp, const char *value)
{
  tall_rows_builder_add_cell (builder, (TallCell){ tall_slice_str (qualifier), timestamp,
                                                   tall_slice_str (value) });
}

static void
test_find (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallRowsBuilder builder;
  TallRows rows;
  tall_rows_builder_init (&builder, arena);
  add (&builder, "a", 9, "new");
  add (&builder, "a", 4, "old");
  add (&builder, "b", 4, "other");
  tall_rows_builder_end_row (&builder, tall_slice_str ("row1"));
  tall_rows_builder_end_row (&builder, tall_slice_str ("no cells, no row"));
  add (&builder, "c", 1, "");
  tall_rows_builder_end_row (&builder, tall_slice_str ("row2"));
  tall_rows_builder_finish (&builder, &rows);

  g_assert_cmpuint (rows.n_rows, ==, 2);
  const TallRow *row = tall_rows_find (&rows, tall_slice_str ("row1"));
  g_assert_nonnull (row);
  g_assert_cmpint (tall_row_find_latest (row, tall_slice_str ("a"))->timestamp, ==, 9);
  g_assert_cmpmem (tall_row_find_at (row, tall_slice_str ("a"), 4)->value.data, 3, "old", 3);
  g_assert_null (tall_row_find_at (row, tall_slice_str ("b"), 9));
  g_assert_null (tall_row_find_latest (row, tall_slice_str ("c")));
  g_assert_null (tall_rows_find (&rows, tall_slice_str ("row3")));
  g_assert_null (tall_row_find_latest (NULL, tall_slice_str ("a")));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cell/rows/find", test_find);
  return g_test_run ();
}
