/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bulk.h"
#include "load/store/ledger.h"
#include "load/store/stall.h"

G_BEGIN_DECLS

/**
 * TallStorerOptions:
 *
 * Start from TALL_STORER_OPTIONS_INIT.
 */
typedef struct
{
  guint jobs;        /* batches that are put at once, 256 at most; 0: as many as help */
  guint tries;       /* of one batch while the store says at once that it is not available */
  guint retry_delay; /* milliseconds before the second try; doubles with each */
  guint patience;    /* seconds that the store may stand still */
  TallStalled stalled;
  gpointer data;
  TallBulkOptions bulk;
  const gint
      *stop; /* atomic; nothing is tried again when it is not 0 any more; NULL: it never is */
} TallStorerOptions;

#define TALL_STORER_OPTIONS_INIT                                                                   \
  {                                                                                                \
    .tries = 6, .retry_delay = 100, .patience = 600                                                \
  }

/**
 * TallStorer:
 *
 * Stores orders or customers: gathers them into batches, puts several of these at once, puts again
 * what fails for a while, rejects what the store refuses, and counts. It holds some batches, and
 * tall_storer_add() waits while there are enough. One thread adds; any may count.
 */
typedef struct _TallStorer TallStorer;

TallStorer *tall_storer_new (TallFront *front,
                             const TallStorerOptions *options,
                             TallRejects *rejects,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_storer_free (TallStorer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallStorer, tall_storer_free)

void tall_storer_add (TallStorer *self, TallLoadItem *item);
gboolean tall_storer_has_failed (TallStorer *self);
void tall_storer_count (TallStorer *self, TallLoadTally *ends, guint64 *retries);
guint64 tall_storer_count_rows (TallStorer *self, guint file, TallLoadEnd end);
gboolean tall_storer_finish (TallStorer *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
