/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/server/request-id.h"

/* Eight digits of the process, a hyphen, and the number of the request in it. */
#define SIZE 32

static _Thread_local gsize number; /* 0: the thread works on none */
static _Thread_local char text[SIZE];
static gsize n_begun; /* atomic */
static gsize process; /* random, so that two starts of a server differ */

/**
 * tall_request_id_begin:
 *
 * Gives a request its id: the calling thread works on it until tall_request_id_end().
 */
void
tall_request_id_begin (void)
{
  number = (gsize)g_atomic_pointer_add (&n_begun, 1) + 1;
}

void
tall_request_id_end (void)
{
  number = 0;
}

/**
 * tall_request_id_get:
 *
 * Returns: (transfer none) (nullable): the id of the request that this thread works on, until it
 *   works on another; NULL: none
 */
const char *
tall_request_id_get (void)
{
  if (number == 0)
    return NULL;
  if (g_once_init_enter (&process))
    g_once_init_leave (&process, (gsize)g_random_int () | ((gsize)1 << 32));
  g_snprintf (text, sizeof text, "%08x-%" G_GSIZE_FORMAT, (guint32)process, number);
  return text;
}
