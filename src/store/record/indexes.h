/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "key/template.h"
#include "store/store.h"

G_BEGIN_DECLS

/* Short names of the tables that hold entries; layout/FORMAT.md draws their rows. */
#define TALL_INDEX_TABLE "index"

/**
 * TallIndex:
 *
 * An index of a deployment: a table has an entry, which leads to an order, for each key that its
 * template gives the order.
 */
typedef struct
{
  char *name;                /* owned: as people have it */
  const char *table;         /* static: that of its entries */
  TallKeyTemplate *template; /* owned */
} TallIndex;

GPtrArray *tall_indexes_new (TallIndexKind kind);

G_END_DECLS
