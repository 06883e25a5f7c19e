/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"

G_BEGIN_DECLS

/**
 * TallRawClient:
 *
 * A plain blocking socket that sends prepared bytes and reads a reply of known length without
 * decoding it: the floor of every call over the network.
 */
typedef struct
{
  int fd;
  GByteArray *request; /* owned */
  GByteArray *reply;   /* owned: what every call is answered with */
  guint8 *buffer;      /* owned: of the length of @reply, for the one read last */
} TallRawClient;

#define TALL_RAW_CLIENT_INIT                                                                       \
  {                                                                                                \
    .fd = -1                                                                                       \
  }

gboolean tall_raw_client_open (TallRawClient *self,
                               const char *address,
                               TallSlice message,
                               gboolean framed,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_raw_client_set_request (TallRawClient *self, TallSlice message, gboolean framed);
gboolean tall_raw_client_call (TallRawClient *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_raw_client_check (const TallRawClient *self,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_raw_client_close (TallRawClient *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallRawClient, tall_raw_client_close)

G_END_DECLS
