/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/context.h"

G_BEGIN_DECLS

gboolean tall_trial_is_sealed (const TallStoreContext *context,
                               const char *name,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
