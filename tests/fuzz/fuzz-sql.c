/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"
#include "load/sql/query.h"

/* Any bytes as a query: an error that says why, or a mapping whose query reads a file, or does not.
 */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const columns[] = { "a", "b", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TallMapping) mapping =
      tall_mapping_parse_sql ("fuzz", (const char *)data, (gssize)size, &error);
  g_assert_true ((mapping == NULL) == (error != NULL));
  if (mapping != NULL)
    g_assert_cmpint (tall_sql_fits (mapping, columns), ==, tall_sql_fits (mapping, columns));
  return 0;
}
