/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/commit/content.h"
#include "tall-error.h"
#include "store/commit/root.h"

G_BEGIN_DECLS

gboolean tall_put (TallOperation *operation,
                   const TallContent *content,
                   const TallWriteOptions *options,
                   gint64 *revision,
                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_delete (TallOperation *operation,
                      const TallWriteOptions *options,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* For both of them. */
gboolean tall_write_check_options (const TallWriteOptions *options,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_write_make_token (TallOperation *operation,
                            const TallWriteOptions *options,
                            guint8 token[TALL_TOKEN_SIZE]);
gboolean tall_write_check_root (TallOperation *operation,
                                const TallRoot *root,
                                const TallWriteOptions *options,
                                const TallState *wanted,
                                gboolean *done,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_write_fail_expired (const TallOperation *operation, TallError code, GError **error);
gboolean tall_write_check_kept (const TallOperation *operation,
                                const TallRoot *replaced,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_write_check_time (const TallOperation *operation,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
