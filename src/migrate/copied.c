/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/copied.h"

#define FIRST_SIZE 1024 /* slots; a power of two, like all sizes */

/* Bytes of a state cell that are committed: a claim lies between them, with the token in whose
 * place is the mark of who made the row, where there are no claims. */
#define HEAD 44
#define MARK 52
#define MARK_SIZE 8
#define TAIL 68

struct _TallCopied
{
  guint64 seeds[2]; /* random: nobody can make two versions that look the same */
  guint64 most;

  GMutex mutex;   /* for all below */
  guint64 *slots; /* open addressing; 0: free */
  guint64 n_slots;
  guint64 n_used;
};

/**
 * tall_copied_new:
 * @most: versions that are remembered at most
 */
TallCopied *
tall_copied_new (guint64 most)
{
  TallCopied *self = g_new0 (TallCopied, 1);
  for (guint i = 0; i < G_N_ELEMENTS (self->seeds); i++)
    self->seeds[i] = ((guint64)g_random_int () << 32 | g_random_int ()) | 1;
  self->most = most;
  g_mutex_init (&self->mutex);
  self->n_slots = FIRST_SIZE;
  self->slots = g_new0 (guint64, self->n_slots);
  return self;
}

void
tall_copied_free (TallCopied *self)
{
  if (self == NULL)
    return;
  g_mutex_clear (&self->mutex);
  g_free (self->slots);
  g_free (self);
}

__extension__ typedef unsigned __int128 Wide;

/* Both halves of the product, folded into one. */
static guint64
mix (guint64 a, guint64 b)
{
  Wide product = (Wide)a * b;
  return (guint64)product ^ (guint64)(product >> 64);
}

static guint64
add_bytes (const TallCopied *self, guint64 mark, const guint8 *bytes, gsize len)
{
  for (; len > 0;)
    {
      guint64 word = 0;
      gsize n = MIN (len, sizeof word);
      memcpy (&word, bytes, n);
      mark = mix (mark ^ word, self->seeds[0] ^ mark);
      bytes += n;
      len -= n;
    }
  return mix (mark ^ self->seeds[1], self->seeds[0]);
}

/**
 * tall_copied_make_mark:
 * @row: the key of a root row
 * @root: what it says
 * @with_mark: whether that of who made the row is copied, too
 *
 * Returns: a number that differs for whatever is to be copied in another way; not 0
 */
guint64
tall_copied_make_mark (const TallCopied *self,
                       TallSlice row,
                       const TallRoot *root,
                       TallSlice summary,
                       gboolean with_mark)
{
  guint64 mark = self->seeds[1] + row.len;
  mark = add_bytes (self, mark, row.data, row.len);
  mark = add_bytes (self, mark, root->bytes, HEAD);
  if (with_mark)
    mark = add_bytes (self, mark, root->bytes + MARK, MARK_SIZE);
  mark = add_bytes (self, mark, root->bytes + TAIL, TALL_STATE_SIZE - TAIL);
  mark = add_bytes (self, mark, summary.data, summary.len);
  return mark != 0 ? mark : 1;
}

static guint64
mark_place (const TallCopied *self, guint64 mark, const char *table, TallSlice row)
{
  const TallSlice name = tall_slice_str (table);
  mark = add_bytes (self, mark ^ name.len, name.data, name.len);
  mark = add_bytes (self, mark ^ row.len, row.data, row.len);
  return mark != 0 ? mark : 1;
}

/* The slot of @mark, or the free one where it belongs. With the mutex held. */
static guint64 *
find_slot (const TallCopied *self, guint64 mark)
{
  guint64 i = mark & (self->n_slots - 1);
  while (self->slots[i] != 0 && self->slots[i] != mark)
    i = (i + 1) & (self->n_slots - 1);
  return &self->slots[i];
}

/* With the mutex held. */
static void
grow (TallCopied *self)
{
  guint64 *old = self->slots;
  guint64 n_old = self->n_slots;
  self->n_slots *= 2;
  self->slots = g_new0 (guint64, self->n_slots);
  for (guint64 i = 0; i < n_old; i++)
    if (old[i] != 0)
      *find_slot (self, old[i]) = old[i];
  g_free (old);
}

/* With the mutex held. */
static void
add (TallCopied *self, guint64 mark)
{
  guint64 *slot = find_slot (self, mark);
  if (*slot != 0)
    return;
  *slot = mark;
  if (++self->n_used * 4 > self->n_slots * 3)
    grow (self);
}

/**
 * tall_copied_find:
 * @found: (out caller-allocates): @n flags
 */
void
tall_copied_find (TallCopied *self, const guint64 *marks, guint n, gboolean *found)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  for (guint i = 0; i < n; i++)
    found[i] = *find_slot (self, marks[i]) != 0;
}

void
tall_copied_add (TallCopied *self, const guint64 *marks, guint n)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  for (guint i = 0; i < n && self->n_used < self->most; i++)
    add (self, marks[i]);
}

/**
 * tall_copied_claim:
 * @table: static, with @row in the target
 * @from_table: static, with @from_row in the source
 *
 * Remembers that a row of the target is that of a row of the source. The first one that asks for it
 * keeps it, whatever becomes of its copy, and whoever writes over it meanwhile.
 *
 * Returns: FALSE if it is that of another one. Where no more can be remembered, only rows that were
 *   claimed before are told apart
 */
gboolean
tall_copied_claim (
    TallCopied *self, const char *table, TallSlice row, const char *from_table, TallSlice from_row)
{
  guint64 place = mark_place (self, self->seeds[1], table, row);
  guint64 pair = mark_place (self, place, from_table, from_row);
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  if (*find_slot (self, place) != 0)
    return *find_slot (self, pair) != 0;
  if (self->n_used + 2 > self->most)
    return TRUE;
  add (self, place);
  add (self, pair);
  return TRUE;
}
