/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/orders/row.h"

G_BEGIN_DECLS

/**
 * TallRowCheck:
 *
 * What a row needs to be one of an order, or a customer's: that it can be read, and valid numbers.
 */
typedef struct
{
  const TallMapping *mapping; /* not owned; bound to the file */
  const char *const *columns; /* not owned; the names in the file's header */
} TallRowCheck;

gboolean tall_row_check_is_rounded (const char *text);
char *
tall_row_check_readable (const TallRowCheck *self, const TallCsvRow *row, TallRowFault *fault);
char *tall_row_check_number (const TallRowCheck *self,
                             const TallMappingSource *source,
                             const TallCsvRow *row,
                             TallRowFault *fault);

G_END_DECLS
