/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table.h"

G_BEGIN_DECLS

/* The first byte of every stored spec: 1, or 2 if the table is not open. */
#define TALL_SPEC_FORMAT 2

void tall_spec_encode (const TallTableSpec *spec, GByteArray *stored);
TallTableSpec *
tall_spec_decode (const char *name, TallSlice stored, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
