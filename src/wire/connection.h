/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/transport.h"

G_BEGIN_DECLS

/**
 * TallConnection:
 *
 * A client's connection. It belongs to one thread at a time. After any error but those that the
 * interface declares it is broken and must be closed: what comes next on it may be the answer to
 * another call.
 */
#define TALL_TYPE_CONNECTION (tall_connection_get_type ())
G_DECLARE_FINAL_TYPE (TallConnection, tall_connection, TALL, CONNECTION, GObject)

TallConnection *tall_connection_open (const char *address,
                                      const TallWireOptions *options,
                                      gint64 deadline,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

TallTransport *tall_connection_get_transport (TallConnection *self);
const char *tall_connection_get_address (TallConnection *self);

void tall_connection_set_deadline (TallConnection *self, gint64 deadline);
gboolean tall_connection_has_delivered (TallConnection *self);

gboolean tall_connection_is_fit (TallConnection *self);
gboolean tall_connection_is_broken (TallConnection *self);
void tall_connection_break (TallConnection *self);

G_END_DECLS
