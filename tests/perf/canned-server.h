/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

G_BEGIN_DECLS

/**
 * TallCannedServer:
 *
 * A bare threaded socket service that answers every request of a known length with the same bytes:
 * the floor of tallorder's server.
 */
typedef struct _TallCannedServer TallCannedServer;

TallCannedServer *tall_canned_server_new (gsize request_len,
                                          TallSlice reply,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_canned_server_free (TallCannedServer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallCannedServer, tall_canned_server_free)

const char *tall_canned_server_get_address (TallCannedServer *self);

G_END_DECLS
