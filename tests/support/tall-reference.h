/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-store-fixture.h"

G_BEGIN_DECLS

#define TALL_REFERENCE_CUSTOMERS 4
#define TALL_REFERENCE_ORDERS 9

/**
 * TallExpected:
 *
 * An order or a customer of the plain map: its content, and its last write.
 */
typedef struct
{
  const char *customer_number;
  const char *order_number; /* NULL: it is a customer */
  gboolean live;
  TallOrder *order;
  TallCustomer *customer;
  gint64 revision; /* the last one that was put */
  gboolean has_token;
  guint8 token[TALL_TOKEN_SIZE];
  gboolean has_old_token; /* of a write before the last */
  guint8 old_token[TALL_TOKEN_SIZE];
} TallExpected;

/**
 * TallReference:
 *
 * A store and the plain map beside it, under random operations of one client.
 */
typedef struct
{
  TallFront *front;
  TallTestClock *clock;
  const TallKeyStrategy *strategy;
  GRand *rand;
  TallExpected customers[TALL_REFERENCE_CUSTOMERS];
  TallExpected orders[TALL_REFERENCE_CUSTOMERS][TALL_REFERENCE_ORDERS];
} TallReference;

void
tall_reference_init (TallReference *self, TallStoreFixture *fixture, const TallStoreKind *kind);
void tall_reference_clear (TallReference *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallReference, tall_reference_clear)
gboolean tall_reference_has_orders (const TallReference *self, guint customer);

/* Write something to both; the store's answer must be the one that the map foresees. */
void tall_reference_write (TallReference *self, guint customer);
void tall_reference_put_many (TallReference *self);

/* Compare; no difference is allowed. */
void tall_reference_check_many (TallReference *self);
void tall_reference_check_list (TallReference *self, guint customer);
void tall_reference_check_customer_orders (TallReference *self, guint customer);
void tall_reference_check_customers (TallReference *self);
void tall_reference_check_everything (TallReference *self);

/* Listings while others write: each page shows the moment at which it is fetched. */
void tall_reference_choose_range (TallReference *self, TallListOptions *options);
gboolean tall_reference_is_in_range (const TallOrder *order, const TallListOptions *options);
int tall_reference_compare_keys (gconstpointer a, gconstpointer b, gpointer self);
void tall_reference_check_entry (const TallOrderEntry *entry, const TallExpected *record);
void tall_reference_check_outcome (const TallOutcome *outcome, const TallExpected *record);

G_END_DECLS
