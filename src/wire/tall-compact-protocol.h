/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <thrift/c_glib/protocol/thrift_compact_protocol.h>

#include "tall-transport.h"

G_BEGIN_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThriftCompactProtocol, g_object_unref)

/**
 * TallCompactProtocol:
 *
 * Thrift's compact protocol over a #TallTransport, for messages that cannot be trusted.
 */
#define TALL_TYPE_COMPACT_PROTOCOL (tall_compact_protocol_get_type ())
G_DECLARE_FINAL_TYPE (
    TallCompactProtocol, tall_compact_protocol, TALL, COMPACT_PROTOCOL, ThriftCompactProtocol)

ThriftProtocol *tall_compact_protocol_new (TallTransport *transport);

G_END_DECLS
