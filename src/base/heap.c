/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/heap.h"

#include <fcntl.h>
#include <malloc.h>
#include <string.h>
#include <unistd.h>

/* Bytes from which the C library maps a piece on its own, and unmaps it when it is freed; and bytes
 * that are free at the end of a heap before they are given back. Without a call it raises both, to
 * 32 and 64 MiB, as large pieces are freed. Less would cost an order of 1 MiB half as much again:
 * the system clears all memory that it gives. */
#define MAPPED (1024 * 1024)
#define END_OF_HEAP (8 * 1024 * 1024)

/* Heaps of the C library for each processor, instead of 8: one keeps what is freed below a piece
 * that is still used. */
#define HEAPS_OF_PROCESSOR 2

/* Bytes that the process grows by before freed memory is given back. */
#define GROWTH ((gsize)128 * 1024 * 1024)

/* Microseconds from one look at the size of the process to the next. */
#define PAUSE 2000

static GMutex mutex;     /* of what follows */
static int statm = -1;   /* /proc/self/statm; -1: not bound, or there is none */
static gint64 next_look; /* of g_get_monotonic_time() */
static gsize least;      /* bytes that the process had at least since memory was given back */

/**
 * tall_heap_bound:
 *
 * Has the process give freed memory back to the system, so that what it has stays near what it
 * uses. For a process with many threads that use much memory now and then; to be called before it
 * has them.
 */
void
tall_heap_bound (void)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  mallopt (M_MMAP_THRESHOLD, MAPPED);
  mallopt (M_TRIM_THRESHOLD, END_OF_HEAP);
  mallopt (M_ARENA_MAX, (int)g_get_num_processors () * HEAPS_OF_PROCESSOR);
  if (statm < 0)
    statm = open ("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  least = G_MAXSIZE;
}

/* Returns: bytes of the process that are in memory; 0: nobody knows */
static gsize
measure (void)
{
  char text[128];
  gssize len = pread (statm, text, sizeof text - 1, 0);
  if (len <= 0)
    return 0;
  text[len] = '\0';
  const char *resident = strchr (text, ' ');
  if (resident == NULL)
    return 0;
  return g_ascii_strtoull (resident, NULL, 10) * (gsize)sysconf (_SC_PAGESIZE);
}

/**
 * tall_heap_look:
 *
 * Gives freed memory back if the process has grown much. Whoever has freed much calls it; it costs
 * little, and nothing without tall_heap_bound().
 */
void
tall_heap_look (void)
{
  gint64 now = g_get_monotonic_time ();
  if (!g_mutex_trylock (&mutex))
    return; /* another thread looks */
  if (statm >= 0 && now >= next_look)
    {
      gsize size = measure ();
      least = MIN (least, size);
      if (size > least + GROWTH)
        {
          malloc_trim (0);
          least = measure ();
        }
      next_look = g_get_monotonic_time () + PAUSE;
    }
  g_mutex_unlock (&mutex);
}
