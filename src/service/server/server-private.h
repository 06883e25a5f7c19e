/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "service/server/server.h"

G_BEGIN_DECLS

/* Connections that are served now. Only tests ask. */
guint tall_server_count_connections (TallServer *self);

/* Requests that wait for memory now. Only tests ask. */
guint tall_server_count_waiting (TallServer *self);

/* Bytes that calls hold now. Only tests ask. */
gsize tall_server_get_memory_used (TallServer *self);

G_END_DECLS
