/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/protocol.h"
#include "wire/struct-type.h"

G_BEGIN_DECLS

void tall_struct_write (const TallStructType *type, gconstpointer object, ThriftProtocol *protocol);
gsize tall_struct_measure (const TallStructType *type, gconstpointer object, TallTransport *scale);

G_END_DECLS
