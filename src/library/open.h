/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table-kind.h"

const TallTableKind *const *tall_table_kinds (guint *n);
const TallTableKind *tall_table_kinds_find (const char *url, const char **rest);
TallTableAddress *tall_table_kinds_parse (const char *url,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *tall_table_kinds_join (char *(*make_form) (const TallTableKind *kind), const char *before);
