/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define TALL_DIGEST_SIZE 16 /* bytes */

/**
 * TallDigestFilter:
 *
 * Which digests came before, in memory that does not grow: a Bloom filter in blocks of a cache
 * line (Putze, Sanders and Singler, 2007). It never forgets one, and sometimes takes a new one for
 * one that came before: with 16 bits for each digest about one in 1,000, with 4 bits one in 4.
 * Not thread-safe.
 */
typedef struct _TallDigestFilter TallDigestFilter;

TallDigestFilter *tall_digest_filter_new (gsize bytes);
void tall_digest_filter_free (TallDigestFilter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallDigestFilter, tall_digest_filter_free)

gboolean tall_digest_filter_add (TallDigestFilter *self, const guint8 digest[TALL_DIGEST_SIZE]);
gboolean tall_digest_filter_contains (const TallDigestFilter *self,
                                      const guint8 digest[TALL_DIGEST_SIZE]);

G_END_DECLS
