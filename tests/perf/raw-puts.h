/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "floor-run.h"

G_BEGIN_DECLS

/**
 * TallRawPuts:
 *
 * All rows of a deployment on HBase as requests to put them into another, made beforehand.
 */
typedef struct _TallRawPuts TallRawPuts;

GPtrArray *tall_raw_puts_read (TallTable *from, GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallRawPuts *tall_raw_puts_new (const GPtrArray *tables,
                                const TallFloorHbase *target,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_raw_puts_free (TallRawPuts *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallRawPuts, tall_raw_puts_free)

gboolean tall_raw_puts_send (TallRawPuts *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
