/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"
#include "tall-decimal.h"

TALL_BEGIN_API

/**
 * TallAddress:
 *
 * A postal address: `line1`, `line2`, `city`, `state`, `zip`, `country`. Every text may be absent
 * (NULL) or empty, which are different. tall_address_new() makes one.
 */
typedef TallPb__Address TallAddress;

/**
 * TallAttribute:
 *
 * A text by name: `key` and `value`. A list of them is sorted by the bytes of the key, each key
 * once. Neither is NULL, and no key is empty: JSON libraries refuse an empty name.
 */
typedef TallPb__Attribute TallAttribute;

TallAddress *tall_address_new (TallArena *arena);
gboolean tall_address_equal (const TallAddress *a, const TallAddress *b);

TALL_END_API
