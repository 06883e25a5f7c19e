/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/commit/root.h"

gboolean tall_put (TallOperation *operation,
                   const TallContent *content,
                   const TallWriteOptions *options,
                   gint64 *revision,
                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_put_append_new (TallOperation *operation,
                              const TallContent *content,
                              const TallWriteOptions *options,
                              TallBatch *roots,
                              TallBatch *others,
                              TallState *wanted) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_patch (TallOperation *operation,
                     const char *const *changes,
                     guint n,
                     const TallWriteOptions *options,
                     gint64 *revision,
                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_delete (TallOperation *operation,
                      const TallWriteOptions *options,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_put_many (const TallStoreContext *context,
                        TallOrder *const *orders,
                        const TallWriteOptions *options,
                        guint n,
                        TallOutcome *outcomes,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_tombstone_append (const TallOperation *operation,
                            const TallState *tombstone,
                            gboolean named,
                            TallBatch *batch);

TallErasePart *tall_erase_part (const TallStoreContext *context,
                                const TallEraseRequest *request,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
