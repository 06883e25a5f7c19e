/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/csv/reader.h"
#include "tall-customer.h"
#include "load/mapping/mapping.h"

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
  TallArena *arena;           /* where its texts go */
  gpointer base;              /* the struct */
  TallAttributes *attributes; /* with room for all; NULL: it has none */
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

G_END_DECLS
