/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/heap.h"
#include "tall-must.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>

#define MIB ((gsize)1024 * 1024)
#define N_THREADS 24
#define PIECE 4000
#define N_PIECES (64 * MIB / PIECE)
#define PAUSE 3000 /* microseconds: longer than from one look to the next */

/* Returns: bytes of the process that are in memory */
static gsize
measure (void)
{
  g_autofree char *text = NULL;
  must (g_file_get_contents ("/proc/self/statm", &text, NULL, &error));
  return g_ascii_strtoull (strchr (text, ' '), NULL, 10) * 4096;
}

static gsize
count_heaps (void)
{
  char line[256];
  gsize n = 0;
  FILE *stream = tmpfile ();
  g_assert_nonnull (stream);
  g_assert_cmpint (malloc_info (0, stream), ==, 0);
  rewind (stream);
  while (fgets (line, sizeof line, stream) != NULL)
    n += g_str_has_prefix (line, "<heap nr=") ? 1 : 0;
  fclose (stream);
  return n;
}

typedef struct
{
  GMutex mutex; /* one works at a time */
  gsize most;   /* bytes of the process, after any of them */
  gint n_done;  /* atomic */
  gint ending;  /* atomic */
} Work;

/* Frees all that it took but the last piece, which keeps the C library from giving back the others
 * by itself; and stays, so that the next thread gets another heap. */
static gpointer
work (gpointer data)
{
  Work *self = data;
  g_mutex_lock (&self->mutex);
  g_autofree gpointer *pieces = g_new (gpointer, N_PIECES);
  for (gsize i = 0; i < N_PIECES; i++)
    {
      pieces[i] = g_malloc (PIECE);
      memset (pieces[i], 'x', PIECE);
    }
  for (gsize i = 0; i + 1 < N_PIECES; i++)
    g_free (pieces[i]);
  g_usleep (PAUSE);
  tall_heap_look ();
  self->most = MAX (self->most, measure ());
  g_mutex_unlock (&self->mutex);
  g_atomic_int_inc (&self->n_done);
  while (!g_atomic_int_get (&self->ending))
    g_usleep (PAUSE);
  g_free (pieces[N_PIECES - 1]);
  return NULL;
}

/* Pieces that are large stay on their own when larger ones were freed. It comes first: later there
 * is room of that size in a heap. */
static void
check_mapped (void)
{
  g_free (g_malloc (8 * MIB));
  size_t n = mallinfo2 ().hblks;
  g_autofree gpointer piece = g_malloc (2 * MIB);
  g_assert_cmpuint (mallinfo2 ().hblks, ==, n + 1);
}

/* What many threads took one after the other does not add up. */
static void
test_given_back (void)
{
  Work all = { .most = 0 };
  GThread *threads[N_THREADS];
  check_mapped ();
  gsize before = measure ();
  g_mutex_init (&all.mutex);
  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("work", work, &all);
  while (g_atomic_int_get (&all.n_done) < N_THREADS)
    g_usleep (PAUSE);
  g_test_message ("%" G_GSIZE_FORMAT " MiB, %" G_GSIZE_FORMAT " before", all.most / MIB,
                  before / MIB);
  g_assert_cmpuint (all.most, <, before + 256 * MIB);
  g_assert_cmpuint (count_heaps (), <=, 2 * g_get_num_processors ());
  g_atomic_int_set (&all.ending, TRUE);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  g_mutex_clear (&all.mutex);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  tall_heap_bound ();
  g_test_add_func ("/base/heap/given-back", test_given_back);
  return g_test_run ();
}
