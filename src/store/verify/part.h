/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/context.h"

G_BEGIN_DECLS

TallVerifyPart *tall_verify_part (const TallStoreContext *context,
                                  const TallVerifyRequest *request,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
