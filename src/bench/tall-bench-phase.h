/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bench-orders.h"
#include "tall-front.h"
#include "tall-measure.h"

G_BEGIN_DECLS

/**
 * TallBenchClient:
 *
 * One of the threads that work on a store at the same time, and what it is doing.
 */
typedef struct
{
  TallFront *front;
  const TallBenchOrders *orders;
  guint
      number; /* 0 … n_clients - 1; the orders at every n_clients-th place from here are its own */
  guint n_clients; /* not more than orders */
  guint64 seed;    /* of what it chooses */
  guint64 step;    /* operations that it has begun */

  TallOrder *order;                  /* that the operation under way is about */
  const TallBenchCustomer *customer; /* the same */
  TallOrder *found;                  /* owned: what it has brought */
  TallOrderList *list;               /* owned: the same */
} TallBenchClient;

/**
 * TallBenchPhase:
 *
 * A kind of operation that is measured. A new one is one entry in tall-bench-phase.c.
 */
typedef struct
{
  const char *name;     /* for programs */
  const char *summary;  /* for people; NULL: it only checks, and is not reported */
  gboolean once;        /* each order's turn comes exactly once; else a client goes on */
  TallMeasureSide side; /* of single operations; data is the client */
} TallBenchPhase;

const TallBenchPhase *tall_bench_phases (guint *n);

G_END_DECLS
