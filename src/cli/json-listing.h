/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

G_BEGIN_DECLS

gboolean tall_json_is_listing (TallSlice text);
gboolean tall_json_is_closed (TallSlice text);
gboolean tall_json_has_object_lines (TallSlice text);

G_END_DECLS
