/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "tall-error.h"
#include "tall-row-codec.h"

/* A row of RocksDB as a damaged file may hold it. What is accepted must be exactly what would be
 * written for it. */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallStoredRow row;
  if (!tall_row_decode (arena, tall_slice (data, size), &row, &error))
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
