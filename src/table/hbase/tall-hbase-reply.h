/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-cell.h"
#include "tall-hbase-types.h"

G_BEGIN_DECLS

/**
 * TallHbaseReplyKind:
 * @TALL_HBASE_REPLY_ONE: of `get`: one `TResult`
 * @TALL_HBASE_REPLY_LIST: of `getMultiple` and `getScannerResults`: a list of them
 */
typedef enum
{
  TALL_HBASE_REPLY_ONE,
  TALL_HBASE_REPLY_LIST,
} TallHbaseReplyKind;

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

  GArray *cells; /* of TallCell: of the row that is being read */
} TallHbaseReply;

void tall_hbase_reply_init (TallHbaseReply *self, TallArena *arena);
void tall_hbase_reply_clear (TallHbaseReply *self);

gboolean tall_hbase_reply_read (TallHbaseReply *self,
                                ThriftProtocol *protocol,
                                TallHbaseReplyKind kind,
                                guint max_rows,
                                HbTIOError **io,
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

G_END_DECLS
