/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "migrate/copied.h"
#include "migrate/pass.h"
#include "migrate/ranges.h"

G_BEGIN_DECLS

/* Threads that walk, and that copy. */
#define TALL_PASS_THREADS 4

struct _TallPass
{
  TallPassOptions options;
  TallCopied *copied;       /* owned */
  TallCopied *places;       /* owned: whose the target's rows are */
  GPtrArray *ranges;        /* of TallRange */
  guint n_parallel;         /* of these that gain something by working at the same time */
  guint n_in_turn;          /* items that are copied together while others work beside, at most */
  guint n_copying;          /* threads that copy what one walking thread has found */
  gboolean copies_in_order; /* the next pass has nearly everything to copy: it walks from the first
                             * key to the last, so that RocksDB gets files that do not overlap,
                             * which it need not merge */
  gint next;                /* atomic: the first range that nobody has taken */
  gint stopping;            /* atomic */
  gint n_sampled;           /* atomic: pages of which some rows were measured */
  gint item_size;           /* atomic: bytes of an order, on average, in the last batch */

  gboolean hurried;    /* everybody waits for it */
  GMutex turn;         /* held by the one that copies, and rests, while others work; for these: */
  guint n_begun;       /* operations of this process, when somebody was looked for last */
  gint64 shared_until; /* it gives way, even if no operation begins */

  GMutex mutex; /* for all below */
  GError *error;
  TallPassCounts counts;
  gint64 begun;
  gint64 shown;  /* when progress was shown last */
  gint64 spared; /* microseconds that a pass does not take which gives way to nobody */
};

gboolean tall_pass_is_stopping (const TallPass *self);
void tall_pass_fail (TallPass *self, GError *error);
void tall_pass_count (TallPass *self, const TallPassCounts *more);
void tall_pass_keep_rate (TallPass *self);
gboolean tall_pass_begin_turn (TallPass *self);
void tall_pass_end_turn (TallPass *self, gint64 took);

void tall_pass_page (TallPass *self, const char *table, const TallRows *rows);

G_END_DECLS
