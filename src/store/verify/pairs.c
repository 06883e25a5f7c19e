/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "model/md5.h"
#include "store/verify/pair.h"

#define PAGE_ROWS 512
#define PAGE_BYTES (1 << 20)

/* A page that cannot be read because of one row is read again row by row. */
static gboolean
judge_page (TallVerify *self, const TallVerifyPair *pair, const TallRows *rows, GError **error)
{
  g_auto (TallVerifyOthers) others = { 0 };
  g_autoptr (GError) cause = NULL;
  if (!tall_verify_others_read (&others, self->context, pair, rows, &cause))
    {
      gboolean one = rows->n_rows == 1;
      for (guint i = 0; !one && tall_error_is_unreadable (cause) && i < rows->n_rows; i++)
        {
          TallRows single = { &rows->rows[i], 1 };
          if (!judge_page (self, pair, &single, error))
            return FALSE;
        }
      if (tall_error_is_unreadable (cause))
        return TRUE; /* found with the order */
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  for (guint i = 0; i < rows->n_rows; i++)
    {
      guint8 fingerprint[TALL_MD5_SIZE];
      g_auto (TallVerifyLook) look = { 0 };
      const TallRow *other = tall_verify_others_find (&others, self->context, pair, &rows->rows[i]);
      tall_verify_pair_look (&look, self->context, pair, &rows->rows[i], other);
      (*pair->count (self->part))++;
      self->n_looked++;
      if (look.findings->len == 0)
        continue;
      tall_verify_pair_fingerprint (&rows->rows[i], other, fingerprint);
      tall_verify_suspect_pair (self, pair, rows->rows[i].key, fingerprint,
                                tall_verify_look_kinds (&look));
    }
  return TRUE;
}

/* How many rows a page may have, so that not more are looked at than is asked for. */
static guint
choose_limit (const TallVerify *self)
{
  guint most = self->request->most;
  return most == 0 ? PAGE_ROWS : MIN (PAGE_ROWS, most - self->n_looked);
}

/* Moves @start on. */
static gboolean
walk_page (TallVerify *self,
           const TallVerifyPair *pair,
           GByteArray *start,
           TallSlice stop,
           gboolean *ended,
           GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallRead *read = tall_read_plan_add_scan (plan, pair->table, tall_slice_array (start), stop);
  read->limit = choose_limit (self);
  read->max_bytes = PAGE_BYTES;
  g_autoptr (TallReadResult) result =
      tall_table_read (self->context->table, plan, tall_verify_deadline (), &cause);
  *ended = TRUE;
  if (tall_error_is_unreadable (cause))
    {
      tall_verify_report_unreadable (self, pair->table, tall_slice_array (start), cause);
      return TRUE;
    }
  if (result == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  const TallRows *rows = &result->results[0];
  *ended = rows->n_rows < read->limit && !rows->cut;
  if (rows->n_rows == 0)
    return TRUE;
  if (!judge_page (self, pair, rows, error))
    return FALSE;
  tall_bytes_set_after (start, rows->rows[rows->n_rows - 1].key);
  return TRUE;
}

/* Where to begin: at the place, or at the first row. */
static gboolean
read_start (const TallVerify *self, TallReader *place, GByteArray *start)
{
  tall_bytes_set (start, self->customer);
  if (place->rest.len == 0)
    return TRUE;
  TallSlice row = tall_reader_take (place, tall_reader_u16 (place));
  if (row.len > 0)
    tall_bytes_set (start, row);
  place->failed = !tall_reader_done (place) || row.len > TALL_MAX_ROW_KEY + 1;
  return !place->failed;
}

/**
 * tall_verify_walk_pairs:
 * @place: where to begin; empty: at the beginning. It has failed afterwards if it is no place
 * @next: (out): where to go on; empty: this was all
 *
 * Looks at the rows of a table together with their other rows.
 *
 * Returns: FALSE if a table could not be read now
 */
gboolean
tall_verify_walk_pairs (TallVerify *self,
                        const TallVerifyPair *pair,
                        TallReader *place,
                        GByteArray *next,
                        GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (GByteArray) start = g_byte_array_new ();
  TallSlice stop = TALL_SLICE_INIT;
  gboolean ended = FALSE;
  if (!read_start (self, place, start))
    return TRUE;
  if (self->customer.len > 0)
    stop = tall_slice_after_prefix (arena, self->customer);
  while (!ended && !tall_verify_is_over (self))
    if (!walk_page (self, pair, start, stop, &ended, error))
      return FALSE;
  if (ended)
    return TRUE;
  tall_bytes_append_u16 (next, (guint16)start->len);
  tall_bytes_append (next, tall_slice_array (start));
  return TRUE;
}
