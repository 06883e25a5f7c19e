/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* So many rows of a file are looked at. */
#define TALL_SNIFF_MAX_ROWS 10000

char *tall_sniff (const char *const *paths,
                  const char **names,
                  guint n,
                  gboolean *is_whole,
                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

const char *tall_sniff_find_preset (const char *path, const char *const *columns);

G_END_DECLS
