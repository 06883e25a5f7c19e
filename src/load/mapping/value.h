/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-decimal.h"

G_BEGIN_DECLS

typedef enum
{
  TALL_DATES_ISO, /* 1996-07-04, also with a time and an offset */
  TALL_DATES_DMY, /* 4/7/1996 */
  TALL_DATES_MDY, /* 7/4/1996 */
  TALL_DATES_OWN, /* as @date_forms says */
} TallDates;

typedef enum
{
  TALL_NEGATIVE_MINUS,       /* -12.00 */
  TALL_NEGATIVE_PARENTHESES, /* (12.00) as well */
  TALL_NEGATIVE_TRAILING,    /* 12.00- as well */
} TallNegative;

/* How a file writes dates and numbers; all 0 for the plainest. It owns nothing: texts and the zone
 * are the mapping's. */
typedef struct
{
  TallDates dates;
  const char *date_forms; /* such as `%d.%m.%y|%Y%m%d`; of %TALL_DATES_OWN */
  gboolean needs_year;    /* one of @date_forms has a year of two digits */
  guint first_year;       /* that two digits can mean: 1970 … 2069; 0: years have four digits */
  GTimeZone *zone;        /* of dates without an offset; NULL: UTC */
  gboolean decimal_comma; /* 1,50 is one and a half */
  const char *thousands;  /* what stands between groups of three digits; NULL: nothing */
  const char *signs;      /* of currencies, a space between two; NULL: none */
  TallNegative negative;
  gboolean discount_percent; /* 15 is a rate of 0.15 */
} TallValueFormat;

gboolean tall_parse_date (const char *text,
                          const TallValueFormat *format,
                          gint64 *date,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_value_format_set_dates (TallValueFormat *self,
                                      const char *text,
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
