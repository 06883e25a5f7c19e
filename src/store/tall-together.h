/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-root.h"

G_BEGIN_DECLS

gboolean
tall_together_fits (const TallOperation *operation, const TallRoot *replaced, const TallState *now);
void tall_together_add (const TallOperation *operation,
                        const TallOrder *order,
                        const TallRoot *replaced,
                        const TallState *now,
                        TallBatch *batch);

G_END_DECLS
