/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-heap.h"

#include <errno.h>
#include <malloc.h>

/* The C library's own, under the names by which it can still be reached. */
void *__libc_malloc (size_t size);
void *__libc_calloc (size_t n, size_t size);
void *__libc_realloc (void *data, size_t size);
void *__libc_memalign (size_t alignment, size_t size);
void __libc_free (void *data);

/* What stands in their place, for the libraries, too. */
#define REPLACES(name) __asm__(name) __attribute__ ((visibility ("default")))

void *heap_malloc (size_t size) REPLACES ("malloc");
void *heap_calloc (size_t n, size_t size) REPLACES ("calloc");
void *heap_realloc (void *data, size_t size) REPLACES ("realloc");
void *heap_memalign (size_t alignment, size_t size) REPLACES ("memalign");
void *heap_aligned_alloc (size_t alignment, size_t size) REPLACES ("aligned_alloc");
int heap_posix_memalign (void **data, size_t alignment, size_t size) REPLACES ("posix_memalign");
void heap_free (void *data) REPLACES ("free");

static gssize now, most, before; /* bytes; the first two are atomic */

static void
count (gssize change)
{
  gssize size = __atomic_add_fetch (&now, change, __ATOMIC_RELAXED);
  gssize known = __atomic_load_n (&most, __ATOMIC_RELAXED);
  while (size > known
         && !__atomic_compare_exchange_n (&most, &known, size, TRUE, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED))
    continue;
}

static void *
add (void *data)
{
  if (data != NULL)
    count ((gssize)malloc_usable_size (data));
  return data;
}

void *
heap_malloc (size_t size)
{
  return add (__libc_malloc (size));
}

void *
heap_calloc (size_t n, size_t size)
{
  return add (__libc_calloc (n, size));
}

void *
heap_realloc (void *data, size_t size)
{
  gssize old = data != NULL ? (gssize)malloc_usable_size (data) : 0;
  void *moved = __libc_realloc (data, size);
  if (moved != NULL || size == 0)
    count (-old);
  return add (moved);
}

void *
heap_memalign (size_t alignment, size_t size)
{
  return add (__libc_memalign (alignment, size));
}

void *
heap_aligned_alloc (size_t alignment, size_t size)
{
  return heap_memalign (alignment, size);
}

int
heap_posix_memalign (void **data, size_t alignment, size_t size)
{
  *data = heap_memalign (alignment, size);
  return *data != NULL ? 0 : ENOMEM;
}

void
heap_free (void *data)
{
  if (data != NULL)
    count (-(gssize)malloc_usable_size (data));
  __libc_free (data);
}

void
tall_heap_begin (void)
{
  before = __atomic_load_n (&now, __ATOMIC_RELAXED);
  __atomic_store_n (&most, before, __ATOMIC_RELAXED);
}

gsize
tall_heap_end (void)
{
  gssize after = __atomic_load_n (&now, __ATOMIC_RELAXED);
  gssize size = __atomic_load_n (&most, __ATOMIC_RELAXED) - MAX (before, after);
  return (gsize)MAX (size, 0);
}
