/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void tall_rocksdb_losses_add (const char *directory, GPtrArray *lost);
GStrv tall_rocksdb_losses_list (const char *directory);

G_END_DECLS
