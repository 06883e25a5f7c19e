/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/pool-private.h"

G_BEGIN_DECLS

/* The gateways of a pool together. Callers use them, and so do the threads that watch them. */

TallHbasePool *tall_hbase_gateways_new (const TallHbaseOptions *options,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_hbase_gateways_leave (TallHbasePool *self);

guint tall_hbase_gateways_count (const TallHbasePool *self, TallHbasePhase phase);
gboolean tall_hbase_gateways_are_lost (const TallHbasePool *self);
void tall_hbase_gateways_set_unavailable (const TallHbasePool *self, GError **error);
void tall_hbase_gateways_set_overloaded (const TallHbasePool *self, GError **error);
void tall_hbase_gateways_set_none_free (const TallHbasePool *self, GError **error);

G_END_DECLS
