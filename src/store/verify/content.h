/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/verify/look.h"

G_BEGIN_DECLS

void tall_verify_content (TallVerifyLook *look, const TallVerifyGroup *group, TallSlice summary);

G_END_DECLS
