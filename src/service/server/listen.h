/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "service/access/roles.h"
#include "service/calls/calls.h"
#include "wire/transport.h"

#include <gio/gio.h>

GSocketListener *tall_listen (const char *address,
                              char **bound,
                              gboolean *is_reachable,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallAcceptor:
 *
 * Takes the connections that come, on a thread of its own.
 */
typedef struct _TallAcceptor TallAcceptor;

/* Both run on that thread. A socket that nobody keeps is closed. */
typedef void (*TallAccepted) (gpointer data, GSocket *socket);
typedef void (*TallAcceptFailed) (gpointer data, const GError *error);

TallAcceptor *tall_acceptor_new (GSocketListener *listener,
                                 TallAccepted accepted,
                                 TallAcceptFailed failed,
                                 gpointer data);
void tall_acceptor_end (TallAcceptor *self);

/**
 * TallGate:
 *
 * Decides who may come in, and what each client may call. Any thread may use it. Its rules can be
 * replaced while connections are open: those keep their encryption, and each call is judged by the
 * new roles.
 */
typedef struct
{
  GMutex mutex;
  TallTlsContext *tls; /* NULL: nothing is encrypted, nobody says who it is */
  TallRoles *access;   /* NULL: no roles */
  gint generation;     /* atomic; another one when the rules were replaced */
} TallGate;

/**
 * TallVisitor:
 *
 * The client of one connection. It belongs to the thread that serves it.
 */
typedef struct
{
  TallGate *gate;
  gboolean is_local;               /* the client is on this machine */
  const TallTlsIdentity *identity; /* NULL: it has shown no certificate */
  TallRole role;                   /* as of … */
  gint generation;                 /* … the gate; 0: not yet known */
} TallVisitor;

void tall_gate_init (TallGate *self, TallTlsContext *tls, TallRoles *access);
void tall_gate_clear (TallGate *self);
void tall_gate_replace (TallGate *self, TallTlsContext *tls, TallRoles *access);
gint64 tall_gate_get_certificate_end (TallGate *self);

gboolean tall_gate_admit (TallGate *self,
                          TallVisitor *visitor,
                          TallTransport *transport,
                          gint64 deadline,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_visitor_may_call (TallVisitor *self,
                                const TallIdlCall *call,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_visitor_may_see_details (TallVisitor *self, const TallIdlCall *call);
