/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/mapping/mapping.h"
#include "bench/orders.h"

G_BEGIN_DECLS

TallMapping *tall_load_file_make_mapping (void);
gboolean tall_load_file_write (const char *path,
                               const TallWorkload *workload,
                               guint n_orders,
                               const gint *stop,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
