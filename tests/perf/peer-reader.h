/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/hbase/table.h"
#include "table/table.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * TallPeerReader:
 *
 * Another program that fetches the rows of an order from HBase, such as tools/hbase/reader, which
 * says what commands it takes. Zero before it is opened.
 */
typedef struct
{
  char *program;            /* owned */
  GSubprocess *process;     /* owned */
  GOutputStream *input;     /* its standard input */
  GDataInputStream *output; /* owned */
  char *digest;             /* owned: of what it has to find */
} TallPeerReader;

gboolean tall_peer_reader_open (TallPeerReader *self,
                                const char *program,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_peer_reader_plan (TallPeerReader *self,
                                const TallHbaseOptions *options,
                                TallTable *table,
                                const TallReadPlan *plan,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean
tall_peer_reader_run (TallPeerReader *self, guint n, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_peer_reader_check (TallPeerReader *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_peer_reader_close (TallPeerReader *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallPeerReader, tall_peer_reader_close)

G_END_DECLS
