/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Finds on each table that needs no server. */
#include "tall-test-finds.h"

int
main (int argc, char *argv[])
{
  guint n;
  const TallStoreTest *tests = tall_test_finds (&n);
  g_test_init (&argc, &argv, NULL);
  tall_store_fixture_add_everywhere ("find", tests, n);
  return g_test_run ();
}
