/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "layout/columns.h"

G_BEGIN_DECLS

gboolean tall_column_encode (const TallModelField *field,
                             gconstpointer base,
                             TallArena *arena,
                             TallSlice *value);
gboolean tall_column_decode (
    const TallModelField *field, TallSlice value, TallArena *arena, gpointer base, GError **error);

G_END_DECLS
