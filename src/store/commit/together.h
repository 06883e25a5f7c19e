/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/commit/commit.h"

G_BEGIN_DECLS

gboolean
tall_together_fits (const TallOperation *operation, const TallRoot *replaced, const TallState *now);
TallStep tall_together_commit (TallOperation *operation,
                               const TallOrder *order,
                               TallRoot *root,
                               const TallState *wanted,
                               TallBatch *batch,
                               GError **error);

G_END_DECLS
