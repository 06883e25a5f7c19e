/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/connection.h"

G_BEGIN_DECLS

/**
 * TallClientPool:
 *
 * Connections to one server that are kept for the next call. Any thread may use it.
 */
typedef struct _TallClientPool TallClientPool;

TallClientPool *tall_client_pool_new (const char *address);
void tall_client_pool_free (TallClientPool *self);
void tall_client_pool_set_tls (TallClientPool *self, TallTlsContext *tls);
gboolean tall_client_pool_has_tls (TallClientPool *self);

const char *tall_client_pool_get_address (TallClientPool *self);
TallConnection *tall_client_pool_take_kept (TallClientPool *self);
TallConnection *tall_client_pool_open (TallClientPool *self,
                                       gint64 deadline,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_client_pool_keep (TallClientPool *self, TallConnection *connection);

G_END_DECLS
