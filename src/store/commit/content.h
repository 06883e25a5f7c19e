/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/operation.h"
#include "store/commit/state.h"

G_BEGIN_DECLS

/**
 * TallContent:
 *
 * What is to be stored: an order or a customer, with all that is derived from it once for all
 * attempts.
 */
typedef struct
{
  const TallOrder *order;       /* not owned; NULL for a customer */
  const TallCustomer *customer; /* not owned; NULL for an order */
  TallArena *arena;             /* owned: of the slices */
  TallSlice canonical;
  TallSlice summary;
  TallState state; /* what the content says of it; revision and tokens are 0 */
} TallContent;

gboolean tall_content_init (TallContent *self,
                            const TallOrder *order,
                            const TallCustomer *customer,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_content_clear (TallContent *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallContent, tall_content_clear)

void tall_content_append (const TallContent *self,
                          const TallOperation *operation,
                          gint64 revision,
                          TallBatch *batch,
                          TallMutation *root);

G_END_DECLS
