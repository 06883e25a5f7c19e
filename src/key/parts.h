/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "key/strategy.h"

G_BEGIN_DECLS

/* Parts that several strategies share: the MD5 of a number, and the number as it is. Each fills the
 * slot of #TallKeyStrategy that it is named after. */
void tall_key_md5_append_order (const char *number, GByteArray *key);
gssize tall_key_md5_measure (TallSlice key);
void tall_key_text_append_order (const char *number, GByteArray *key);
gssize tall_key_text_measure (TallSlice key);

/* Split points. Each function appends to @splits as the slot append_splits does. */
void tall_key_splits_append_bytes (guint n_regions, GPtrArray *splits);
void tall_key_splits_append_digits (guint n_regions, GPtrArray *splits);
gboolean tall_key_splits_append_sample (const TallKeyStrategy *strategy,
                                        guint n_regions,
                                        const char *const *sample,
                                        GPtrArray *splits,
                                        GError **error);

G_END_DECLS
