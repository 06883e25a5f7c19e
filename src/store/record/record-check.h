/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

G_BEGIN_DECLS

char *tall_record_check (const char *text);

char *tall_record_print_number (guint64 number);
gboolean tall_record_parse_number (TallSlice stored,
                                   const char *column,
                                   guint64 max,
                                   guint64 *number,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
