/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "key/strategy.h"

G_BEGIN_DECLS

/* The key of an order, byte for byte. */
typedef struct
{
  const char *customer;
  const char *order;
  const char *hex;
} TallTestKey;

/* Bytes that may hold a NUL. */
typedef struct
{
  const char *bytes;
  gsize len;
} TallTestBytes;

void tall_test_keys_assert_golden (const TallKeyStrategy *strategy,
                                   const TallTestKey *cases,
                                   guint n_cases);

/* Bytes that are not a customer's part of a key: as long as they are, with nothing behind them. */
void tall_test_keys_assert_refused (const TallKeyStrategy *strategy,
                                    const TallTestBytes *cases,
                                    guint n_cases);

G_END_DECLS
