/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean tall_notify_is_used (void);
void tall_notify_ready (const char *address);
void tall_notify_reloading (void);
void tall_notify_reloaded (void);
void tall_notify_stopping (void);

G_END_DECLS
