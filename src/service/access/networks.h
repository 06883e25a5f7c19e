/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

GPtrArray *tall_networks_parse (const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;
GInetAddress *tall_networks_get_plain (GInetAddress *address);
gboolean tall_networks_contain (GPtrArray *networks, GInetAddress *address);
gboolean tall_networks_is_local (GPtrArray *proxies, GInetAddress *address);

guint64 tall_networks_get_origin (GInetAddress *address);

G_END_DECLS
