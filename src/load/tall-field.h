/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-customer.h"
#include "tall-order.h"

G_BEGIN_DECLS

/**
 * TallFieldScope:
 *
 * Which thing a field belongs to; also the names of the groups in a mapping file.
 */
typedef enum
{
  TALL_SCOPE_ORDER,
  TALL_SCOPE_LOCATION,
  TALL_SCOPE_LINE,
  TALL_SCOPE_CUSTOMER,
} TallFieldScope;
#define TALL_N_SCOPES 4

typedef enum
{
  TALL_FIELD_CUSTOMER_NUMBER,
  TALL_FIELD_ORDER_NUMBER,
  TALL_FIELD_POSITION, /* number of a location or a line */
  TALL_FIELD_TEXT,
  TALL_FIELD_ADDRESS, /* a text of the address */
  TALL_FIELD_DATE,
  TALL_FIELD_DECIMAL,
  TALL_FIELD_DISCOUNT,
  TALL_FIELD_PHONES,
  TALL_FIELD_ATTRIBUTE,
} TallFieldType;

/**
 * TallField:
 *
 * A field that a column can feed.
 */
typedef struct
{
  TallFieldScope scope;
  const char *name; /* as in a mapping file */
  TallFieldType type;
  gsize offset;     /* bytes, of the value in its struct or in #TallAddress */
  gsize has_offset; /* bytes, of the `has_…` flag of dates and decimals */
} TallField;

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

const TallField *tall_fields (guint *n);
const TallField *tall_field_find (TallFieldScope scope, const char *name);
const char *tall_field_scope_name (TallFieldScope scope);
const char *tall_field_fault (const TallField *self);
gboolean tall_field_set (const TallField *self,
                         const TallValueFormat *format,
                         TallArena *arena,
                         gpointer target,
                         TallAddress **address,
                         const char *text,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_parse_date (const char *text, TallDates dates, gint64 *date, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean
tall_parse_position (const char *text, gint32 *number, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
