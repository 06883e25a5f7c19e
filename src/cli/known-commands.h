/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean tall_known_commands_have (const char *name);
const char *tall_known_commands_suggest (const char *word);

G_END_DECLS
