/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-md5.h"

G_BEGIN_DECLS

/**
 * TallDigestSet:
 *
 * A set of MD5 digests: which orders a load has met. It takes 16 bytes a slot and keeps between
 * three eighths and three quarters of its slots full: 21 to 43 bytes an order, and for a moment,
 * while it grows, half as much again. Not thread-safe.
 */
typedef struct _TallDigestSet TallDigestSet;

TallDigestSet *tall_digest_set_new (void);
void tall_digest_set_free (TallDigestSet *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallDigestSet, tall_digest_set_free)

gboolean tall_digest_set_add (TallDigestSet *self, const guint8 digest[TALL_MD5_SIZE]);
gboolean tall_digest_set_contains (const TallDigestSet *self, const guint8 digest[TALL_MD5_SIZE]);

G_END_DECLS
