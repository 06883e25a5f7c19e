/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/orders/row.h"

G_BEGIN_DECLS

/**
 * TallDraft:
 *
 * Orders under construction, one after another: rows go in one by one, and the order comes out. Not
 * thread-safe.
 */
typedef struct _TallDraft TallDraft;

TallDraft *tall_draft_new (void);
void tall_draft_free (TallDraft *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallDraft, tall_draft_free)

void tall_draft_begin (TallDraft *self,
                       const TallMapping *mapping,
                       const char *customer_number,
                       const char *order_number);
gboolean tall_draft_add_row (TallDraft *self,
                             const TallMapping *mapping,
                             const TallCsvRow *row,
                             TallRowFault *fault,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallOrder *tall_draft_finish (TallDraft *self);

G_END_DECLS
