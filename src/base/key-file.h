/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean tall_key_file_load (GKeyFile *file, const char *text, gsize len, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
