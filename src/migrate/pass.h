/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "migrate/draw.h"
#include "migrate/sample.h"

G_BEGIN_DECLS

/**
 * TallPassCounts:
 *
 * What a pass has met.
 */
typedef struct
{
  guint64 n_orders; /* deleted ones included */
  guint64 n_customers;
  guint64 n_lines;
  guint64 n_copied;
  guint64 n_moved; /* written by others while they were copied: for the next pass */
  guint64 n_unfit;
  gint64 duration; /* microseconds, without rests */
  gboolean stopped;
  TallSample sample; /* if nothing is copied */
} TallPassCounts;

/* Called by one thread at a time, whichever. Returns: FALSE to stop */
typedef gboolean (*TallPassOnProgress) (const TallPassCounts *counts, gpointer data);
/* The same, for each item that cannot be copied. */
typedef void (*TallPassOnUnfit) (const TallCopyItem *item, gpointer data);

/**
 * TallPassOptions:
 *
 * All zero but the copier is fine.
 */
typedef struct
{
  TallCopier copier;
  gboolean only_count; /* copy nothing */
  TallDraw *draw;      /* nullable: if nothing is copied, draws among the orders */
  guint rate;          /* items that are copied in a second, at most; 0: no limit */
  guint64 remembered;  /* versions, at most; 0: the usual number */
  TallPassOnProgress on_progress;
  TallPassOnUnfit on_unfit;
  gpointer data;
} TallPassOptions;

/**
 * TallPass:
 *
 * Passes over everything in the source, each of which copies what the target does not have yet. One
 * pass at a time.
 */
typedef struct _TallPass TallPass;

TallPass *tall_pass_new (const TallPassOptions *options);
void tall_pass_free (TallPass *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallPass, tall_pass_free)

void tall_pass_lift_rate (TallPass *self);
gboolean
tall_pass_run (TallPass *self, TallPassCounts *counts, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
