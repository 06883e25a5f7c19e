/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-digest-set.h"

#define INITIAL_SLOTS 1024

/* Open addressing with linear probing. A slot of zeros is empty; the digest of zeros, should it
 * ever come, is remembered apart. */
struct _TallDigestSet
{
  guint8 (*slots)[TALL_MD5_SIZE];
  gsize n_slots; /* a power of two */
  gsize n_used;
  gboolean has_zero;
};

static const guint8 zero[TALL_MD5_SIZE];

TallDigestSet *
tall_digest_set_new (void)
{
  TallDigestSet *self = g_new0 (TallDigestSet, 1);
  self->n_slots = INITIAL_SLOTS;
  self->slots = g_malloc0_n (self->n_slots, TALL_MD5_SIZE);
  return self;
}

void
tall_digest_set_free (TallDigestSet *self)
{
  if (self == NULL)
    return;
  g_free (self->slots);
  g_free (self);
}

/* The slot that holds @digest, or the empty one where it would go. */
static gsize
find_slot (const TallDigestSet *self, const guint8 digest[TALL_MD5_SIZE])
{
  guint64 hash;
  memcpy (&hash, digest, sizeof hash);
  gsize i = (gsize)hash & (self->n_slots - 1);
  while (memcmp (self->slots[i], zero, TALL_MD5_SIZE) != 0
         && memcmp (self->slots[i], digest, TALL_MD5_SIZE) != 0)
    i = (i + 1) & (self->n_slots - 1);
  return i;
}

static void
grow (TallDigestSet *self)
{
  guint8 (*old)[TALL_MD5_SIZE] = self->slots;
  gsize n_old = self->n_slots;
  self->n_slots *= 2;
  self->slots = g_malloc0_n (self->n_slots, TALL_MD5_SIZE);
  for (gsize i = 0; i < n_old; i++)
    if (memcmp (old[i], zero, TALL_MD5_SIZE) != 0)
      memcpy (self->slots[find_slot (self, old[i])], old[i], TALL_MD5_SIZE);
  g_free (old);
}

/**
 * tall_digest_set_add:
 *
 * Returns: TRUE if the digest was not in the set before
 */
gboolean
tall_digest_set_add (TallDigestSet *self, const guint8 digest[TALL_MD5_SIZE])
{
  if (tall_digest_set_contains (self, digest))
    return FALSE;
  if (memcmp (digest, zero, TALL_MD5_SIZE) == 0)
    {
      self->has_zero = TRUE;
      return TRUE;
    }
  if ((self->n_used + 1) * 4 > self->n_slots * 3)
    grow (self);
  memcpy (self->slots[find_slot (self, digest)], digest, TALL_MD5_SIZE);
  self->n_used++;
  return TRUE;
}

gboolean
tall_digest_set_contains (const TallDigestSet *self, const guint8 digest[TALL_MD5_SIZE])
{
  if (memcmp (digest, zero, TALL_MD5_SIZE) == 0)
    return self->has_zero;
  return memcmp (self->slots[find_slot (self, digest)], digest, TALL_MD5_SIZE) == 0;
}
