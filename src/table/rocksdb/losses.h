/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void tall_rocksdb_losses_add (const char *directory, GPtrArray *lost);
gboolean tall_rocksdb_losses_copy (const char *from,
                                   const char *to,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
GStrv tall_rocksdb_losses_list (const char *directory);

G_END_DECLS
