/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/commit/commit.h"
#include "store/commit/root.h"

gboolean
tall_together_fits (const TallOperation *operation, const TallRoot *replaced, const TallState *now);
void tall_together_append (const TallOperation *operation,
                           const TallContent *content,
                           const TallRoot *root,
                           const TallState *wanted,
                           TallBatch *batch);
TallStep tall_children_commit (TallOperation *operation,
                               TallRoot *root,
                               TallClaim *claim,
                               const TallState *wanted,
                               TallBatch *batch,
                               GError **error);
TallStep tall_together_commit (TallOperation *operation,
                               const TallContent *content,
                               TallRoot *root,
                               const TallState *wanted,
                               TallBatch *batch,
                               GError **error);

gboolean tall_children_write (const TallOperation *operation,
                              const TallOrder *order,
                              gint64 revision,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_children_remove_left (const TallOperation *operation,
                                    gint64 committed,
                                    gint64 revision,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_children_take_back (const TallOperation *operation,
                                  const TallOrder *order,
                                  gint64 revision,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_children_add_removals (const TallOperation *operation,
                                     gint64 first,
                                     gint64 last,
                                     TallBatch *batch,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_children_clean_up (const TallOperation *operation,
                             const TallRoot *replaced,
                             const TallState *now);
