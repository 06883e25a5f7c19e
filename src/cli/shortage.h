/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void tall_shortage_prepare (void);
void tall_shortage_check (GLogLevelFlags level, const char *message);

G_END_DECLS
