/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/store/patience.h"

G_BEGIN_DECLS

/**
 * TallStalled:
 * @seconds: since when something is tried
 * @most: seconds for which it is tried at most
 * @cause: what the store says
 *
 * Called every ten seconds or so while the store stands still, by any thread, by one at a time.
 */
typedef void (*TallStalled) (guint seconds, guint most, const GError *cause, gpointer data);

/**
 * TallStall:
 *
 * Says every now and then that a store stands still, for all who wait for it. Any thread may call.
 */
typedef struct
{
  TallStalled stalled; /* NULL: nobody listens */
  gpointer data;
  GMutex lock;
  gint64 said_at; /* or when all began: microseconds */
} TallStall;

void tall_stall_init (TallStall *self, TallStalled stalled, gpointer data);
void tall_stall_clear (TallStall *self);
void
tall_stall_say (TallStall *self, const TallPatience *patience, const GError *cause, gint64 now);

G_END_DECLS
