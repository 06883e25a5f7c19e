/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "migrate/copied.h"
#include "migrate/migrate-plan.h"
#include "store/context.h"

G_BEGIN_DECLS

/**
 * TallRange:
 *
 * A part of a table with root rows, walked by one thread.
 */
typedef struct
{
  const char *table; /* static */
  GBytes *start;     /* the first row key */
  GBytes *stop;      /* the first one not in it; empty: the end of the table */
  GPtrArray *cuts;   /* of GBytes: where its pages began, but for the first, in the last walk */
} TallRange;

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

/* Threads that walk, and that copy. */
#define TALL_PASS_THREADS 4

struct _TallPass
{
  TallPassOptions options;
  TallCopied *copied;       /* owned */
  TallCopied *places;       /* owned: whose the target's rows are */
  GPtrArray *ranges;        /* of TallRange */
  guint n_parallel;         /* of these that gain something by working at the same time */
  gboolean is_embedded;     /* others work in this process, and this thread is what works here */
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

G_END_DECLS
