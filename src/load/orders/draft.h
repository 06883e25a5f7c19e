/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/reader.h"
#include "load/mapping/mapping.h"
#include "tall-customer.h"

G_BEGIN_DECLS

/* What is wrong with a row, apart from its own values. */
typedef struct
{
  const char *column; /* the bad column's name; NULL: no single column */
  const char *kind;   /* as in #TallReject */
} TallRowFault;

/* The struct whose fields a row fills in. */
typedef struct
{
  TallArena *arena; /* where its texts go */
  gpointer base;    /* the struct */
  TallOrder *order; /* for its adjustments; NULL: it has none */
  gint32 line;      /* number of the line that they belong to; 0: to none */
} TallRowTarget;

TallCustomer *tall_row_make_customer (const TallMapping *mapping,
                                      const char *number,
                                      const TallCsvRow *row,
                                      TallRowFault *fault,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Where a row is. */
typedef struct
{
  guint64 line;
  const char *file_name; /* NULL: there is only one file */
} TallPlace;

/* Orders under construction, one after another: rows go in one by one, and the order comes out. Not
 * thread-safe. */
typedef struct _TallDraft TallDraft;

TallDraft *tall_draft_new (void);
void tall_draft_free (TallDraft *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallDraft, tall_draft_free)

void tall_draft_begin (TallDraft *self, const char *customer_number, const char *order_number);
gboolean tall_draft_add_row (TallDraft *self,
                             const TallMapping *mapping,
                             const TallCsvRow *row,
                             TallRowFault *fault,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallOrder *tall_draft_finish (TallDraft *self);

G_END_DECLS
