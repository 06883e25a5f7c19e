/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/digest-filter.h"

#include <errno.h>
#include <sys/mman.h>

#define WORDS 8    /* of a block, which is a cache line */
#define PROBES 7   /* bits of a digest: 7 × 9 = 63 of 64 */
#define BIT_PART 9 /* bits that choose one of 512 */

struct _TallDigestFilter
{
  guint64 (*blocks)[WORDS];
  gsize n_blocks;
  gsize size; /* bytes */
};

/**
 * tall_digest_filter_new:
 * @bytes: that it takes at most, from 64: pages that are not used take no memory
 */
TallDigestFilter *
tall_digest_filter_new (gsize bytes)
{
  TallDigestFilter *self = g_new0 (TallDigestFilter, 1);
  self->n_blocks = bytes / sizeof *self->blocks;
  self->size = self->n_blocks * sizeof *self->blocks;
  self->blocks =
      mmap (NULL, self->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (self->blocks == MAP_FAILED)
    g_error ("failed to allocate %" G_GSIZE_FORMAT " bytes: %s", bytes, g_strerror (errno));
  return self;
}

void
tall_digest_filter_free (TallDigestFilter *self)
{
  if (self == NULL)
    return;
  munmap (self->blocks, self->size);
  g_free (self);
}

/* The first half of a digest chooses the block, the second the bits in it. */
static void
find_bits (const TallDigestFilter *self,
           const guint8 digest[TALL_DIGEST_SIZE],
           gsize *block,
           guint64 masks[WORDS])
{
  guint64 halves[2];
  memcpy (halves, digest, sizeof halves);
  *block = (gsize)(halves[0] % self->n_blocks);
  memset (masks, 0, WORDS * sizeof *masks);
  for (guint i = 0; i < PROBES; i++, halves[1] >>= BIT_PART)
    masks[halves[1] / 64 % WORDS] |= G_GUINT64_CONSTANT (1) << halves[1] % 64;
}

/**
 * tall_digest_filter_add:
 *
 * Returns: TRUE if the digest was certainly not there before
 */
gboolean
tall_digest_filter_add (TallDigestFilter *self, const guint8 digest[TALL_DIGEST_SIZE])
{
  gsize block;
  guint64 masks[WORDS], missing = 0;
  find_bits (self, digest, &block, masks);
  for (guint i = 0; i < WORDS; i++)
    {
      missing |= masks[i] & ~self->blocks[block][i];
      self->blocks[block][i] |= masks[i];
    }
  return missing != 0;
}

/* FALSE if the digest is certainly not there. */
gboolean
tall_digest_filter_contains (const TallDigestFilter *self, const guint8 digest[TALL_DIGEST_SIZE])
{
  gsize block;
  guint64 masks[WORDS], missing = 0;
  find_bits (self, digest, &block, masks);
  for (guint i = 0; i < WORDS; i++)
    missing |= masks[i] & ~self->blocks[block][i];
  return missing == 0;
}
