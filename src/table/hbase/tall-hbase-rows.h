/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-cell.h"
#include "tall-hbase-types.h"

G_BEGIN_DECLS

/**
 * TallHbaseRows:
 *
 * Rows that a gateway answered with, in its order: a row that is not there has no cells.
 */
typedef struct
{
  TallArena *arena; /* owned: of keys and cells */
  GArray *rows;     /* of TallRow */
  GArray *cells;    /* of TallCell: of the row that is being read */
  gsize bytes;      /* about what came over the wire */
} TallHbaseRows;

void tall_hbase_rows_init (TallHbaseRows *self);
void tall_hbase_rows_clear (TallHbaseRows *self);

gboolean tall_hbase_rows_receive (TallHbaseRows *self,
                                  HbGatewayIf *client,
                                  gboolean is_list,
                                  HbTIOError **io,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_hbase_rows_move (TallHbaseRows *self, TallArena *arena, TallRows *rows);

G_END_DECLS
