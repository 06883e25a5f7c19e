/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

#include "tall-error.h"

/* Deadlines are absolute, in microseconds of g_get_monotonic_time(); G_MAXINT64: none. */

gboolean tall_address_parse (const char *address, char **host, guint16 *port, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

GSocket *tall_socket_connect (const char *address,
                              gint64 deadline,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_socket_prepare (GSocket *socket);
void tall_socket_limit_unsent (GSocket *socket, guint bytes);
void tall_socket_set_error (GError **error, int number);

gboolean tall_socket_wait (GSocket *socket, GIOCondition condition, gint64 deadline, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gssize tall_socket_receive (GSocket *socket,
                            gpointer buffer,
                            gsize size,
                            gint64 deadline,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_socket_send_all (GSocket *socket,
                               const guint8 *data,
                               gsize len,
                               gint64 deadline,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_socket_is_quiet (GSocket *socket);
gboolean tall_socket_has_input (GSocket *socket);
void tall_socket_shut (GSocket *socket, gboolean also_writing);
