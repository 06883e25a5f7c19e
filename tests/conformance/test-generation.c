/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-conformance.h"
#include "store/record/generation.h"
#include "table/memory-table.h"

/* The tables of a later generation. */
static TallTable *
open_table (const char *name G_GNUC_UNUSED, gpointer data G_GNUC_UNUSED)
{
  g_autoptr (TallTable) memory = tall_memory_table_new ();
  tall_memory_table_set_together (TALL_MEMORY_TABLE (memory), 7);
  return tall_generation_table_new (memory, 7);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  const TallConformanceBackend backend = {
    .prefix = "/conformance/generation",
    .open = open_table,
  };
  TallConformance *conformance = tall_conformance_add (&backend);
  int failed = g_test_run ();
  tall_conformance_free (conformance);
  return failed;
}
