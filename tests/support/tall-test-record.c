/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-cells.h"
#include "tall-test-record.h"
#include "tall-must.h"

#define META_TABLE "meta"
#define RECORD_ROW tall_slice_str ("deployment")

static TallReadResult *
read_row (TallTable *table)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_get (plan, META_TABLE, RECORD_ROW);
  return must (tall_table_read (table, plan, TALL_NO_DEADLINE, &error));
}

/**
 * tall_test_record_read:
 *
 * Returns: (transfer full) (nullable): NULL: it is not there
 */
char *
tall_test_record_read (TallTable *table, const char *column)
{
  g_autoptr (TallReadResult) result = read_row (table);
  const TallCell *cell =
      tall_row_find_latest (&result->results[0].rows[0], tall_slice_str (column));
  return cell != NULL ? g_strndup ((const char *)cell->value.data, cell->value.len) : NULL;
}

void
tall_test_record_expect (TallTable *table, const char *column, const char *expected)
{
  g_autofree char *text = tall_test_record_read (table, column);
  g_assert_cmpstr (text, ==, expected);
}

/* Later than everything in the record. */
static gint64
find_timestamp (TallTable *table)
{
  g_autoptr (TallReadResult) result = read_row (table);
  const TallRows *rows = &result->results[0];
  gint64 timestamp = g_get_real_time () / 1000;
  for (guint i = 0; rows->n_rows > 0 && i < rows->rows[0].n_cells; i++)
    timestamp = MAX (timestamp, rows->rows[0].cells[i].timestamp + 1);
  return timestamp;
}

/**
 * tall_test_record_write:
 * @timestamp: 0: later than everything in the record
 */
void
tall_test_record_write (TallTable *table, const char *column, const char *value, gint64 timestamp)
{
  tall_test_put (table, META_TABLE, RECORD_ROW,
                 (TallCell){ tall_slice_str (column),
                             timestamp != 0 ? timestamp : find_timestamp (table),
                             tall_slice_str (value) });
}
