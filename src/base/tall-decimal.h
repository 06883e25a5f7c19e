/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "common.pb-c.h"
#include "tall-arena.h"

TALL_BEGIN_API

#define TALL_DECIMAL_MAX_SCALE 18

/* Bytes of the longest text with its NUL: sign, 19 digits, point. */
#define TALL_DECIMAL_TEXT_SIZE 24

/**
 * TallDecimal:
 * @unscaled: the digits
 * @scale: how many of them stand after the point, 0 … %TALL_DECIMAL_MAX_SCALE
 *
 * An exact decimal, unscaled × 10^-scale. The scale is part of the value: 1.5 and 1.50 are kept
 * apart. One that is part of an order is made by tall_decimal_new().
 */
typedef TallPb__Decimal TallDecimal;

/* A value to compute with. */
#define TALL_DECIMAL(unscaled_, scale_)                                                            \
  ((TallDecimal){ .unscaled = (unscaled_), .scale = (scale_) })

static inline gboolean
tall_decimal_identical (TallDecimal a, TallDecimal b)
{
  return a.unscaled == b.unscaled && a.scale == b.scale;
}

TallDecimal *tall_decimal_new (TallArena *arena, gint64 unscaled, guint32 scale);
int tall_decimal_compare (TallDecimal a, TallDecimal b);
gboolean tall_decimal_add (TallDecimal a, TallDecimal b, TallDecimal *sum);
gboolean tall_decimal_parse (const char *text, gssize len, TallDecimal *decimal, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
const char *tall_decimal_format (TallDecimal decimal, char text[TALL_DECIMAL_TEXT_SIZE]);

TALL_END_API
