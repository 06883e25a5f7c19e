/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-decimal.h"

G_BEGIN_DECLS

/**
 * TallValueFormat:
 *
 * How a file writes dates and numbers.
 */
typedef enum
{
  TALL_DATES_ISO, /* 1996-07-04, also with a time and an offset */
  TALL_DATES_DMY, /* 4/7/1996 */
  TALL_DATES_MDY, /* 7/4/1996 */
} TallDates;

typedef struct
{
  TallDates dates;
  gboolean decimal_comma;    /* 1,50 is one and a half */
  gboolean discount_percent; /* 15 is a rate of 0.15 */
} TallValueFormat;

gboolean tall_parse_date (const char *text,
                          const TallValueFormat *format,
                          gint64 *date,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_parse_decimal (const char *text,
                             const TallValueFormat *format,
                             TallDecimal *decimal,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_parse_discount (const char *text,
                              const TallValueFormat *format,
                              TallDecimal *discount,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean
tall_parse_position (const char *text, gint32 *number, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
