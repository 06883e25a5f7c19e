/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/store.h"

G_BEGIN_DECLS

gboolean tall_verify_run (TallFront *front,
                          const TallStoreHooks *hooks,
                          const TallVerifyOptions *options,
                          TallVerifySummary *summary,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
