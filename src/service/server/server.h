/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "backup/runner.h"
#include "service/calls/call-stats.h"
#include "tall-front.h"
#include "migrate/migrate-runner.h"
#include "service/access/places.h"
#include "service/access/roles.h"
#include "wire/tls-context.h"

/**
 * TallServerOptions:
 *
 * What a server accepts from its clients. Zero means the usual value.
 */
typedef struct
{
  guint max_connections; /* at the same time, a thread each; usually 256 */

  /* Of one IPv4 address, or one IPv6 network of 64 bits; usually half of max_connections. */
  guint max_connections_per_address;

  /* (nullable) of GInetAddressMask, see tall_networks_parse(): addresses without that limit. */
  GPtrArray *trusted_proxies;

  /* (nullable): moves what the front shows to other tables, if an administrator asks for it. Must
   * stay until the server has stopped. */
  TallMigrateRunner *moves;

  /* (nullable): makes backups, if an administrator asks for one. Must stay until the server has
   * stopped. */
  TallBackupRunner *backups;

  /* Milliseconds of silence after which a connection may be closed when another one finds no
   * place; usually 1000. */
  guint idle_grace;

  guint idle_timeout; /* milliseconds of silence before a connection is closed; usually 300000 */
  guint transfer_timeout;  /* milliseconds for a request to arrive as a whole, and for a reply to be
                            * taken; usually 30000 */
  guint stop_timeout;      /* milliseconds that running calls get to finish; usually 10000 */
  gsize max_request;       /* bytes; usually 16 MiB */
  gsize max_memory;        /* bytes of all calls that are in work: requests, orders, replies; at
                            * least what one of max_request takes; usually 512 MiB */
  TallTlsContext *tls;     /* (nullable): a reference is taken; NULL: no encryption, which has to be
                            * wanted, by … */
  gboolean insecure;       /* … where other machines can reach the server */
  TallRoles *access;       /* (nullable): a reference is taken; NULL: no roles, so every client may
                            * read and write */
  guint slow_call;         /* milliseconds from which a call is logged as slow; usually 1000,
                            * G_MAXUINT: none is */
  guint handshake_timeout; /* milliseconds that a client gets for a TLS handshake; usually 5000 */
  guint memory_wait;       /* milliseconds that a call waits for its part of that, before it is
                            * answered %TALL_ERROR_OVERLOADED; usually 3000 */
} TallServerOptions;

/**
 * TallServerUsage:
 *
 * What a server has taken of what it may take, and what its connections came to.
 */
typedef struct
{
  guint n_open;            /* connections that are served now, those over a limit not counted */
  guint max_connections;   /* that may be */
  TallPlacesTotals totals; /* of connections, since the server began */
  guint64 n_broken;        /* connections that ended because of what came over them, or did not */
  guint64 n_distrusted;    /* connections that ended because one side refused a certificate, or
                            * missed one */
  gsize memory;            /* bytes that calls hold now */
  gsize max_memory;        /* bytes that they may hold */
  guint n_waiting;         /* calls that wait for memory now */
  gint64 certificate_end;  /* when its certificate ends, in seconds since 1970; 0 without TLS */
} TallServerUsage;

/**
 * TallServer:
 *
 * Offers a front to clients of `idl/tallorder.thrift`. Works on threads of its own, from when it is
 * made until it is stopped.
 */
#define TALL_TYPE_SERVER (tall_server_get_type ())
G_DECLARE_FINAL_TYPE (TallServer, tall_server, TALL, SERVER, GObject)

TallServer *tall_server_new (TallFront *front,
                             const char *address,
                             const TallServerOptions *options,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

const char *tall_server_get_address (TallServer *self);
gboolean tall_server_is_reachable (TallServer *self);
void tall_server_replace_rules (TallServer *self, TallTlsContext *tls, TallRoles *access);
gboolean tall_server_stop (TallServer *self);
void tall_server_get_usage (TallServer *self, TallServerUsage *usage);
TallCallStats *tall_server_get_stats (TallServer *self);

/* Connections that are served now. Only tests ask. */
guint tall_server_count_connections (TallServer *self);

/* Requests that wait for memory now. Only tests ask. */
guint tall_server_count_waiting (TallServer *self);

/* Bytes that calls hold now. Only tests ask. */
gsize tall_server_get_memory_used (TallServer *self);
