/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/orders/row.h"

G_BEGIN_DECLS

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
  guint n_lines;
  TallPlace place; /* where it was first seen */
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

G_END_DECLS
