/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-arena.h"

#define ALIGNMENT 8
#define MAX_BLOCK (256 * 1024)
#define USUAL_BLOCK 1024 /* bytes, headers included: glibc keeps freed pieces of this size */

typedef struct _Block Block;
struct _Block
{
  Block *next;
  gsize size; /* bytes of data */
  gsize used;
  gboolean apart; /* it holds one piece and never another */
  guint64 data[]; /* 64-bit elements for their alignment */
};

typedef struct _Owned Owned;
struct _Owned
{
  Owned *next;
  gpointer data;
  GDestroyNotify destroy;
};

typedef struct _List List;
struct _List
{
  List *next;
  gpointer *elements;
  gsize room; /* elements that it has room for */
};

struct _TallArena
{
  Block *block; /* the one that has room, then the full ones */
  Owned *owned; /* foreign things that die with the arena */
  List *lists;  /* those that were appended to, the latest first */
};

static Block *
block_new (gsize size, Block *next)
{
  Block *block = g_malloc (sizeof (Block) + size);
  block->next = next;
  block->size = size;
  block->used = 0;
  block->apart = FALSE;
  return block;
}

/**
 * tall_arena_new:
 * @first_block: bytes to allocate at first; 0 for the usual amount
 */
TallArena *
tall_arena_new (gsize first_block)
{
  if (first_block == 0)
    first_block = USUAL_BLOCK - sizeof (Block) - sizeof (TallArena);
  first_block += sizeof (TallArena);

  /* The arena itself is the first piece of its first block: one malloc for a small order. */
  Block *block = block_new (first_block, NULL);
  TallArena *self = (TallArena *)block->data;
  block->used = sizeof (TallArena);
  self->block = block;
  self->owned = NULL;
  self->lists = NULL;
  return self;
}

/**
 * tall_arena_reset:
 *
 * Frees everything that was given out, and everything that is owned. The arena can be used again,
 * with its first block.
 */
void
tall_arena_reset (TallArena *self)
{
  Block *first = (Block *)((char *)self - offsetof (Block, data));
  for (Owned *owned = self->owned; owned != NULL; owned = owned->next)
    owned->destroy (owned->data);

  for (Block *block = self->block; block != NULL;)
    {
      Block *next = block->next;
      if (block != first)
        g_free (block);
      block = next;
    }
  first->next = NULL;
  first->used = sizeof (TallArena);
  self->block = first;
  self->owned = NULL;
  self->lists = NULL;
}

void
tall_arena_free (TallArena *self)
{
  if (self == NULL)
    return;
  tall_arena_reset (self);
  g_free (self->block);
}

/* A piece that needs more than the next block gets one of its own. */
static gpointer
arena_grow (TallArena *self, gsize size)
{
  gsize next = MIN (self->block->size * 2, MAX_BLOCK);
  if (size > next)
    return tall_arena_alloc_apart (self, size);
  Block *block = block_new (next, self->block);
  block->used = size;
  self->block = block;
  return block->data;
}

/**
 * tall_arena_alloc:
 *
 * Returns: (transfer none): @size bytes, not set to anything
 */
gpointer
tall_arena_alloc (TallArena *self, gsize size)
{
  g_assert (size <= G_MAXSIZE / 2);
  size = (size + ALIGNMENT - 1) & ~(gsize)(ALIGNMENT - 1);

  Block *block = self->block;
  if (size > block->size - MIN (block->used, block->size))
    return arena_grow (self, size);

  gpointer piece = (char *)block->data + block->used;
  block->used += size;
  return piece;
}

/**
 * tall_arena_alloc_apart:
 *
 * Returns: (transfer none): @size bytes in a block of their own, which can be freed early
 */
gpointer
tall_arena_alloc_apart (TallArena *self, gsize size)
{
  /* the newest block keeps the room that it has */
  Block *own = block_new (size, self->block->next);
  own->used = size;
  own->apart = TRUE;
  self->block->next = own;
  return own->data;
}

/**
 * tall_arena_free_apart:
 * @piece: (nullable): a piece of the arena
 *
 * Frees it if it lies in a block of its own; other pieces stay.
 */
void
tall_arena_free_apart (TallArena *self, gpointer piece)
{
  for (Block *before = self->block; before->next != NULL; before = before->next)
    if (before->next->apart && before->next->data == piece)
      {
        Block *own = before->next;
        before->next = own->next;
        g_free (own);
        return;
      }
}

gpointer
tall_arena_alloc0 (TallArena *self, gsize size)
{
  return memset (tall_arena_alloc (self, size), 0, size);
}

gpointer
tall_arena_memdup (TallArena *self, gconstpointer data, gsize size)
{
  gpointer copy = tall_arena_alloc (self, size);
  if (size > 0)
    memcpy (copy, data, size);
  return copy;
}

/**
 * tall_arena_strdup:
 * @text: (nullable):
 *
 * Returns: (nullable) (transfer none): a copy; NULL for NULL
 */
char *
tall_arena_strdup (TallArena *self, const char *text)
{
  return text == NULL ? NULL : tall_arena_memdup (self, text, strlen (text) + 1);
}

/**
 * tall_arena_strndup:
 *
 * Returns: (transfer none): a copy of exactly @len bytes and a NUL after them
 */
char *
tall_arena_strndup (TallArena *self, const char *text, gsize len)
{
  char *copy = tall_arena_alloc (self, len + 1);
  if (len > 0)
    memcpy (copy, text, len);
  copy[len] = '\0';
  return copy;
}

char *
tall_arena_printf (TallArena *self, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  return tall_arena_strdup (self, text);
}

static List *
add_list (TallArena *self)
{
  List *list = tall_arena_new0 (self, List);
  list->next = self->lists;
  return self->lists = list;
}

/* Returns: the list, put to the front; a new one without room if it was not made here */
static List *
find_list (TallArena *self, gconstpointer elements)
{
  List **at = &self->lists;
  while (*at != NULL && (*at)->elements != elements)
    at = &(*at)->next;

  List *found = *at;
  if (found == NULL)
    return add_list (self);
  *at = found->next;
  found->next = self->lists;
  return self->lists = found;
}

/**
 * tall_arena_append:
 * @list: (inout): the place of a pointer to an array of pointers; NULL if it is empty
 * @n: (inout): how many they are
 *
 * Appends @element. An array that is full, or was not made here, is copied to a larger one first.
 */
void
tall_arena_append (TallArena *self, gpointer list, gsize *n, gpointer element)
{
  gpointer *elements;
  memcpy (&elements, list, sizeof elements);
  List *known = elements != NULL ? find_list (self, elements) : add_list (self);
  if (*n >= known->room)
    {
      known->room = MAX (4, 2 * *n);
      known->elements = tall_arena_newa0 (self, gpointer, known->room);
      if (*n > 0)
        memcpy (known->elements, elements, *n * sizeof *elements);
      memcpy (list, &known->elements, sizeof elements);
    }
  known->elements[(*n)++] = element;
}

/**
 * tall_arena_get_size:
 *
 * Returns: bytes that the arena takes, those not given out included, foreign things not
 */
gsize
tall_arena_get_size (const TallArena *self)
{
  gsize size = 0;
  for (const Block *block = self->block; block != NULL; block = block->next)
    size += sizeof (Block) + block->size;
  return size;
}

/**
 * tall_arena_own:
 * @data: (transfer full): something that was not allocated here
 *
 * Frees @data with @destroy when the arena is freed, so that slices may point into it.
 */
void
tall_arena_own (TallArena *self, gpointer data, GDestroyNotify destroy)
{
  Owned *owned = tall_arena_new0 (self, Owned);
  owned->next = self->owned;
  owned->data = data;
  owned->destroy = destroy;
  self->owned = owned;
}
