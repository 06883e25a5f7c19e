/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/reader.h"
#include "load/mapping/mapping.h"
#include "tall-customer.h"

G_BEGIN_DECLS

/**
 * TallRowFault:
 *
 * What is wrong with a row, apart from its own values.
 */
typedef struct
{
  const char *column; /* the bad column's name; NULL: no single column */
  const char *kind;   /* as in #TallReject */
} TallRowFault;

/**
 * TallRowTarget:
 *
 * The struct whose fields a row fills in.
 */
typedef struct
{
  TallArena *arena; /* where its texts go */
  gpointer base;    /* the struct */
} TallRowTarget;

gboolean tall_row_has_fields (const TallMapping *mapping, TallCsvScope scope);
const TallMappingSource *tall_row_find_position (const TallMapping *mapping, TallCsvScope scope);
gboolean tall_row_set_fields (const TallMapping *mapping,
                              TallCsvScope scope,
                              const TallCsvRow *row,
                              const TallRowTarget *target,
                              TallRowFault *fault,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_row_read_position (const TallMapping *mapping,
                                 TallCsvScope scope,
                                 const TallCsvRow *row,
                                 gint32 *number,
                                 TallRowFault *fault,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_row_names_location (const TallMapping *mapping, const TallCsvRow *row);
TallCustomer *tall_row_make_customer (const TallMapping *mapping,
                                      const char *number,
                                      const TallCsvRow *row,
                                      TallRowFault *fault,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallPlace:
 *
 * Where a row is.
 */
typedef struct
{
  guint64 line;
  const char *file_name; /* NULL: there is only one file */
} TallPlace;

/**
 * TallDraftLocation:
 *
 * A location of an order under construction.
 */
typedef struct
{
  TallShippingLocation *location;
  const char *signature; /* all its texts in one */
  TallPlace place;       /* where it was first seen */
} TallDraftLocation;

/**
 * TallDraftLocations:
 *
 * The locations of an order under construction, which owns them, and how to find one: most orders
 * have one, so the tables are only filled when something is looked for.
 */
typedef struct
{
  GString *signature;       /* of the last row that was signed */
  GPtrArray *all;           /* of TallDraftLocation; the caller adds them */
  guint n_known;            /* so many of the first are in the tables */
  GHashTable *by_signature; /* char * → TallDraftLocation */
  GHashTable *by_number;    /* number of a location → TallDraftLocation */
} TallDraftLocations;

void tall_draft_locations_init (TallDraftLocations *self);
void tall_draft_locations_clear (TallDraftLocations *self);
void tall_draft_locations_forget (TallDraftLocations *self);
const char *tall_draft_locations_sign (TallDraftLocations *self,
                                       const TallMapping *mapping,
                                       const TallCsvRow *row);
gboolean tall_draft_location_is_signed (const TallDraftLocation *self,
                                        const TallMapping *mapping,
                                        const TallCsvRow *row);
TallDraftLocation *tall_draft_locations_find (TallDraftLocations *self, const char *signature);
TallDraftLocation *tall_draft_locations_find_number (TallDraftLocations *self, gint32 number);

/**
 * TallDraft:
 *
 * Orders under construction, one after another: rows go in one by one, and the order comes out. Not
 * thread-safe.
 */
typedef struct _TallDraft TallDraft;

TallDraft *tall_draft_new (void);
void tall_draft_free (TallDraft *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallDraft, tall_draft_free)

void tall_draft_begin (TallDraft *self,
                       const TallMapping *mapping,
                       const char *customer_number,
                       const char *order_number);
gboolean tall_draft_add_row (TallDraft *self,
                             const TallMapping *mapping,
                             const TallCsvRow *row,
                             TallRowFault *fault,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallOrder *tall_draft_finish (TallDraft *self);

G_END_DECLS
