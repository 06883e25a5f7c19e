/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cell/cell.h"
#include "table/hbase/idl.h"
#include "tall-error.h"

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

/**
 * TallHbaseReply:
 *
 * The rows of one reply or of several. An absent row is there in its place, without cells.
 */
typedef struct
{
  TallArena *arena;         /* holds keys and cells; not owned */
  TallArena *const *arenas; /* nullable: each row has its own, by position, if no more are read
                               than there are */
  GArray *rows;             /* of TallRow */
  gsize bytes;              /* about what the rows take */

  GArray *cells;  /* of TallCell: of the row that is being read */
  guint max_rows; /* likewise: as many as there may be */
} TallHbaseReply;

void tall_hbase_reply_init (TallHbaseReply *self, TallArena *arena);
void tall_hbase_reply_clear (TallHbaseReply *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallHbaseReply, tall_hbase_reply_clear)

gboolean tall_hbase_reply_read (TallHbaseReply *self,
                                TallTransport *transport,
                                TallHbaseMethodId method,
                                guint max_rows,
                                TallHbaseTIOError **io,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

static inline TallRow *
tall_hbase_reply_get_row (const TallHbaseReply *self, guint i)
{
  return &g_array_index (self->rows, TallRow, i);
}

/* Whether a row that was asked for by its key is that row, or absent. */
static inline gboolean
tall_hbase_reply_has_row (const TallHbaseReply *self, guint i, TallSlice key)
{
  const TallRow *row = tall_hbase_reply_get_row (self, i);
  return row->n_cells == 0 || tall_slice_equal (row->key, key);
}

char *tall_hbase_error_get_text (const TallHbaseTIOError *io);
gboolean tall_hbase_error_is_clear (const TallHbaseTIOError *io);
gboolean tall_hbase_error_is_garbled (const GError *reason);
void tall_hbase_error_set (GError **error,
                           GError *reason,
                           const TallHbaseTIOError *io,
                           const char *gateway);
void tall_hbase_error_set_no_table (GError **error, const char *table, const char *deployment);
void tall_hbase_error_set_disabled (GError **error, const char *table, const char *deployment);
