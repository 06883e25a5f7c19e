/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/orders/assembler.h"
#include "load/orders/order-spool.h"

G_BEGIN_DECLS

/**
 * TallCustomerGrouper:
 *
 * Makes a customer of each row of files. Every row pushed ends in exactly one place: in a customer
 * emitted, or among the rejects. Of several rows of a customer only the first counts.
 *
 * A row whose customer perhaps came before (#TallDigestFilter) goes to a #TallSpool; a second look
 * at the files decides in the end. It takes 32 MiB, or about 110 MiB if there are many such rows.
 * Not thread-safe.
 */
typedef struct _TallCustomerGrouper TallCustomerGrouper;

TallCustomerGrouper *tall_customer_grouper_new (const TallLoadFiles *files,
                                                const TallSpoolPlace *place,
                                                TallRejects *rejects,
                                                TallAssemblerEmit emit,
                                                gpointer data);
void tall_customer_grouper_free (TallCustomerGrouper *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallCustomerGrouper, tall_customer_grouper_free)

void tall_customer_grouper_begin_file (TallCustomerGrouper *self, guint file);
gboolean tall_customer_grouper_push (TallCustomerGrouper *self,
                                     const TallCsvRow *row,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_customer_grouper_finish (TallCustomerGrouper *self,
                                       TallSpoolTick tick,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* For tests: filters so small that they take most customers for others. Before the first row. */
void tall_customer_grouper_shrink (TallCustomerGrouper *self, gsize bytes);

G_END_DECLS
