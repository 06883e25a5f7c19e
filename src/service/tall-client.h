/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-front.h"

TALL_BEGIN_API

/**
 * TallClient:
 *
 * The front of a server elsewhere: each of its calls is one call of `idl/tallorder.thrift`. Any
 * thread may use it; threads that call at the same time use connections of their own, which are
 * kept for later calls.
 *
 * Beyond the errors that the server gives: %TALL_ERROR_UNAVAILABLE if it cannot be reached, and
 * nothing was done; %TALL_ERROR_TIMED_OUT if a read got no answer in time;
 * %TALL_ERROR_OUTCOME_UNKNOWN if a write was sent and its answer did not come.
 *
 * A call whose kept connection turns out closed is sent again once, on a new one: reads; writes
 * that cannot have arrived; and writes with %TALL_IF_REVISION, which can be done once only. Any
 * other write is sent once, because a second copy could be done after, and over, what others wrote
 * since.
 */
#define TALL_TYPE_CLIENT (tall_client_get_type ())
G_DECLARE_FINAL_TYPE (TallClient, tall_client, TALL, CLIENT, TallFront)

/* Before the address of a server whose connections are encrypted. */
#define TALL_CLIENT_TLS "tls://"

TallFront *tall_client_new (const char *address, GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_client_use_tls (TallClient *self,
                              const char *ca,
                              const char *certificate,
                              const char *key,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean
tall_client_check (TallClient *self, guint milliseconds, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_client_set_timeout (TallClient *self, guint milliseconds);

TALL_END_API
