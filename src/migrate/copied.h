/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/commit/root.h"

G_BEGIN_DECLS

/**
 * TallCopied:
 *
 * What the target is known to have: 8 bytes for each version of an order or customer that was
 * copied, or found equal. It remembers a bounded number; what it has not remembered is compared
 * once more. Another one of them remembers whose the target's rows are, with 16 bytes for each. Any
 * thread may call at any time.
 */
typedef struct _TallCopied TallCopied;

/* The memory it takes at most, as a number of marks: 128 MiB. */
#define TALL_COPIED_MOST (G_GUINT64_CONSTANT (1) << 23)

TallCopied *tall_copied_new (guint64 most);
void tall_copied_free (TallCopied *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallCopied, tall_copied_free)

guint64 tall_copied_make_mark (const TallCopied *self,
                               TallSlice row,
                               const TallRoot *root,
                               TallSlice summary,
                               gboolean with_mark);
void tall_copied_find (TallCopied *self, const guint64 *marks, guint n, gboolean *found);
void tall_copied_add (TallCopied *self, const guint64 *marks, guint n);
gboolean tall_copied_claim (
    TallCopied *self, const char *table, TallSlice row, const char *from_table, TallSlice from_row);

G_END_DECLS
