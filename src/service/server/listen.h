/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

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

G_END_DECLS
