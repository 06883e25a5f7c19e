/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

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

void tall_draw_init (TallDraw *self);
void tall_draw_clear (TallDraw *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallDraw, tall_draw_clear)

void tall_draw_add (TallDraw *self,
                    const TallStoreContext *source,
                    const char *table,
                    const TallRows *rows);
GStrv tall_draw_finish (TallDraw *self);

G_END_DECLS
