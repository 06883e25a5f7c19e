/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean tall_config_add (const char *command,
                          const GOptionEntry *common,
                          const GOptionEntry *own,
                          char **argv,
                          GPtrArray *args,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
