/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/connection.h"
#include "service/calls/calls.h"

/**
 * TallClientPool:
 *
 * Connections to one server that are kept for the next call. Any thread may use it.
 */
typedef struct _TallClientPool TallClientPool;

TallClientPool *tall_client_pool_new (const char *address);
void tall_client_pool_free (TallClientPool *self);
void tall_client_pool_set_tls (TallClientPool *self, TallTlsContext *tls);
gboolean tall_client_pool_has_tls (TallClientPool *self);

const char *tall_client_pool_get_address (TallClientPool *self);

/**
 * TallClientCall:
 *
 * One call of a client, with the tries that it takes.
 */
typedef struct
{
  TallClientPool *pool;
  const TallIdlCall *call;
  const TallIdlArgs *args;
  const char *operation; /* what messages begin with; NULL: what the call does */
  gboolean is_write;     /* has a token; a lost answer leaves the outcome unknown */
  gboolean repeatable;   /* a write that does no harm if it is sent again after it was done */
  gint64 deadline;       /* microseconds of g_get_monotonic_time() */
  TallArena *arena;      /* of the result */
  gpointer success;      /* what a success is read into; NULL: the arena */
  TallIdlResult result;  /* filled */
  gboolean maybe_done;   /* a try has left whose answer did not come */
} TallClientCall;

gboolean tall_client_call_run (TallClientCall *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_client_call_take_failure (const TallClientCall *self,
                                    const char *operation,
                                    const TallIdlFailure *failure,
                                    GError **error);
