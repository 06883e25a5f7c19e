/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/client/client.h"

#include "tall-error.h"

/* A part takes a second, and as long as one call of the store below may take, several times at
 * worst. */
#define PART_TIMEOUT (150 * G_USEC_PER_SEC)

static TallIdlVerify
make_request (const TallVerifyRequest *request, TallArena *arena)
{
  TallVerifySuspect *suspects =
      tall_arena_newa0 (arena, TallVerifySuspect, MAX (request->n_suspects, 1));
  for (guint i = 0; i < request->n_suspects; i++)
    suspects[i].state = request->suspects[i];
  return (TallIdlVerify){
    .customer_number = (char *)request->customer_number,
    .sample = (gint32)request->sample,
    .has_sample = request->sample > 0,
    .repair = request->repair,
    .most = (gint32)MIN (request->most, G_MAXINT32),
    .has_most = request->most > 0,
    .cursor = request->cursor,
    .suspects = suspects,
    .n_suspects = request->n_suspects,
    .notes = request->notes,
  };
}

static gboolean
take_findings (const TallIdlVerifyPart *got,
               TallVerifyPart *part,
               const TallClientCall *call,
               GError **error)
{
  part->n_findings = got->n_findings;
  part->findings = tall_arena_newa0 (part->arena, TallFinding, MAX (got->n_findings, 1));
  for (guint i = 0; i < got->n_findings; i++)
    {
      const TallIdlFinding *found = &got->findings[i];
      TallFinding *finding = &part->findings[i];
      if (found->kind == NULL || found->table == NULL || found->message == NULL || found->rows < 1)
        return tall_client_set_wrong_answer (call, error);
      *finding = (TallFinding){
        .table = found->table,
        .row = found->row,
        .n_rows = (guint)found->rows,
        .customer_number = found->customer_number,
        .order_number = found->order_number,
        .revision = found->revision,
        .message = found->message,
        .mended = found->mended,
        .load = found->load,
      };
      if (tall_finding_kind_parse (found->kind, &finding->kind))
        continue;
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
                   "Verifying: the server has found \"%s\", which this version does not know: "
                   "verify with the version of the server",
                   found->kind);
      return FALSE;
    }
  return TRUE;
}

static gboolean
take_part (const TallIdlVerifyPart *got,
           TallVerifyPart *part,
           const TallClientCall *call,
           GError **error)
{
  for (guint i = 0; i < got->n_suspects; i++)
    if (got->suspects[i].state.len == 0)
      return tall_client_set_wrong_answer (call, error);
  part->suspects = got->suspects;
  part->n_suspects = got->n_suspects;
  part->cursor = got->cursor;
  part->n_customers = (guint64)got->customers;
  part->n_orders = (guint64)got->orders;
  part->n_hints = (guint64)got->hints;
  part->n_ids = (guint64)got->ids;
  part->n_busy = (guint64)got->busy;
  part->is_broken = got->broken;
  if (!take_findings (got, part, call, error))
    return FALSE;
  if (got->failure != NULL)
    tall_client_call_take_failure (call, NULL, got->failure, &part->error);
  return TRUE;
}

/**
 * tall_client_verify_some:
 *
 * A part may be done twice: it does no harm.
 */
TallVerifyPart *
tall_client_verify_some (TallFront *front, const TallVerifyRequest *request, GError **error)
{
  g_autoptr (TallVerifyPart) part = g_new0 (TallVerifyPart, 1);
  part->arena = tall_arena_new (0);
  TallIdlVerify verify = make_request (request, part->arena);
  TallIdlArgs args = { .request = &verify };
  TallIdlVerifyPart got = { 0 };
  TallClientCall call = tall_client_prepare (front, TALL_CALL (verify_some), &args, part->arena);
  call.success = &got;
  call.deadline = g_get_monotonic_time () + PART_TIMEOUT;

  if (!tall_client_call_run (&call, error) || !take_part (&got, part, &call, error))
    return NULL;
  return g_steal_pointer (&part);
}
