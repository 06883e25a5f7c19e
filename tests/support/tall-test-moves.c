/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-moves.h"

#include "tall-error.h"
#include "tall-test-store.h"
#include "tall-must.h"

#define N_LINES 2
#define LOOK_EVERY (G_USEC_PER_SEC / 500)

/**
 * tall_test_moves_init:
 * @n_orders: of VINET, with the numbers from 0
 * @address: (nullable): of the tables, as a plan sees it
 */
void
tall_test_moves_init (TallTestMoves *self, guint n_orders, const TallTableAddress *address)
{
  g_autoptr (TallTable) below = tall_test_open_table (NULL);
  *self = (TallTestMoves){ .table = tall_failing_table_new (below) };
  tall_test_create (self->table, "blob", "hashed", 0);
  self->store = must (tall_store_open (self->table, NULL, NULL, NULL, &error));
  tall_test_moves_fill (self, 0, n_orders);
  self->runner = tall_migrate_runner_new (self->table, address);
}

void
tall_test_moves_clear (TallTestMoves *self)
{
  g_assert_true (tall_migrate_runner_end (self->runner, 60000));
  g_clear_object (&self->store);
  g_clear_object (&self->table);
}

/**
 * tall_test_moves_fill:
 *
 * Puts the orders from number @begin up to, but without, @end.
 */
void
tall_test_moves_fill (TallTestMoves *self, guint begin, guint end)
{
  for (guint i = begin; i < end; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      g_autoptr (TallOrder) order = tall_test_marked_order (number, 0, i, N_LINES);
      must (tall_front_put_order (TALL_FRONT (self->store), order, NULL, NULL, &error));
    }
}

/**
 * tall_test_moves_spoil:
 *
 * Makes @n rows whose state cells are none; those that are there already stay.
 */
void
tall_test_moves_spoil (TallTestMoves *self, guint n)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  for (guint i = 0; i < n; i++)
    {
      char *key = tall_arena_printf (batch->arena, "%032u", i);
      TallMutation *row = tall_batch_add (batch, "orders", tall_slice_str (key));
      tall_mutation_put (batch, row, tall_slice_str ("s"), 1000, tall_slice_str ("spoilt"));
    }
  must (tall_table_apply (self->table, (TallMutation *const *)batch->mutations->pdata, n,
                          TALL_DURABLE, TALL_NO_DEADLINE, &error));
}

TallMigrateWish
tall_test_wish_layout (const char *layout)
{
  return (TallMigrateWish){ .move = { .layout = tall_layout_find (layout, NULL) } };
}

/**
 * tall_test_await_end:
 *
 * Returns: (transfer full): how task @id has ended
 */
TallMigrateState *
tall_test_await_end (TallTestLook look, gpointer data, const char *id)
{
  TallMigrateState *state = look (data, id);
  while (state->is_running)
    {
      g_usleep (LOOK_EVERY);
      tall_migrate_state_free (state);
      state = look (data, id);
    }
  return state;
}

/**
 * tall_test_await_copying:
 *
 * Waits until what runs has copied something. It must be so slow that it still runs then.
 */
void
tall_test_await_copying (TallTestLook look, gpointer data)
{
  g_autoptr (TallMigrateState) state = look (data, NULL);
  while (state->is_running && state->progress.n_copied == 0)
    {
      g_usleep (LOOK_EVERY);
      tall_migrate_state_free (state);
      state = look (data, NULL);
    }
  g_assert_true (state->is_running);
}
