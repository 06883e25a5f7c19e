/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/orders/assembler.h"
#include "load/store/files.h"
#include "load/mapping/survey.h"

G_BEGIN_DECLS

/* Where rows are put aside that do not fit into memory. */
typedef struct
{
  const char *folder;
  guint64 estimate; /* bytes that they will take, about; 0: not known */

  TallLoadAnnounce announce; /* NULL: nothing is called */
  gpointer data;
} TallSpoolPlace;

/* Called for each row of the file that is read from a spool. Returns: FALSE if the load is to stop
 * here, perhaps with @error */
typedef gboolean (*TallSpoolTick) (gpointer data, GError **error);

/* Rows of orders that lie anywhere, which come together here, in a #TallTempDb. Not thread-safe. */
typedef struct _TallOrderSpool TallOrderSpool;

TallOrderSpool *tall_order_spool_new (const TallLoadFiles *files, const TallSpoolPlace *place);
void tall_order_spool_free (TallOrderSpool *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallOrderSpool, tall_order_spool_free)

gboolean tall_order_spool_put (TallOrderSpool *self,
                               const char *customer,
                               const char *order,
                               const TallCsvRow *row,
                               guint64 blame,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_order_spool_drain (TallOrderSpool *self,
                                 TallAssembler *assembler,
                                 TallSpoolTick tick,
                                 gpointer data,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_order_spool_get_progress (const TallOrderSpool *self, guint64 *done, guint64 *all);

/* Groups the rows of files. Every row pushed ends in exactly one place: in an order or a customer
 * emitted, or among the rejects. It keeps one order. Not thread-safe.
 *
 * No order is emitted in part. Orders whose rows follow each other are assembled as they come; the
 * rows of the others, which a #TallSurvey of the files knows beforehand, are put aside, and
 * assembled in the end (#TallOrderSpool). A bad row rejects its whole order, because the order
 * would lack a line. An unreadable row that does not name its order belongs to the order whose rows
 * are before and after it.
 *
 * Of several rows of a customer the first counts: those that are the same are repeated, the others
 * are rejected. It knows the customers that came before, in a #TallTempDb.
 *
 * Rows may also name what is deleted: an order, or a customer, each. Rows that follow each other
 * and name the same are one. */
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
