/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/health.h"

G_BEGIN_DECLS

#define TALL_HBASE_N_EVENTS (TALL_HBASE_EVENT_UNWATCHED + 1)
#define TALL_HBASE_MAX_STATES 8
#define TALL_HBASE_STATE_MASK 15

/**
 * TallHbaseRegion:
 * @moves: for each event and each state, its number less 1: the number of the next state with
 *   #TallHbaseActions; 0: the event cannot happen in that state. If that holds for all states, the
 *   event does not concern this part
 *
 * One part of a gateway's health. Its states have numbers from 1 on; the first is the one that it
 * begins with.
 */
typedef struct
{
  const char *name;
  guint n_states;
  const char *states[TALL_HBASE_MAX_STATES];
  guint16 moves[TALL_HBASE_N_EVENTS][TALL_HBASE_MAX_STATES];
} TallHbaseRegion;

const TallHbaseRegion *tall_hbase_health_get_region (guint i);
const char *tall_hbase_event_get_name (TallHbaseEvent event);

G_END_DECLS
