/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/idl.h"
#include "cell/mutation.h"
#include "wire/transport.h"

G_BEGIN_DECLS

/**
 * TallHbaseCondition:
 *
 * A cell of a mutation's row and what it must be.
 */
typedef struct
{
  TallSlice qualifier;
  const TallSlice *expected; /* NULL: it must not exist */
} TallHbaseCondition;

gboolean tall_hbase_send_apply_if (TallTransport *transport,
                                   const char *table,
                                   const TallMutation *mutation,
                                   const TallHbaseCondition *condition,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_hbase_receive_apply_if (TallTransport *transport,
                                      const TallMutation *mutation,
                                      TallArena *arena,
                                      gboolean *matched,
                                      TallHbaseTIOError **io,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
