/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/request.h"

#include "tall-error.h"
#include "service/server/failure-log.h"
#include "service/calls/idl-failure.h"

/* What a part holds beside one order: a page of each table, as cells and as bytes. */
#define PAGES_MEMORY ((gsize)24 * 1024 * 1024)

static gboolean
check_range (const char *field, gboolean has, gint32 value, gint32 most, GError **error)
{
  if (!has || (value >= 1 && value <= most))
    return TRUE;
  tall_error_set_invalid (error, field, "%s is 1 to %d, or absent", field, most);
  return FALSE;
}

static gboolean
parse (const TallRequest *self, TallVerifyRequest *request, GError **error)
{
  const TallIdlVerify *sent = self->args.request;
  TallSlice *suspects = tall_arena_newa0 (self->arena, TallSlice, MAX (sent->n_suspects, 1));
  for (guint i = 0; i < sent->n_suspects; i++)
    suspects[i] = sent->suspects[i].state;
  *request = (TallVerifyRequest){
    .customer_number = sent->customer_number,
    .sample = sent->has_sample ? (guint)sent->sample : 0,
    .repair = sent->repair,
    .most = sent->has_most ? (guint)sent->most : 0,
    .cursor = sent->cursor,
    .suspects = suspects,
    .n_suspects = sent->n_suspects,
    .notes = sent->notes,
  };
  return check_range ("sample", sent->has_sample, sent->sample, 99, error)
         && check_range ("most", sent->has_most, sent->most, G_MAXINT32, error);
}

/* What a client must not see is in the log. */
static void
log_detail (const TallFinding *finding)
{
  g_autoptr (GError) error = NULL;
  if (finding->detail == NULL)
    return;
  tall_error_set_detailed (&error, TALL_ERROR_DAMAGED, finding->detail, "table %s: %s",
                           finding->table, finding->message);
  tall_failure_log_add (TALL_ERROR_DAMAGED, "Verifying", error);
}

static TallIdlFinding *
copy_findings (TallArena *arena, const TallVerifyPart *part)
{
  TallIdlFinding *findings = tall_arena_newa0 (arena, TallIdlFinding, MAX (part->n_findings, 1));
  for (guint i = 0; i < part->n_findings; i++)
    {
      const TallFinding *found = &part->findings[i];
      log_detail (found);
      findings[i] = (TallIdlFinding){
        .kind = (char *)tall_finding_kind_info (found->kind)->name,
        .table = (char *)found->table,
        .row = found->row,
        .rows = (gint32)found->n_rows,
        .customer_number = (char *)found->customer_number,
        .order_number = (char *)found->order_number,
        .revision = found->revision,
        .message = (char *)found->message,
        .mended = found->mended,
        .load = (TallUnfinishedLoad *)found->load,
      };
    }
  return findings;
}

/**
 * tall_request_verify:
 *
 * Does one part of a verification.
 */
gboolean
tall_request_verify (TallRequest *self, GError **error)
{
  TallVerifyRequest request;
  TallIdlVerifyPart *success = tall_arena_new0 (self->arena, TallIdlVerifyPart);
  gsize work = PAGES_MEMORY + tall_call_memory_get_order (self->memory);

  if (!parse (self, &request, error) || !tall_call_memory_work (self->memory, work, error))
    return FALSE;
  TallVerifyPart *part = tall_front_verify_some (self->front, &request, error);
  self->result.success = success;
  if (!tall_request_own (self, part, (GDestroyNotify)tall_verify_part_free))
    return FALSE;
  *success = (TallIdlVerifyPart){
    .findings = copy_findings (self->arena, part),
    .n_findings = part->n_findings,
    .suspects = part->suspects,
    .n_suspects = part->n_suspects,
    .cursor = part->cursor,
    .customers = (gint64)part->n_customers,
    .orders = (gint64)part->n_orders,
    .hints = (gint64)part->n_hints,
    .ids = (gint64)part->n_ids,
    .busy = (gint64)part->n_busy,
    .broken = part->is_broken,
  };
  if (part->error != NULL)
    success->failure = tall_idl_failure_from_error (self->arena, "Verifying", part->error);
  return TRUE;
}
