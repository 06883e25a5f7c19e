/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-cells.h"
#include "tall-test-dump.h"
#include "tall-must.h"

/**
 * tall_test_dump:
 *
 * Returns: (transfer full): all rows of all tables but `meta`, a line for each cell
 */
char *
tall_test_dump (TallTable *table)
{
  g_autoptr (GError) error = NULL;
  GString *text = g_string_new (NULL);
  g_auto (GStrv) names = tall_table_list_tables (table, TALL_NO_DEADLINE, &error);
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autoptr (TallReadResult) result = tall_test_scan (table, names[i]);
      const TallRows *rows = &result->results[0];
      for (guint j = 0; j < rows->n_rows && !g_str_equal (names[i], "meta"); j++)
        for (guint k = 0; k < rows->rows[j].n_cells; k++)
          {
            const TallCell *cell = &rows->rows[j].cells[k];
            g_autofree char *row = tall_slice_to_debug (rows->rows[j].key);
            g_autofree char *qualifier = tall_slice_to_debug (cell->qualifier);
            g_autofree char *value = tall_slice_to_hex (cell->value);
            g_string_append_printf (text, "%s %s %s @%" G_GINT64_FORMAT "=%s\n", names[i], row,
                                    qualifier, cell->timestamp, value);
          }
    }
  return g_string_free (text, FALSE);
}
