/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-mix.h"
#include "tall-target.h"

G_BEGIN_DECLS

/**
 * TallTour:
 *
 * A thread that moves the deployment beside the mix from each layout to each other one, from each
 * key strategy to each other one, or both at once, and so comes back to where it began. After each
 * switch the mix waits, while everything is verified.
 */
typedef struct _TallTour TallTour;

gboolean tall_tour_knows (const char *what);
TallTour *tall_tour_start (TallMixOptions *mix,
                           const TallTarget *target,
                           TallWriter *writer,
                           const char *what,
                           const char *still,
                           guint thread);
gboolean tall_tour_finish (TallTour *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_tour_free (TallTour *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallTour, tall_tour_free)

G_END_DECLS
