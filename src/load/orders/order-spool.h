/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/orders/assembler.h"
#include "load/store/files.h"

G_BEGIN_DECLS

/* Where rows are put aside that do not fit into memory. */
typedef struct
{
  const char *folder;
  guint64 estimate; /* bytes that they will take, about; 0: not known */

  /* Called before they take room in the folder; NULL: nothing is */
  void (*announce) (const char *folder, guint64 bytes, gpointer data);
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

G_END_DECLS
