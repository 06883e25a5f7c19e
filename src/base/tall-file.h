/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *tall_file_read (const char *path, gsize *len, GError **error);

G_END_DECLS
