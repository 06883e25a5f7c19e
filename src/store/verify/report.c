/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "store/verify/verify.h"

/**
 * tall_verify_is_over:
 *
 * Returns: whether this part has done enough
 */
gboolean
tall_verify_is_over (const TallVerify *self)
{
  return (self->request->most > 0 && self->n_looked >= self->request->most)
         || self->findings->len >= TALL_VERIFY_MOST_FINDINGS
         || self->suspects->len >= TALL_VERIFY_MOST_FINDINGS
         || g_get_monotonic_time () >= self->until;
}

/* Rows may say anything. What is no text cannot be shown as one. */
static const char *
copy_text (TallArena *arena, const char *text)
{
  return text == NULL || !g_utf8_validate (text, -1, NULL) ? NULL : tall_arena_strdup (arena, text);
}

/* The message without the place, which the finding names by itself. */
static const char *
skip_place (const TallFinding *finding, const char *message)
{
  g_autofree char *row = tall_slice_to_debug (finding->row);
  g_autofree char *table = g_strdup_printf ("Table %s", finding->table);
  g_autofree char *whole = g_strdup_printf ("%s, row %s", table, row);
  const char *const places[] = { whole, table };
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      const char *rest = message + strlen (places[i]);
      if (g_str_has_prefix (message, places[i])
          && (g_str_has_prefix (rest, ": ") || g_str_has_prefix (rest, ", ")))
        return rest + 2;
    }
  return message;
}

/**
 * tall_verify_report:
 * @finding: copied
 */
void
tall_verify_report (TallVerify *self, const TallFinding *finding)
{
  TallArena *arena = self->part->arena;
  g_autofree char *message = g_utf8_make_valid (finding->message, -1);
  TallFinding copy = *finding;
  copy.table = tall_arena_strdup (arena, finding->table);
  copy.row = tall_slice_dup (arena, finding->row);
  copy.customer_number = copy_text (arena, finding->customer_number);
  copy.order_number = copy_text (arena, finding->order_number);
  copy.message = tall_arena_strdup (arena, skip_place (finding, message));
  copy.detail = copy_text (arena, finding->detail);
  g_array_append_val (self->findings, copy);
  self->n_mended += finding->mended;
}

/**
 * tall_verify_report_unreadable:
 * @row: where the table itself cannot be read
 */
void
tall_verify_report_unreadable (TallVerify *self,
                               const char *table,
                               TallSlice row,
                               const GError *cause)
{
  TallFinding finding = { .kind = TALL_FINDING_UNREADABLE_TABLE,
                          .table = table,
                          .row = row,
                          .n_rows = 1,
                          .message = cause->message,
                          .detail = tall_error_get_detail (cause) };
  self->part->is_broken = TRUE;
  tall_verify_report (self, &finding);
}

void
tall_verify_part_free (TallVerifyPart *self)
{
  tall_arena_free (self->arena);
  g_clear_error (&self->error);
  g_free (self);
}
