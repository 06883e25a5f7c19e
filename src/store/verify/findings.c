/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/verify/look.h"

void
tall_verify_look_clear (TallVerifyLook *self)
{
  tall_root_clear (&self->root);
  tall_order_key_clear (&self->key);
  g_clear_pointer (&self->arena, tall_arena_free);
  g_clear_pointer (&self->findings, g_array_unref);
}

/**
 * tall_verify_look_add:
 * @message: what exactly; copied
 */
void
tall_verify_look_add (TallVerifyLook *self,
                      TallFindingKind kind,
                      const char *table,
                      TallSlice row,
                      guint n_rows,
                      const char *message)
{
  TallFinding finding = {
    .kind = kind,
    .table = table,
    .row = tall_slice_dup (self->arena, row),
    .n_rows = n_rows,
    .revision = self->root.exists ? self->root.state.revision : 0,
    .message = tall_arena_strdup (self->arena, message),
  };
  g_array_append_val (self->findings, finding);
}

/**
 * tall_verify_look_kinds:
 *
 * Returns: a bit for each kind that was found
 */
guint32
tall_verify_look_kinds (const TallVerifyLook *self)
{
  guint32 kinds = 0;
  for (guint i = 0; i < self->findings->len; i++)
    kinds |= 1u << g_array_index (self->findings, TallFinding, i).kind;
  return kinds;
}

/**
 * tall_verify_look_is_gone:
 *
 * Returns: whether it is an order that is taken for not there, although its rows are
 */
gboolean
tall_verify_look_is_gone (const TallVerifyLook *self)
{
  gint64 revision = self->root.state.revision;
  return revision > 0 && tall_store_context_has_expired (self->context, revision);
}

/**
 * tall_verify_look_needs_person:
 *
 * Returns: whether something was found that nothing mends without knowing what was meant
 */
gboolean
tall_verify_look_needs_person (const TallVerifyLook *self)
{
  for (guint i = 0; i < self->findings->len; i++)
    if (tall_finding_kind_info (g_array_index (self->findings, TallFinding, i).kind)->needs_person)
      return TRUE;
  return FALSE;
}
