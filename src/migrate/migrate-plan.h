/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "migrate/copy.h"
#include "store/context.h"

G_BEGIN_DECLS

/* Orders that are drawn at most: some for each region, if these are not very many. */
#define TALL_DRAW_MOST 20000

/**
 * TallDraw:
 *
 * The customers of some orders, drawn so that each order has the same chance: by them tables are
 * split. Any thread may call at any time.
 */
typedef struct
{
  GMutex mutex;       /* for the next two */
  GPtrArray *numbers; /* owned; of owned texts */
  guint64 n_seen;
} TallDraw;

void tall_draw_clear (TallDraw *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallDraw, tall_draw_clear)

void tall_draw_add (TallDraw *self,
                    const TallStoreContext *source,
                    const char *table,
                    const TallRows *rows);

/* Rows that are measured together at most. */
#define TALL_SAMPLE_ROWS 16

/**
 * TallSample:
 *
 * Some orders and customers, by which the size of all is estimated, and the time to copy them.
 */
typedef struct
{
  guint64 n_from;  /* bytes of their rows in the source; of deleted ones next to nothing */
  guint64 n_to;    /* the same in the target */
  guint64 n_read;  /* that were looked at, deleted ones included, as in what is estimated by them */
  gint64 duration; /* microseconds that it took to read these */
} TallSample;

void tall_sample_add (
    TallSample *self, const TallCopier *copier, const char *table, const TallRow *rows, guint n);

G_END_DECLS
