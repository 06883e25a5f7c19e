/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-verify-private.h"

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

/* Rows may say anything. A number that is no text cannot be shown as one. */
static const char *
copy_number (TallArena *arena, const char *number)
{
  return number == NULL || !g_utf8_validate (number, -1, NULL) ? NULL
                                                               : tall_arena_strdup (arena, number);
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
  copy.customer_number = copy_number (arena, finding->customer_number);
  copy.order_number = copy_number (arena, finding->order_number);
  copy.message = tall_arena_strdup (arena, message);
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
                          .message = cause->message };
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
