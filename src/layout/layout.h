/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-customer.h"
#include "cell/cell.h"
#include "key/strategy.h"
#include "tall-order.h"

/**
 * TallLayoutTable:
 *
 * A table that a layout keeps its rows in.
 */
typedef struct
{
  const char *name; /* short name, such as `orders` */
  gboolean expires; /* TRUE if it holds nothing but orders, so that a TTL may apply */
} TallLayoutTable;

/**
 * TallRowPart:
 *
 * A named piece of a row key, as `explain` shows it.
 */
typedef struct
{
  const char *name; /* static: `customer`, `order`, `type`, `location`, `line` … */
  gsize len;        /* bytes */
} TallRowPart;

/**
 * TallRowOwner:
 *
 * The numbers that the key of a row has. Slices of the key; the empty slice: it has no such part.
 */
typedef struct
{
  TallSlice customer;
  TallSlice order;
  TallSlice prefix;       /* what the key has up to the end of these two */
  gboolean is_unexpected; /* no layout makes such a key, or not the end of it */
} TallRowOwner;

/**
 * TallFoundRows:
 *
 * What the reads of an order's plan have found, and of which order. Nothing is owned.
 */
typedef struct
{
  const TallOrderKey *key;
  const char *customer_number; /* the numbers asked for; the order gets them */
  const char *order_number;
  const TallRows *results; /* n_results of them: of the reads of plan_order, plan_header or
                            * plan_location, by position */
  guint n_results;
  gint64 revision;      /* cells with other timestamps do not count */
  const guint8 *digest; /* nullable: of the canonical form of the order, which had passed
                         * tall_order_normalize() before it was stored */
} TallFoundRows;

/**
 * TallDecoded:
 *
 * What a layout made of the rows of an order.
 */
typedef struct
{
  TallOrder *order;    /* (transfer full) */
  TallSlice canonical; /* its canonical form, in the rows, if the layout stores it; else empty */
  gboolean proved;     /* @canonical has the digest of #TallFoundRows */
} TallDecoded;

typedef struct _TallLayout TallLayout;

/* What an order takes where nothing of it is written more than once. */
#define TALL_LAYOUT_USUAL_MEMORY (14 * 1024 * 1024)

/**
 * TallLayout:
 *
 * How an order, or a customer, lies in rows. A layout is a stateless table of functions: it does no
 * I/O, and of revisions it knows only the timestamp that its caller passes. All slots must be set,
 * except where a comment says otherwise; tall_layout_check() makes sure of it. A new layout is one
 * new file, an entry in TALL_LAYOUTS and a line in meson.build. FORMAT.md fixes what each layout
 * writes.
 *
 * The keys of all rows, in all tables, begin with the customer part of #TallOrderKey, and nothing
 * of the layout's own stands before it. So the split points of the key strategy serve every table,
 * and everything of a customer lies together in each table.
 *
 * Every order has one root row and every customer is one row. The store writes and reads the cells
 * `s` (state) and `summary` of these rows itself; a layout writes the other columns. A cell counts
 * only if its timestamp is the revision: the decoders must skip all others.
 */
struct _TallLayout
{
  const char *name;    /* as in `--layout NAME` and in the deployment record; never changed */
  const char *summary; /* one line for people: tables and rows */

  /* The tables, ended by one whose name is NULL. */
  const TallLayoutTable *tables;

  /* TRUE if an order is nothing but its root row: then append_children appends nothing. */
  gboolean single_row;

  /* Bytes that an order takes at most while it is put, fetched or deleted: its rows as they are
   * read or written, the order made of them, and a reply of the service. Measured by
   * tests/service/test-amplification.c, which fails if it is too little. */
  gsize most_memory;

  /* The root row of an order: its table, and its row key, appended to @row. */
  const char *(*locate_order) (const TallOrderKey *key, GByteArray *row);

  /* Adds the layout's columns of the root row to @root (a mutation in @batch), all at @revision.
   * @canonical: the canonical form of @order. Texts are not copied: @order and @canonical must live
   * as long as @batch. */
  void (*append_root) (const TallOrder *order,
                       TallSlice canonical,
                       gint64 revision,
                       TallBatch *batch,
                       TallMutation *root);

  /* Adds one mutation for each other row of @order to @batch, all cells at @revision. Each row has
   * at least one cell, also where all its fields are absent. @order must live as long as @batch.
   * May be NULL if single_row. */
  void (*append_children) (const TallOrderKey *key,
                           const TallOrder *order,
                           gint64 revision,
                           TallBatch *batch);

  /* Adds to @plan the reads that find all rows of an order: at most four gets of one row or scans.
   * The first read finds the root row, among others. In each read the rows of an order lie
   * together, the orders of a customer are sorted by their order parts, and only rows of orders
   * follow under the same customer part. So the store can scan all orders of a customer from here
   * to the end of the customer; the order part of @key may be empty for that. Root rows sort before
   * the other rows of their order. */
  void (*plan_order) (const TallOrderKey *key, TallReadPlan *plan);

  /* Adds to @plan the reads that find the other rows of an order, also those of old revisions, to
   * clean them up; may find the root row too. May be NULL if single_row. */
  void (*plan_children) (const TallOrderKey *key, TallReadPlan *plan);

  /* Adds to @plan one get of the root row: what the order has beside locations, and the cells of
   * the store. NULL: that takes all rows, which plan_order finds. */
  void (*plan_header) (const TallOrderKey *key, TallReadPlan *plan);

  /* Adds to @plan the reads of the root row, and of the rows of one location and its lines. NULL:
   * that takes all rows. */
  void (*plan_location) (const TallOrderKey *key, gint32 location, TallReadPlan *plan);

  /* Makes an order, or a part of it, of what was found; @decoded is all zero before. FALSE with
   * TALL_ERROR_DAMAGED if a cell of the revision cannot be understood or a column that must be
   * there is missing; the caller finds missing rows: it counts. */
  gboolean (*decode_order) (const TallFoundRows *found, TallDecoded *decoded, GError **error);

  /* The row of a customer: its table, and its row key, appended to @row. */
  const char *(*locate_customer) (const TallOrderKey *key, GByteArray *row);

  /* Adds the layout's columns of a customer's row, like append_root. */
  void (*append_customer) (const TallCustomer *customer,
                           TallSlice canonical,
                           gint64 revision,
                           TallBatch *batch,
                           TallMutation *row);

  /* Makes a customer of its row, like decode_order. */
  TallCustomer *(*decode_customer) (const char *number,
                                    const TallRow *row,
                                    gint64 revision,
                                    GError **error);

  /* Names the parts of a row key of one of the layout's tables; appends #TallRowPart to @parts,
   * whose lengths add up to that of @row. What does not have the expected form is named
   * `unexpected`. */
  void (*name_parts) (const TallKeyStrategy *strategy,
                      const char *table,
                      TallSlice row,
                      GArray *parts);
};

TallRowOwner tall_layout_find_owner (const TallLayout *self,
                                     const TallKeyStrategy *strategy,
                                     const char *table,
                                     TallSlice row,
                                     GArray *parts);

const TallLayout *const *tall_layouts (guint *n);
const TallLayout *tall_layout_find (const char *name, GError **error);
const TallLayout *tall_layout_choose (const char *name, GError **error);
void tall_layout_check (const TallLayout *self);
const char *tall_layout_get_order_table (const TallLayout *self);
const char *tall_layout_get_customer_table (const TallLayout *self);

/* The default first. */
#define TALL_LAYOUTS(X)                                                                            \
  X (blob)                                                                                         \
  X (record_type)                                                                                  \
  X (normalized)                                                                                   \
  X (denormalized)                                                                                 \
  X (wide)

#define TALL_DECLARE_LAYOUT(name) extern const TallLayout tall_layout_##name;
TALL_LAYOUTS (TALL_DECLARE_LAYOUT)
#undef TALL_DECLARE_LAYOUT
