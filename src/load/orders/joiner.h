/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/orders/join.h"
#include "load/orders/order-spool.h"

G_BEGIN_DECLS

/**
 * TallJoiner:
 *
 * Makes orders of the rows of several files: a header, any number of lines, and rows that these
 * look up. Every row pushed ends in exactly one place: in an order emitted, among the rejects, or,
 * if it is one that orders look up, among those that are kept (#TallLoadFile).
 *
 * All rows go to a #TallSpool, so files may have any order. Not thread-safe.
 */
typedef struct _TallJoiner TallJoiner;

TallJoiner *tall_joiner_new (const TallLoadFiles *files,
                             const TallJoin *join,
                             const TallSpoolPlace *place,
                             TallRejects *rejects,
                             TallAssemblerEmit emit,
                             gpointer data);
void tall_joiner_free (TallJoiner *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallJoiner, tall_joiner_free)

void tall_joiner_begin_file (TallJoiner *self, guint file);
gboolean tall_joiner_push (TallJoiner *self,
                           const TallCsvRow *row,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean
tall_joiner_finish (TallJoiner *self, TallSpoolTick tick, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
