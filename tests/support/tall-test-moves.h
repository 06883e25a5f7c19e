/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "migrate/migrate-runner.h"
#include "store/store.h"

G_BEGIN_DECLS

/**
 * TallTestMoves:
 *
 * Orders in the layout blob, and what migrates them in the background.
 */
typedef struct
{
  TallTable *table; /* of all generations, which can be made to fail */
  TallStore *store;
  TallMigrateRunner *runner;
} TallTestMoves;

/* Returns: (transfer full): how task @id is, NULL: the last one; @data is of whoever says it */
typedef TallMigrateState *(*TallTestLook) (gpointer data, const char *id);

void tall_test_moves_init (TallTestMoves *self, guint n_orders, const TallTableAddress *address);
void tall_test_moves_clear (TallTestMoves *self);
void tall_test_moves_fill (TallTestMoves *self, guint begin, guint end);
void tall_test_moves_spoil (TallTestMoves *self, guint n);

TallMigrateWish tall_test_wish_layout (const char *layout);
TallMigrateState *tall_test_await_end (TallTestLook look, gpointer data, const char *id);
void tall_test_await_copying (TallTestLook look, gpointer data);

G_END_DECLS
