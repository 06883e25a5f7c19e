/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/orders/order-spool.h"
#include "load/mapping/survey.h"

G_BEGIN_DECLS

/* Groups the rows of files of orders. Every row pushed ends in exactly one place: in an order
 * emitted, or among the rejects. No order is emitted in part. Orders whose rows follow each other
 * are assembled as they come; the rows of the others, which a #TallSurvey of the files knows
 * beforehand, are put aside, and assembled in the end (#TallOrderSpool). A bad row rejects its
 * whole order, because the order would lack a line. An unreadable row that does not name its order
 * belongs to the order whose rows are before and after it. It keeps one order. Not thread-safe. */
typedef struct _TallGrouper TallGrouper;

TallGrouper *tall_grouper_new (const TallLoadFiles *files,
                               TallSurvey *survey,
                               const TallSpoolPlace *place,
                               TallRejects *rejects,
                               TallAssemblerEmit emit,
                               gpointer data);
void tall_grouper_free (TallGrouper *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallGrouper, tall_grouper_free)

void tall_grouper_begin_file (TallGrouper *self, guint file);
gboolean tall_grouper_push (TallGrouper *self,
                            const TallCsvRow *row,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_grouper_finish (TallGrouper *self,
                              TallSpoolTick tick,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_grouper_get_progress (const TallGrouper *self, guint64 *done, guint64 *all);

G_END_DECLS
