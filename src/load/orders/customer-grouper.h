/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/orders/assembler.h"
#include "load/store/files.h"

G_BEGIN_DECLS

/* Makes a customer of each row of files. Every row pushed ends in exactly one place: in a customer
 * emitted, or among the rejects. Of several rows of a customer the first counts: those that are the
 * same are repeated, the others are rejected. It knows the customers that came before, in a
 * #TallTempDb. It also makes an order, or a customer, of each row that names one that is deleted:
 * rows that follow each other and name the same are one. Not thread-safe. */
typedef struct _TallCustomerGrouper TallCustomerGrouper;

TallCustomerGrouper *tall_customer_grouper_new (const TallLoadFiles *files,
                                                const char *folder,
                                                TallRejects *rejects,
                                                TallAssemblerEmit emit,
                                                gpointer data,
                                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallCustomerGrouper *tall_customer_grouper_new_deleting (const TallLoadFiles *files,
                                                         TallRejects *rejects,
                                                         TallAssemblerEmit emit,
                                                         gpointer data);
void tall_customer_grouper_free (TallCustomerGrouper *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallCustomerGrouper, tall_customer_grouper_free)

void tall_customer_grouper_begin_file (TallCustomerGrouper *self, guint file);
gboolean tall_customer_grouper_push (TallCustomerGrouper *self,
                                     const TallCsvRow *row,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_customer_grouper_finish (TallCustomerGrouper *self);

G_END_DECLS
