/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-request-id.h"

/* Eight digits of the process, a hyphen, and the number of the request in it. */
#define SIZE 32

static _Thread_local char current[SIZE]; /* empty: the thread works on none */
static gsize n_begun;                    /* atomic */
static gsize process;                    /* random, so that two starts of a server differ */

/**
 * tall_request_id_begin:
 *
 * Gives a request its id: the calling thread works on it until tall_request_id_end().
 */
void
tall_request_id_begin (void)
{
  if (g_once_init_enter (&process))
    g_once_init_leave (&process, (gsize)g_random_int () | ((gsize)1 << 32));
  gsize number = (gsize)g_atomic_pointer_add (&n_begun, 1) + 1;
  g_snprintf (current, sizeof current, "%08x-%" G_GSIZE_FORMAT, (guint32)process, number);
}

void
tall_request_id_end (void)
{
  current[0] = '\0';
}

/**
 * tall_request_id_get:
 *
 * Returns: (transfer none) (nullable): the id of the request that this thread works on; NULL: none
 */
const char *
tall_request_id_get (void)
{
  return current[0] != '\0' ? current : NULL;
}
