/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/store.h"

G_BEGIN_DECLS

/**
 * TallLate:
 *
 * The writes of a mix that may leave rows: those that took so long that somebody may have taken
 * over their claims, and those with an unknown outcome, whose rows may be the order. What they
 * leave stays until the next put of the order, and to report it is right. Every thread may use it.
 * Where a #TallLate is taken, NULL is one that watches nothing.
 */
typedef struct _TallLate TallLate;

typedef struct _TallLateWrite TallLateWrite;

TallLate *tall_late_new (TallStore *store, gint64 patience);
void tall_late_free (TallLate *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallLate, tall_late_free)

TallLateWrite *tall_late_begin (TallLate *self, const char *customer, guint order);
void tall_late_end (TallLate *self, TallLateWrite *write, gboolean stored, const GError *error);
gboolean tall_late_explains (TallLate *self, const TallFinding *finding, gint64 since);
guint tall_late_count (TallLate *self);

G_END_DECLS
