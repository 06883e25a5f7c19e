/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <thrift/c_glib/protocol/thrift_protocol.h>
#include <thrift/c_glib/thrift.h>
#include <thrift/c_glib/thrift_application_exception.h>
#include <thrift/c_glib/transport/thrift_transport.h>

#include "wire/transport.h"

G_BEGIN_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThriftProtocol, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThriftStruct, g_object_unref)

/* Thrift's own protocols over a transport of ours: what tests compare ours with. They trust
 * what they read. */
ThriftProtocol *tall_thrift_protocol_new (TallTransport *transport, gboolean compact);

G_END_DECLS
