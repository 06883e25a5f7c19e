/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/orders/assembler.h"
#include "load/orders/join.h"
#include "load/orders/spool.h"

G_BEGIN_DECLS

/**
 * TallJoinedOrder:
 *
 * One order after the other, made of the rows of several files: its header comes first, then its
 * lines, each joined with what it looks up. Not thread-safe.
 */
typedef struct _TallJoinedOrder TallJoinedOrder;

TallJoinedOrder *tall_joined_order_new (const TallLoadFiles *files,
                                        const TallJoin *join,
                                        TallSpool *spool,
                                        TallAssembler *assembler);
void tall_joined_order_free (TallJoinedOrder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallJoinedOrder, tall_joined_order_free)

void tall_joined_order_begin (TallJoinedOrder *self, const char *key);
gboolean tall_joined_order_push (TallJoinedOrder *self,
                                 const TallCsvRow *place,
                                 TallSlice value,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_joined_order_finish (TallJoinedOrder *self);

G_END_DECLS
