/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-front.h"
#include "tall-gate.h"
#include "tall-history.h"
#include "tall-late.h"

G_BEGIN_DECLS

#define TALL_MIX_MAX_ORDERS 64

/**
 * TallMixOptions:
 *
 * What all threads of a process have in common. Time is cut into generations: in each of them
 * everybody works on the same few orders, of a customer of its own. So there is always contention,
 * and the history of an order stays short enough to be checked.
 */
typedef struct
{
  TallHistory *history;
  TallLate *late;     /* nullable: which writes take long */
  guint n_orders;     /* of a generation, at most TALL_MIX_MAX_ORDERS */
  gint64 epoch;       /* when generation 0 begins; time of the history */
  gint64 period;      /* nanoseconds that a generation takes */
  gint64 end;         /* nothing is begun afterwards */
  guint n_operations; /* of each thread, at most; 0 = until the end */
  guint pause;        /* microseconds between two operations of a thread */
  gint n_awaited;     /* atomic: switches of movers, before which no thread has done enough */
  gboolean stop;      /* atomic: nothing is begun any more */
  TallGate *gate;     /* nullable: nothing is begun while it is shut */
} TallMixOptions;

typedef struct _TallMixClient TallMixClient;

TallMixClient *
tall_mix_client_new (const TallMixOptions *options, TallFront *front, guint thread, guint32 seed);
void tall_mix_client_free (TallMixClient *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallMixClient, tall_mix_client_free)

void tall_mix_client_run (TallMixClient *self);
gboolean tall_mix_client_read_back (TallMixClient *self,
                                    guint n_generations,
                                    gint64 end) G_GNUC_WARN_UNUSED_RESULT;
guint tall_mix_generation (const TallMixOptions *self);

G_END_DECLS
