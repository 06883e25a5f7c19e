/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <thrift/c_glib/protocol/thrift_binary_protocol.h>
#include <thrift/c_glib/protocol/thrift_compact_protocol.h>

#include "wire/transport.h"

/**
 * TallBinaryProtocol, TallCompactProtocol:
 *
 * Thrift's own protocols, over a #TallTransport. They override only what trusts the other side:
 * what it announces is held against the bytes that are left before anything is taken for it. All
 * errors are %TALL_ERROR, and mark the transport as broken, because the place in the message is
 * lost.
 */
#define TALL_TYPE_BINARY_PROTOCOL (tall_binary_protocol_get_type ())
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThriftBinaryProtocol, g_object_unref)
G_DECLARE_FINAL_TYPE (
    TallBinaryProtocol, tall_binary_protocol, TALL, BINARY_PROTOCOL, ThriftBinaryProtocol)

#define TALL_TYPE_COMPACT_PROTOCOL (tall_compact_protocol_get_type ())
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThriftCompactProtocol, g_object_unref)
G_DECLARE_FINAL_TYPE (
    TallCompactProtocol, tall_compact_protocol, TALL, COMPACT_PROTOCOL, ThriftCompactProtocol)

ThriftProtocol *tall_protocol_get_reader (TallTransport *transport);
ThriftProtocol *tall_protocol_get_writer (TallTransport *transport);
ThriftProtocol *tall_protocol_get_plain (TallTransport *transport);

gboolean tall_protocol_lend_bytes (ThriftProtocol *self,
                                   TallSlice *bytes,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_protocol_skip (ThriftProtocol *self,
                             ThriftType type,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallRecognized tall_protocol_recognize (TallSlice start, ThriftMessageType *type);
