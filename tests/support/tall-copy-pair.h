/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "migrate/copy.h"
#include "tall-error.h"
#include "tall-test-store.h"

G_BEGIN_DECLS

/**
 * TallCopySide:
 *
 * A deployment in memory, whose clock stands still.
 */
typedef struct
{
  guint together; /* rows that a step changes, as in an embedded store; 0: one, as in HBase */
  TallTestClock clock;
  TallTable *table; /* a #TallFailingTable */
  TallStore *store;
  TallFront *front; /* the same */
  TallDeployment *deployment;
  TallStoreContext context;
} TallCopySide;

/**
 * TallCopyPair:
 *
 * Two deployments, and what copies from one to the other.
 */
typedef struct
{
  TallCopySide source;
  TallCopySide target;
  TallCopier copier;
} TallCopyPair;

#define TALL_COPY_NOW G_GINT64_CONSTANT (1700000000000)

void tall_copy_side_init (TallCopySide *self, const TallStoreSettings *settings);
void tall_copy_side_clear (TallCopySide *self);

void tall_copy_pair_init (TallCopyPair *self,
                          const TallStoreSettings *source,
                          const TallStoreSettings *target);
void tall_copy_pair_clear (TallCopyPair *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallCopyPair, tall_copy_pair_clear)

/* How many items had each outcome. */
typedef struct
{
  guint n[TALL_COPY_UNFIT + 1];
  TallError code; /* of the last that was unfit; 0: none was */
  char *message;  /* of the same */
} TallCopyCounts;

void tall_copy_counts_clear (TallCopyCounts *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallCopyCounts, tall_copy_counts_clear)

TallReadResult *tall_copy_side_scan (const TallCopySide *self);
gboolean tall_copy_pair_copy (TallCopyPair *self,
                              TallReadResult *roots,
                              guint n_together,
                              TallCopyCounts *counts,
                              GError **error);
void tall_copy_pair_copy_all (TallCopyPair *self, TallCopyCounts *counts);

/* The state cell of an order (@order_number NULL: a customer); FALSE: there is none. */
gboolean tall_copy_side_read_state (const TallCopySide *self,
                                    const char *customer_number,
                                    const char *order_number,
                                    TallState *state);

char *tall_copy_dump (TallTable *table);
void tall_copy_populate (TallCopySide *side, guint n);
const char *const *tall_copy_list_numbers (TallArena *arena, guint n);

G_END_DECLS
