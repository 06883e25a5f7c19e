/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-failing-table.h"
#include "store/commit/root.h"
#include "store/store.h"

G_BEGIN_DECLS

/**
 * TallTestClock:
 *
 * The time of one client, which stands still unless it sleeps; any of its threads may.
 */
typedef struct
{
  gint64 now;       /* milliseconds since the epoch */
  gint64 monotonic; /* microseconds */
  gint64 patience;  /* microseconds; 0 = the usual */
  guint n_sleeps;
  void (*on_sleep) (gpointer data); /* what others do during the sleep; may be NULL */
  gpointer data;
} TallTestClock;

/* Row keys for tests where nothing depends on them. */
#define TALL_TEST_CUSTOMER "VINET"
#define TALL_TEST_ORDER "10248"

TallTable *tall_test_table_new (const TallLayout *layout, const TallKeyStrategy *key_strategy);
TallTable *tall_test_open_table (const char *directory);
void tall_test_create (TallTable *table, const char *layout, const char *key_strategy, guint64 ttl);
TallStoreHooks tall_test_hooks (TallTestClock *clock);
TallStore *tall_test_open (TallTable *table, TallTestClock *clock);

/* An order of VINET with @writer and @sequence in every line, which shows whether it is whole. */
TallOrder *
tall_test_marked_order (const char *order_number, guint writer, guint sequence, guint n_lines);
void tall_test_read_mark (const TallOrder *order, guint *writer, guint *sequence);

/* In all tables of orders: those with this timestamp; 0: all. */
guint tall_test_count_cells (TallTable *table, const TallLayout *layout, gint64 timestamp);

/* The state cell of VINET's order, as it is stored. */
gboolean tall_test_read_state (TallStore *store,
                               const char *order_number,
                               TallState *state,
                               gint64 *timestamp);
void tall_test_write_state (TallStore *store,
                            const char *order_number,
                            const TallState *state,
                            gint64 timestamp);

G_END_DECLS
