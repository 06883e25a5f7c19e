/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/orders/draft.h"
#include "load/store/batch.h"

G_BEGIN_DECLS

/* @item: (transfer full): an order or a customer, ready to be stored. */
typedef void (*TallAssemblerEmit) (TallLoadItem *item, gpointer data);

/* Makes an order of its good rows, which come one after another. Every row ends in exactly one
 * place: in an item emitted, or among the rejects. A bad row rejects the whole order, because the
 * order would lack a line. It keeps one order, and no row of an order that is rejected. Not
 * thread-safe. */
typedef struct _TallAssembler TallAssembler;

TallAssembler *tall_assembler_new (TallRejects *rejects, TallAssemblerEmit emit, gpointer data);
void tall_assembler_free (TallAssembler *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallAssembler, tall_assembler_free)

void tall_assembler_begin (TallAssembler *self,
                           const TallMapping *mapping,
                           const char *customer,
                           const char *order);
void tall_assembler_push (TallAssembler *self, const TallMapping *mapping, const TallCsvRow *row);
void tall_assembler_fail (TallAssembler *self, guint64 line, const char *file_name);
void tall_assembler_finish (TallAssembler *self);

G_END_DECLS
