/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/idl.h"

G_BEGIN_DECLS

/* The gateway could not run the call: Thrift's own answer, with its type as code. */
#define TALL_HBASE_EXCEPTION (tall_hbase_exception_quark ())
GQuark tall_hbase_exception_quark (void);

/**
 * TallHbaseReceiver:
 * @arena: takes what is read, also the error that the gateway declares
 * @handler: (nullable): takes the structs that the reply hands on
 * @sink: for @handler
 */
typedef struct
{
  TallArena *arena;
  const TallStructHandler *handler;
  gpointer sink;
} TallHbaseReceiver;

gboolean tall_hbase_send (TallTransport *transport,
                          TallHbaseMethodId method,
                          const TallHbaseArgs *args,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_hbase_receive (TallTransport *transport,
                             TallHbaseMethodId method,
                             const TallHbaseReceiver *receiver,
                             TallHbaseResult *result,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_hbase_exchange (TallTransport *transport,
                              TallHbaseMethodId method,
                              const TallHbaseArgs *args,
                              const TallHbaseReceiver *receiver,
                              TallHbaseResult *result,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
