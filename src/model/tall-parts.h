/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-arena.h"
#include "tall-bytes.h"

TALL_BEGIN_API

/**
 * TallAddress:
 *
 * A postal address. Every text may be absent (NULL) or empty, which are different.
 */
typedef struct
{
  char *line1;
  char *line2;
  char *city;
  char *state;
  char *zip;
  char *country;
} TallAddress;

typedef struct
{
  char *key;   /* never NULL or empty: JSON libraries refuse an empty name */
  char *value; /* never NULL */
} TallAttribute;

/**
 * TallAttributes:
 *
 * Texts by name, sorted by the bytes of the key, each key once. Never absent, but may be empty.
 */
typedef struct
{
  TallAttribute *items; /* n_items of them */
  guint n_items;
} TallAttributes;

gboolean tall_address_equal (const TallAddress *a, const TallAddress *b);

TALL_END_API
