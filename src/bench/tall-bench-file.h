/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

GPtrArray *tall_bench_file_read (const char *path,
                                 const char *map,
                                 guint max_orders,
                                 guint max_lines,
                                 const gint *stop,
                                 char **left_out,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
