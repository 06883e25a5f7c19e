/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table.h"

#define TALL_TYPE_FORWARDING_TABLE (tall_forwarding_table_get_type ())
G_DECLARE_DERIVABLE_TYPE (
    TallForwardingTable, tall_forwarding_table, TALL, FORWARDING_TABLE, TallTable)

/**
 * TallForwardingTableClass:
 *
 * A table around another, to which it hands every call. A subclass overrides the slots in which it
 * does something of its own.
 *
 * Its tables may have other names in the other one. Nothing but names is changed then, and neither
 * keys nor values are copied.
 */
struct _TallForwardingTableClass
{
  TallTableClass parent_class;

  /* What a name has at its end in the other table; NULL: nothing. May be NULL. */
  const char *(*get_suffix) (TallForwardingTable *self, const char *name);

  gpointer padding[4];
};

/* The table around @self, for subclasses only: what a constructor wraps, and what does the work. */
void tall_forwarding_table_wrap (TallForwardingTable *self, TallTable *table);
TallTable *tall_forwarding_table_get_table (TallForwardingTable *self);

/**
 * TallCost:
 *
 * What went through a table: what `explain` and `bench` report for an operation.
 */
typedef struct
{
  guint64 calls;         /* requests that a gateway would answer: one for each read of a plan, one
                            for each apply, apply_if and increment */
  guint64 rows_read;     /* rows returned */
  guint64 cells_read;    /* cells returned */
  guint64 bytes_read;    /* row keys, qualifiers and values returned */
  guint64 rows_written;  /* mutations */
  guint64 cells_written; /* puts */
  guint64 bytes_written; /* row keys, qualifiers and values put */
  guint64 deletes;       /* delete markers written */
  guint64 durable;       /* writes that were to be durable on return */
} TallCost;

void tall_cost_add (TallCost *self, const TallCost *other);

#define TALL_TYPE_COUNTING_TABLE (tall_counting_table_get_type ())
G_DECLARE_FINAL_TYPE (
    TallCountingTable, tall_counting_table, TALL, COUNTING_TABLE, TallForwardingTable)

TallTable *tall_counting_table_new (TallTable *table);
void tall_counting_table_get_cost (TallCountingTable *self, TallCost *cost);
void tall_counting_table_reset (TallCountingTable *self);
