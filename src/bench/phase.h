/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/orders.h"
#include "table/table.h"
#include "tall-bulk.h"

#include <sys/types.h>

/**
 * TallBenchSpending:
 *
 * What operations use beside time: CPU time of processes, in nanoseconds, and bytes that go to
 * gateways and come from them.
 */
typedef enum
{
  TALL_BENCH_SPENT_CLIENT,
  TALL_BENCH_SPENT_GATEWAY,
  TALL_BENCH_SPENT_SERVER,
  TALL_BENCH_N_PROCESSES,
  TALL_BENCH_SPENT_SENT = TALL_BENCH_N_PROCESSES,
  TALL_BENCH_SPENT_RECEIVED,
  TALL_BENCH_N_SPENDINGS
} TallBenchSpending;

#define TALL_BENCH_MAX_PIDS 16 /* of one role */

/**
 * TallBenchPids:
 *
 * Processes of this machine that work for the store: those of gateways and those of servers.
 */
typedef struct
{
  pid_t gateways[TALL_BENCH_MAX_PIDS];
  guint n_gateways;
  pid_t servers[TALL_BENCH_MAX_PIDS];
  guint n_servers;
} TallBenchPids;

gboolean tall_bench_pids_parse (TallBenchPids *self,
                                const char *text,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallBenchMeter:
 *
 * Where it can be read. A part that cannot be read is NAN.
 */
typedef struct
{
  TallTable *table;          /* not owned, not wrapped */
  const TallBenchPids *pids; /* nullable; not owned */
} TallBenchMeter;

void tall_bench_meter_read (const TallBenchMeter *self, double values[TALL_BENCH_N_SPENDINGS]);

#define TALL_BENCH_MAX_PARTS 8
#define TALL_BENCH_FIND "find" /* name of what needs tall_bench_mix_get_indexes() */

typedef struct _TallBenchPhase TallBenchPhase;

/**
 * TallBenchMix:
 *
 * Operations that go on beside each other, each as often as its weight says.
 */
typedef struct
{
  const TallBenchPhase *parts[TALL_BENCH_MAX_PARTS];
  guint weights[TALL_BENCH_MAX_PARTS];
  guint n_parts;
  guint total; /* of the weights; 0: there is no mix */
} TallBenchMix;

/**
 * TallBenchClient:
 *
 * One of the threads that work on a store at the same time.
 */
typedef struct
{
  TallFront *front;
  const TallBenchOrders *orders;
  const TallBenchMix *mix; /* nullable */
  guint
      number; /* 0 … n_clients - 1; the orders at every n_clients-th place from here are its own */
  guint n_clients; /* not more than orders */
  guint64 seed;    /* of what it chooses */
  guint64 step;    /* operations that it has begun */
  TallBulk *bulk;  /* owned, nullable: its load */
} TallBenchClient;

/**
 * TallBenchOperation:
 *
 * The subject of an operation, and its result.
 */
typedef struct
{
  TallOrder *order; /* one of these two; the order as it is stored or will be */
  const TallBenchCustomer *customer;
  const TallBenchPhase *part; /* of a mix: what it is */
  char *number;               /* owned, nullable: of an order that is not there, or is new */
  gboolean changed;           /* whether @order was its other content then */
  GPtrArray *batch;    /* owned, nullable: of TallOrder: copies that are loaded, of which only the
                        * number is their own */
  guint n;             /* operations that this is; 0: one */
  TallOrder *found;    /* owned, nullable */
  TallOrderList *list; /* owned, nullable */
  TallCustomerOrders *all_orders; /* owned, nullable: a page of them */
} TallBenchOperation;

guint tall_bench_operation_count_kept (const TallBenchOperation *self);

/**
 * TallBenchPhase:
 *
 * A kind of operation that is measured. A new one is one entry in bench/phase.c.
 */
struct _TallBenchPhase
{
  const char *name;    /* for programs */
  const char *summary; /* for people; NULL: it only checks, and is not reported */
  gboolean once;       /* each order has exactly one turn; else a client goes on */
  void (*choose) (TallBenchClient *client, TallBenchOperation *operation); /* a few nanoseconds */
  gboolean (*run) (TallBenchClient *client, TallBenchOperation *operation, GError **error);
  /* whether the result is what was stored; NULL: there is no result */
  gboolean (*check) (const TallBenchOperation *operation, GError **error);
  gboolean loads; /* copies of the orders, which stay */
};

const TallBenchPhase *tall_bench_phases (guint *n);
const TallBenchPhase *tall_bench_phase_age (void);
gboolean tall_bench_phase_runs (const TallBenchPhase *self, const TallBenchMix *mix);
gboolean tall_bench_mix_parse (TallBenchMix *self,
                               const char *text,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *tall_bench_mix_describe (void);
gboolean tall_bench_mix_has (const TallBenchMix *self, const char *name);
const char *tall_bench_mix_get_indexes (const TallBenchMix *self);
