/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-load-item.h"
#include "tall-mapping.h"
#include "tall-survey.h"

G_BEGIN_DECLS

/**
 * TallGrouperEmit:
 * @item: (transfer full): an order or a customer, ready to be stored
 */
typedef void (*TallGrouperEmit) (TallLoadItem *item, gpointer data);

/**
 * TallGrouper:
 *
 * Groups the rows of a file into orders, or makes a customer of each row. Every row pushed ends in
 * exactly one place: in an item emitted, or among the rejects.
 *
 * No order is emitted in part. If its rows do not follow each other, which a #TallSurvey of the
 * file knows beforehand, all of them are rejected. A bad row rejects its whole order, because the
 * order would lack a line. An unreadable row that does not name its order belongs to the order
 * whose rows are before and after it.
 *
 * It keeps one order, or a digest of every customer's number (#TallDigestSet). Not thread-safe.
 */
typedef struct _TallGrouper TallGrouper;

TallGrouper *tall_grouper_new (const TallMapping *mapping,
                               const char *const *columns,
                               TallSurvey *survey,
                               TallRejects *rejects,
                               TallGrouperEmit emit,
                               gpointer data);
void tall_grouper_free (TallGrouper *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallGrouper, tall_grouper_free)

void tall_grouper_push (TallGrouper *self, const TallCsvRow *row);
void tall_grouper_finish (TallGrouper *self);

G_END_DECLS
