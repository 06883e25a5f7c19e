/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table.h"

G_BEGIN_DECLS

#define TALL_TYPE_FORWARDING_TABLE (tall_forwarding_table_get_type ())
G_DECLARE_DERIVABLE_TYPE (
    TallForwardingTable, tall_forwarding_table, TALL, FORWARDING_TABLE, TallTable)

/**
 * TallForwardingTableClass:
 *
 * A table around another, to which it hands every call. A subclass overrides the slots in which it
 * does something of its own.
 */
struct _TallForwardingTableClass
{
  TallTableClass parent_class;

  gpointer padding[4];
};

/* The table around @self, for subclasses only: what a constructor wraps, and what does the work. */
void tall_forwarding_table_wrap (TallForwardingTable *self, TallTable *table);
TallTable *tall_forwarding_table_get_table (TallForwardingTable *self);

G_END_DECLS
