/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "migrate/copied.h"
#include "store/commit/root.h"

G_BEGIN_DECLS

/**
 * TallCopier:
 *
 * From where to where, and since when. The contexts must outlive it, and so must @places.
 */
typedef struct
{
  const TallStoreContext *source;
  const TallStoreContext *target;
  TallTable
      *records; /* nullable: has the record that says whether it still copies; NULL: it does */
  gint64 begun; /* a revision: of what is older, only one version can ever have been copied */
  TallCopied *places; /* nullable: whose the target's rows are */
} TallCopier;

/**
 * TallCopyOutcome:
 * @TALL_COPY_OPEN: not decided yet
 * @TALL_COPY_NOTHING: there is nothing to have: it was never committed, or the TTL has taken it
 * @TALL_COPY_SAME: the target had it
 * @TALL_COPY_COPIED: the target has it now; it was read back
 * @TALL_COPY_MOVED: somebody has written it meanwhile: the next pass finds it
 * @TALL_COPY_UNFIT: it cannot be copied: the error of the item says why
 */
typedef enum
{
  TALL_COPY_OPEN,
  TALL_COPY_NOTHING,
  TALL_COPY_SAME,
  TALL_COPY_COPIED,
  TALL_COPY_MOVED,
  TALL_COPY_UNFIT,
} TallCopyOutcome;

/**
 * TallCopyItem:
 *
 * An order, or a customer, or the tombstone of one, on its way from one context to another.
 */
typedef struct
{
  TallCopyOutcome outcome;
  GError *error;          /* owned: of TALL_COPY_UNFIT */
  const char *table;      /* where the source has its root row; not owned, like all slices here */
  TallSlice row;          /* the key of that row */
  guint place;            /* of that row among those that were read together */
  TallSlice summary;      /* as it is stored there */
  TallOperation from;     /* of the source; without numbers if the row does not say them */
  TallOperation to;       /* of the target */
  TallState wanted;       /* what the target is to have */
  TallRoot there;         /* what the target has */
  guint n_reads;          /* by which the source gives it */
  TallOrder *order;       /* owned: while it is copied; NULL for a tombstone or a customer */
  TallCustomer *customer; /* the same of a customer */
  TallContent content;    /* of one of the two */
} TallCopyItem;

gboolean tall_copy_is_order (const TallStoreContext *source, const char *table, TallSlice row);

void tall_copy_item_init (TallCopyItem *self,
                          const TallCopier *copier,
                          const char *table,
                          const TallRow *row,
                          TallArena *arena);
void tall_copy_item_clear (TallCopyItem *self);

gboolean tall_copy_read (const TallCopier *copier,
                         TallCopyItem *items,
                         guint n_items,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_copy_run (const TallCopier *copier,
                        TallCopyItem *items,
                        guint n_items,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
