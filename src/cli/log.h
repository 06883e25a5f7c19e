/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void tall_shortage_prepare (void);

void tall_log_start (gboolean service);
void tall_log_use_json (void);
gboolean tall_log_set_level (const char *name) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
