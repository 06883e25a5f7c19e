/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/field.h"

G_BEGIN_DECLS

char *tall_sniff_normalize (const char *column);
gboolean tall_sniff_names (const TallCsvField *field, const char *column, guint *rank);

G_END_DECLS
