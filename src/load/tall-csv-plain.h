/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

G_BEGIN_DECLS

gboolean tall_csv_split_plain (
    TallSlice line, char delimiter, guint n_fields, GByteArray *text, GPtrArray *fields);

G_END_DECLS
