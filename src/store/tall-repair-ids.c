/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-repair.h"
#include "tall-verify-private.h"

#define PAGE_ROWS 4096

/* One way of an id: its row, and the row that leads back. */
typedef struct
{
  const TallRow *row;
  TallSlice from;  /* what the row leads from: an id or a number */
  TallSlice to;    /* where it leads */
  GByteArray *key; /* owned: of the way back */
} Way;

/* Whether a row says something else of either end. Of two rows that lead to the same number or id
 * nobody knows which is right. */
static gboolean
contradicts (const TallRow *row, const Way *way)
{
  TallSlice value = tall_ids_get_value (row);
  if (tall_slice_equal (row->key, way->row->key))
    return FALSE;
  return tall_slice_equal (value, row->key.data[0] == way->row->key.data[0] ? way->to : way->from);
}

static TallReadResult *
read_page (const TallStoreContext *context, TallSlice start, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallRead *read = tall_read_plan_add_scan (plan, TALL_IDS_TABLE, start, tall_slice (NULL, 0));
  read->limit = PAGE_ROWS;
  return tall_table_read (context->table, plan, tall_verify_deadline (), error);
}

/* Reads the whole table: rows that contradict may be anywhere. */
static gboolean
is_only_one (const TallStoreContext *context, const Way *way, gboolean *only, GError **error)
{
  g_autoptr (GByteArray) start = g_byte_array_new ();
  *only = TRUE;
  for (gboolean ended = FALSE; *only && !ended;)
    {
      g_autoptr (TallReadResult) result = read_page (context, tall_slice_array (start), error);
      if (result == NULL)
        return FALSE;
      const TallRows *rows = &result->results[0];
      ended = rows->n_rows < PAGE_ROWS;
      for (guint i = 0; i < rows->n_rows && *only; i++)
        *only = !contradicts (&rows->rows[i], way);
      if (rows->n_rows == 0)
        break;
      tall_bytes_set_after (start, rows->rows[rows->n_rows - 1].key);
    }
  return TRUE;
}

static gboolean
write_back (const TallStoreContext *context,
            const Way *way,
            TallRepairOutcome *outcome,
            GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *mutation = tall_batch_add (batch, TALL_IDS_TABLE, tall_slice_array (way->key));
  gboolean matched = FALSE;
  tall_mutation_put (batch, mutation, TALL_IDS_QUALIFIER, TALL_IDS_TIMESTAMP, way->from);
  if (!tall_table_apply_if (context->table, mutation, TALL_IDS_QUALIFIER, NULL, TALL_DURABLE,
                            tall_verify_deadline (), &matched, error))
    return FALSE;
  *outcome = matched ? TALL_REPAIR_DONE : TALL_REPAIR_OVERTAKEN;
  return TRUE;
}

/**
 * tall_repair_id:
 * @row: key of a row that leads from a customer's id to the number, or from the number to the id,
 *   while the way back is missing
 * @outcome: (out): %TALL_REPAIR_LEFT: another row leads to the same number or id
 *
 * Writes the way back, if no row of the table says something else. It reads the whole table.
 *
 * Returns: FALSE if the table could not be read or written now
 */
gboolean
tall_repair_id (const TallStoreContext *context,
                TallSlice row,
                TallRepairOutcome *outcome,
                GError **error)
{
  g_autoptr (GByteArray) key = g_byte_array_new ();
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  gboolean only = FALSE;
  *outcome = TALL_REPAIR_OVERTAKEN;
  tall_read_plan_add_get (plan, TALL_IDS_TABLE, row);
  g_autoptr (TallReadResult) result =
      tall_table_read (context->table, plan, tall_verify_deadline (), error);
  if (result == NULL)
    return FALSE;
  if (result->results[0].n_rows == 0
      || tall_verify_ids.locate (context, &result->results[0].rows[0], key) == NULL)
    return TRUE;
  Way way = { .row = &result->results[0].rows[0], .key = key };
  way.from = tall_slice (row.data + 1, row.len - 1);
  way.to = tall_ids_get_value (way.row);
  if (!is_only_one (context, &way, &only, error))
    return FALSE;
  *outcome = TALL_REPAIR_LEFT;
  return !only || write_back (context, &way, outcome, error);
}
