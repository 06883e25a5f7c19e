/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-mix.h"
#include "tall-target.h"

G_BEGIN_DECLS

/**
 * TallMender:
 *
 * A thread that verifies everything beside the mix, again and again. It reports what it finds,
 * waiting as long as users do, or mends it at once, not waiting whether somebody is writing it.
 */
typedef struct _TallMender TallMender;

TallMender *tall_mender_start (const TallMixOptions *mix, TallWriter *writer, gboolean repair);
void tall_mender_stop (TallMender *self);
gboolean tall_mender_finish (TallMender *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_mender_free (TallMender *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallMender, tall_mender_free)

G_END_DECLS
