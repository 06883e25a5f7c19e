/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-conformance.h"
#include "table/memory-table.h"

/* Deployments do not share a store in memory. */
static TallTable *
open_table (const char *name G_GNUC_UNUSED, gpointer data G_GNUC_UNUSED)
{
  TallTable *table = tall_memory_table_new ();
  tall_memory_table_set_together (TALL_MEMORY_TABLE (table), 7);
  return table;
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  const TallConformanceBackend backend = {
    .prefix = "/conformance/memory",
    .open = open_table,
  };
  TallConformance *conformance = tall_conformance_add (&backend);
  int failed = g_test_run ();
  tall_conformance_free (conformance);
  return failed;
}
