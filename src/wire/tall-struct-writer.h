/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <thrift/c_glib/protocol/thrift_protocol.h>

#include "tall-struct-type.h"

G_BEGIN_DECLS

gboolean tall_struct_write (const TallStructType *type,
                            gconstpointer object,
                            ThriftProtocol *protocol,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
