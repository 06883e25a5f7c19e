/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "service/calls/idl-call.h"

G_BEGIN_DECLS

/* The call of a slot of #TallFrontClass, such as `TALL_CALL (put_order)`. */
#define TALL_CALL(slot) tall_calls_get (G_STRUCT_OFFSET (TallFrontClass, slot))

const TallIdlCall *tall_calls_get (gsize slot);
const TallIdlCall *tall_calls_find (const char *name);
guint tall_calls_count (void);
const TallIdlCall *tall_calls_get_nth (guint index);
guint tall_calls_get_index (const TallIdlCall *call);
GStrv tall_calls_list_names (void);

G_END_DECLS
