/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "store/commit/root.h"

/* Bytes that are accepted as a state cell are exactly what the store would write. */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  TallState state;
  if (!tall_state_decode (tall_slice (data, size), &state, &error))
    {
      g_assert_nonnull (error);
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      return 0;
    }

  guint8 bytes[TALL_STATE_SIZE];
  tall_state_write (&state, bytes);
  g_assert_cmpmem (bytes, sizeof bytes, data, size);
  return 0;
}
