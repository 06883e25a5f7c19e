/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/operation.h"

G_BEGIN_DECLS

gboolean tall_get_many (const TallStoreContext *context,
                        const TallOrderId *ids,
                        guint n,
                        TallOutcome *outcomes,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_put_many (const TallStoreContext *context,
                        TallOrder *const *orders,
                        const TallWriteOptions *options,
                        guint n,
                        TallOutcome *outcomes,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
