/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

char *tall_bench_drawing_make (const char *json, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
