/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "model/canonical.h"
#include "model/model-type.h"
#include "model/pb-reader.h"

G_BEGIN_DECLS

gsize tall_canonical_measure (const TallModelType *type, gconstpointer base);

gboolean tall_canonical_fail (GError **error, const char *what, const char *why);
gboolean tall_canonical_finish (gboolean valid, GError *invalid, const char *what, GError **error);

gboolean tall_pb_read_decimal (TallSlice message, TallDecimal *decimal);
gboolean tall_pb_read_attribute (TallPbReader outer, TallArena *arena, TallAttributes *attributes);
void tall_pb_read_text (TallPbReader *in, TallArena *arena, char ***texts, guint *n);
gboolean tall_pb_read_message (const TallModelType *type,
                               TallSlice message,
                               TallArena *arena,
                               gpointer base);

G_END_DECLS
