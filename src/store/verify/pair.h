/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/verify/verify.h"

G_BEGIN_DECLS

/**
 * TallVerifyOthers:
 *
 * The other rows of a page of rows: those that are there, by their keys.
 */
typedef struct
{
  TallReadResult *result; /* owned; NULL: there are none */
  GHashTable *rows;       /* owned: key as #GBytes → TallRow */
} TallVerifyOthers;

void tall_verify_others_clear (TallVerifyOthers *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallVerifyOthers, tall_verify_others_clear)

gboolean tall_verify_others_read (TallVerifyOthers *self,
                                  const TallStoreContext *context,
                                  const TallVerifyPair *pair,
                                  const TallRows *rows,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
const TallRow *tall_verify_others_find (const TallVerifyOthers *self,
                                        const TallStoreContext *context,
                                        const TallVerifyPair *pair,
                                        const TallRow *row);

void tall_verify_pair_look (TallVerifyLook *look,
                            const TallStoreContext *context,
                            const TallVerifyPair *pair,
                            const TallRow *row,
                            const TallRow *other);
void
tall_verify_pair_fingerprint (const TallRow *row, const TallRow *other, guint8 fingerprint[16]);

G_END_DECLS
