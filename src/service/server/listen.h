/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

GSocketListener *tall_listen (const char *address,
                              char **bound,
                              gboolean *is_reachable,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
