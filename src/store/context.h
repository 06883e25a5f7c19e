/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/read/ids.h"
#include "store/record/deployment.h"
#include "store/record/indexes.h"
#include "store/store.h"

#include <glib.h>

/**
 * TallStoreCount:
 * @TALL_STORE_COMMITS: puts and deletes that were committed, those of loads not counted
 * @TALL_STORE_OVERTAKEN: puts that began again, because another writer came first
 * @TALL_STORE_TAKEN_OVER: claims of other writers that stood still and were claimed over
 * @TALL_STORE_REREADS: orders whose rows were read once more, because they did not fit together
 *
 * What operations of all stores of this process come to.
 */
typedef enum
{
  TALL_STORE_COMMITS,
  TALL_STORE_OVERTAKEN,
  TALL_STORE_TAKEN_OVER,
  TALL_STORE_REREADS,
  TALL_STORE_N_COUNTS,
} TallStoreCount;

/* Any thread may call them. */
void tall_store_count (TallStoreCount what);
guint64 tall_store_get_count (TallStoreCount what);

/**
 * TallFollower:
 *
 * Which tables of a deployment count, as far as this process knows. Any thread may call at any
 * time.
 */
typedef struct _TallFollower TallFollower;

/* What is known of the last commits of this process: see commit/recent.h. */
typedef struct _TallRecent TallRecent;

/**
 * TallStoreContext:
 *
 * What every operation of a store needs to know: the tables of one generation, and how orders lie
 * in them. Does not change.
 */
typedef struct
{
  TallFollower *follower;  /* which has this context; NULL: nothing is followed */
  guint64 generation;      /* the number of these tables */
  TallTable *table;        /* owned */
  gboolean false_is_final; /* of the table: see #TallTableInfo */
  guint together;          /* of the table, too; but 1 unless @false_is_final: where "did not match"
                              may be wrong, an order of several rows that is taken for new needs its
                              claim, by which that is settled */
  const TallLayout *layout;
  const TallKeyStrategy *key_strategy;
  TallIds *ids;         /* owned; NULL unless the key strategy needs ids */
  guint64 ttl;          /* seconds; 0 = orders never expire */
  gboolean rows_expire; /* the tables of orders have that TTL, too: rows go by themselves */
  gboolean has_index;   /* orders can be listed by date */
  gboolean has_dated;   /* a commit itself brings what lists the order, and removes what did */
  GPtrArray *indexes;   /* owned: of TallIndex: by what else they are found */
  gboolean of_numbers;  /* an order has the same entries of all of these for ever */
  const char *id;       /* of the deployment; not owned */
  TallStoreHooks hooks; /* every slot set */
} TallStoreContext;

void tall_store_hooks_complete (TallStoreHooks *self, const TallStoreHooks *given);

gboolean tall_store_context_init (TallStoreContext *self,
                                  TallTable *table,
                                  const TallDeployment *deployment,
                                  const TallStoreHooks *hooks,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_store_context_clear (TallStoreContext *self);

gboolean tall_store_context_has_expired (const TallStoreContext *self, gint64 revision);
gboolean tall_store_context_may_have_expired (const TallStoreContext *self, gint64 revision);
