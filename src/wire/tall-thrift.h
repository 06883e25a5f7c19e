/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <thrift/c_glib/thrift.h>
#include <thrift/c_glib/thrift_application_exception.h>
#include <thrift/c_glib/processor/thrift_dispatch_processor.h>
#include <thrift/c_glib/protocol/thrift_protocol.h>
#include <thrift/c_glib/transport/thrift_transport.h>

G_BEGIN_DECLS

/* The cleanup functions for g_autoptr, which Thrift C GLib lacks. */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThriftApplicationException, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThriftProcessor, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThriftProtocol, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThriftStruct, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThriftTransport, g_object_unref)

G_END_DECLS
