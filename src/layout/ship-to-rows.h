/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "layout/columns.h"

G_BEGIN_DECLS

typedef struct _TallShipTo TallShipTo;

/**
 * TallShipToRows:
 *
 * An order under construction, from rows of lines with their ship-to, and rows of the locations
 * that no line goes to. Rows are read in the order of their keys: locations before lines, lines by
 * number, whatever location they go to.
 */
typedef struct
{
  TallColumnsReader reader;
  TallOrder *order;     /* not owned */
  GHashTable *ship_tos; /* owned: number of the location → TallShipTo, in the order's arena */
} TallShipToRows;

void
tall_ship_to_rows_init (TallShipToRows *self, const char *table, gint64 revision, TallOrder *order);
void tall_ship_to_rows_clear (TallShipToRows *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallShipToRows, tall_ship_to_rows_clear)

gboolean tall_ship_to_rows_read_location (TallShipToRows *self,
                                          const TallRow *row,
                                          guint32 number,
                                          GError **error);
gboolean tall_ship_to_rows_read_line (TallShipToRows *self,
                                      const TallRow *row,
                                      guint32 number,
                                      GError **error);
void tall_ship_to_rows_finish (TallShipToRows *self);

G_END_DECLS
