/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-transport.h"

G_BEGIN_DECLS

gboolean tall_dispatch (ThriftDispatchProcessor *processor,
                        ThriftProtocol *input,
                        ThriftProtocol *output,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
