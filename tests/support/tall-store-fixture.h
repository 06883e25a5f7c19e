/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-test-store.h"

G_BEGIN_DECLS

/**
 * TallStoreKind:
 *
 * The kinds of store for which tests are repeated.
 */
typedef struct
{
  const TallLayout *layout;
  const TallKeyStrategy *key_strategy;
  gboolean rocksdb; /* or memory */
  TallTable *(*open) (
      gconstpointer kind); /* (nullable): instead: opens a table with nothing in it */
} TallStoreKind;

/**
 * TallStoreFixture:
 *
 * A deployment and a store on it, whose clock stands at %TALL_TEST_NOW.
 */
typedef struct
{
  GPtrArray *directories; /* of paths: where tables are that are not in memory */
  TallTable *table;
  TallTestClock clock;
  TallStore *store;
  TallFront *front; /* the same */
} TallStoreFixture;

#define TALL_TEST_NOW G_GINT64_CONSTANT (1700000000000)

typedef struct
{
  const char *name;
  void (*test) (TallStoreFixture *fixture, gconstpointer kind);
} TallStoreTest;

void tall_store_fixture_add (const char *group, const TallStoreTest *tests, guint n_tests);
void
tall_store_fixture_add_everywhere (const char *group, const TallStoreTest *tests, guint n_tests);
TallTable *tall_store_fixture_open_table (TallStoreFixture *self, gconstpointer kind);
void tall_store_fixture_reset (TallStoreFixture *self, gconstpointer kind, TallTable *table);

gint64 tall_fixture_put (TallStoreFixture *self, TallOrder *order, const TallWriteOptions *options);
TallOrder *tall_fixture_get (TallStoreFixture *self, const char *order_number, gint64 *revision);
void tall_fixture_delete (TallStoreFixture *self,
                          const char *order_number,
                          const TallWriteOptions *options);
void tall_fixture_assert_absent (TallStoreFixture *self, const char *order_number);
void tall_fixture_assert_prefix (const GError *error, const char *prefix);
void tall_fixture_write_state_cell (TallStoreFixture *self,
                                    const char *customer,
                                    const char *order_number,
                                    TallSlice value);
guint tall_fixture_count_cells (TallStoreFixture *self);

G_END_DECLS
