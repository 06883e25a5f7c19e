/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "ops/metrics.h"

G_BEGIN_DECLS

/**
 * TallWatch:
 *
 * Shows over HTTP how a server and its store are: `/metrics`, `/live` and `/ready`.
 */
typedef struct _TallWatch TallWatch;

TallWatch *tall_watch_new (const char *address,
                           TallServer *server,
                           TallStore *store,
                           TallMigrateRunner *moves,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_watch_stop (TallWatch *self);
void tall_watch_free (TallWatch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallWatch, tall_watch_free)

const char *tall_watch_get_address (TallWatch *self);
gboolean tall_watch_is_reachable (TallWatch *self);

G_END_DECLS
