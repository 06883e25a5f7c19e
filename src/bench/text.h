/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

char *tall_bench_text_read (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
JsonObject *tall_bench_text_parse (const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_bench_text_get_number (JsonNode *node, double *number);

G_END_DECLS
