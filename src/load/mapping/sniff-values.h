/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/mapping/sample.h"
#include "load/mapping/value.h"

G_BEGIN_DECLS

/**
 * TallSniffedDates:
 *
 * How columns write dates, as keys of [mapping].
 */
typedef struct
{
  const char *dates; /* lives forever */
  gboolean has_short_years;
  char *reason; /* owned */
} TallSniffedDates;

/**
 * TallSniffedNumbers:
 *
 * How columns write numbers, as keys of [mapping].
 */
typedef struct
{
  gboolean decimal_comma;
  const char *thousands; /* lives forever; NULL: none */
  const char *negative;  /* lives forever; NULL: by a minus */
  char *signs;           /* owned; NULL: none */
  char *reason;          /* owned */
} TallSniffedNumbers;

gboolean tall_sniff_is_date (const TallSample *sample, guint column);
void tall_sniff_dates (const TallSample *sample, const GArray *columns, TallSniffedDates *found);
void
tall_sniff_numbers (const TallSample *sample, const GArray *columns, TallSniffedNumbers *found);

G_END_DECLS
