/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What was freed within a server goes back to the system with one of the next calls. */
#include "base/heap.h"
#include "tall-test-service.h"
#include "tall-must.h"

#include <string.h>
#include <unistd.h>

#define MIB ((gsize)1024 * 1024)
#define PIECE 4000
#define N_PIECES (256 * MIB / PIECE)
#define PAUSE 3000 /* microseconds: longer than from one look to the next */

/* Returns: bytes of the process that are in memory */
static gsize
measure (void)
{
  g_autofree char *text = NULL;
  must (g_file_get_contents ("/proc/self/statm", &text, NULL, &error));
  return g_ascii_strtoull (strchr (text, ' '), NULL, 10) * (gsize)sysconf (_SC_PAGESIZE);
}

/* Takes much and frees all of it but the last piece, which keeps the C library from giving it back
 * by itself. Returns: (transfer full): that piece */
static gpointer
grow (void)
{
  g_autofree gpointer *pieces = g_new (gpointer, N_PIECES);
  for (gsize i = 0; i < N_PIECES; i++)
    {
      pieces[i] = g_malloc (PIECE);
      memset (pieces[i], 'x', PIECE);
    }
  for (gsize i = 0; i + 1 < N_PIECES; i++)
    g_free (pieces[i]);
  return pieces[N_PIECES - 1];
}

static void
call (TallTestService *service)
{
  g_usleep (PAUSE);
  tall_test_service_assert_works (service);
}

static void
test_given_back (void)
{
  TallTestService service;
  tall_test_service_start (&service, NULL);
  call (&service); /* the server has seen how small the process is */
  gsize before = measure ();
  g_autofree gpointer last = grow ();
  g_assert_cmpuint (measure (), >, before + 200 * MIB);

  /* The client has its answer a moment before the server looks. */
  gint64 patience = g_get_monotonic_time () + 60 * G_TIME_SPAN_SECOND;
  while (measure () > before + 100 * MIB && g_get_monotonic_time () < patience)
    call (&service);
  g_assert_cmpuint (measure (), <=, before + 100 * MIB);
  tall_test_service_stop (&service);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  tall_heap_bound ();
  g_test_add_func ("/service/given-back/after-a-call", test_given_back);
  return g_test_run ();
}
