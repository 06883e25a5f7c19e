/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-mix.h"
#include "tall-target.h"

G_BEGIN_DECLS

/**
 * TallMover:
 *
 * A thread that moves the deployment to other layouts and key strategies beside the mix, again and
 * again. It gives some migrations up in the middle, and drops what does not count any more. Several
 * may do so at once.
 */
typedef struct _TallMover TallMover;

TallMover *tall_mover_start (
    TallMixOptions *mix, const TallTarget *target, TallWriter *writer, guint thread, guint32 seed);
void tall_mover_stop (TallMover *self);
gboolean tall_mover_finish (TallMover *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_mover_free (TallMover *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallMover, tall_mover_free)

G_END_DECLS
