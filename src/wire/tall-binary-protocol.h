/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <thrift/c_glib/protocol/thrift_binary_protocol.h>

#include "tall-transport.h"

G_BEGIN_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThriftBinaryProtocol, g_object_unref)

/**
 * TallBinaryProtocol:
 *
 * Thrift's binary protocol over a #TallTransport, for messages that cannot be trusted.
 */
#define TALL_TYPE_BINARY_PROTOCOL (tall_binary_protocol_get_type ())
G_DECLARE_FINAL_TYPE (
    TallBinaryProtocol, tall_binary_protocol, TALL, BINARY_PROTOCOL, ThriftBinaryProtocol)

ThriftProtocol *tall_binary_protocol_new (TallTransport *transport);

G_END_DECLS
