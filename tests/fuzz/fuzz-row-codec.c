/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "tall-error.h"
#include "table/rocksdb/row.h"

static gboolean
goes_through (TallSlice stored)
{
  TallRowCells cells;
  TallCell cell;
  if (!tall_row_cells_init (&cells, stored, NULL))
    return FALSE;
  while (tall_row_cells_next (&cells, &cell))
    ;
  return tall_row_cells_finish (&cells, NULL);
}

/* A row of RocksDB as a damaged file may hold it. What is accepted must be exactly what would be
 * written for it; cell by cell the same is accepted. */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallStoredRow row;
  gboolean decoded = tall_row_decode (arena, tall_slice (data, size), &row, &error);
  g_assert_cmpint (goes_through (tall_slice (data, size)), ==, decoded);
  if (!decoded)
    {
      if (!g_error_matches (error, TALL_ERROR, TALL_ERROR_NEWER_VERSION))
        g_assert_error (error, TALL_ERROR, TALL_ERROR_DAMAGED);
      return 0;
    }

  g_autoptr (GByteArray) stored = g_byte_array_new ();
  tall_row_encode (&row, stored);
  g_assert_cmpmem (stored->data, stored->len, data, size);
  return 0;
}
