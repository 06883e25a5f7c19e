/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-token.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* Random bytes of a thread, for several tokens, as asking the kernel takes a while. */
typedef struct
{
  gint n_forks; /* of the process that they are of */
  guint n_left; /* tokens */
  guint8 bytes[16][TALL_TOKEN_SIZE];
} Stock;

static _Thread_local Stock stock;

/* Between this process and the one that registered count_fork(); atomic. */
static gint n_forks;

static void
count_fork (void)
{
  g_atomic_int_inc (&n_forks);
}

static void
fill_stock (void)
{
  static gsize registered;
  if (g_once_init_enter (&registered))
    {
      if (pthread_atfork (NULL, NULL, count_fork) != 0)
        g_error ("There is no memory to note that a process forks");
      g_once_init_leave (&registered, 1);
    }
  if (getentropy (stock.bytes, sizeof stock.bytes) != 0)
    g_error ("The kernel gives no random bytes: %s", g_strerror (errno));
  stock.n_forks = g_atomic_int_get (&n_forks);
  stock.n_left = G_N_ELEMENTS (stock.bytes);
}

/**
 * tall_token_make:
 * @token: (out caller-allocates): a UUID of version 4 (RFC 9562)
 *
 * Makes a unique token. It identifies a write that is sent twice, and the writer of a claim. Its
 * random bytes come from the kernel, and a child does not use those of its parent, so no two
 * processes make the same token, whenever they started. Any thread.
 */
void
tall_token_make (guint8 token[TALL_TOKEN_SIZE])
{
  if (stock.n_left == 0 || stock.n_forks != g_atomic_int_get (&n_forks))
    fill_stock ();
  memcpy (token, stock.bytes[--stock.n_left], TALL_TOKEN_SIZE);
  token[6] = (token[6] & 0x0f) | 0x40;
  token[8] = (token[8] & 0x3f) | 0x80;
}
