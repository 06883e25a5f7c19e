/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-verify-private.h"

#define PROGRESS_INTERVAL (G_USEC_PER_SEC / 10)

/**
 * tall_verify_progress:
 *
 * Tells how far it has come, now and then.
 *
 * Returns: FALSE if it is to stop
 */
gboolean
tall_verify_progress (TallVerify *self)
{
  gint64 now = g_get_monotonic_time ();
  if (self->options->on_progress == NULL || self->stopped
      || now - self->progressed_at < PROGRESS_INTERVAL)
    return !self->stopped;
  self->progressed_at = now;
  self->stopped = !self->options->on_progress (&self->summary, self->options->data);
  return !self->stopped;
}

void
tall_verify_report (TallVerify *self, const TallFinding *finding)
{
  self->summary.n_findings++;
  if (tall_finding_kind_info (finding->kind)->needs_person)
    self->summary.n_for_person++;
  self->summary.n_mended += finding->mended;
  if (self->options->on_finding != NULL)
    self->options->on_finding (finding, self->options->data);
}
