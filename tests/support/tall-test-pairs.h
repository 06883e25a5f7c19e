/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * tall_test_takes_all:
 *
 * Returns: whether everything is to be tested that can be: tools/run-tests --all. It takes several
 *   times as long, and has never seen anything in a pair that was not seen in its parts, too.
 */
static inline gboolean
tall_test_takes_all (void)
{
  return g_getenv ("TALL_TEST_ALL") != NULL;
}

/**
 * tall_test_step:
 *
 * Returns: how far it is from one call that fails to the next, in tests that let each call fail in
 *   several cases: a case takes one of three, beginning with another one than its neighbours do
 */
static inline guint
tall_test_step (void)
{
  return tall_test_takes_all () ? 1 : 3;
}

/**
 * tall_test_is_diagonal:
 * @layout: the place of a layout among @n_layouts
 * @strategy: the place of a key strategy among @n_strategies
 * @turn: another number chooses other pairs
 *
 * Returns: whether this pair is one of the few in which each layout and each strategy is
 */
static inline gboolean
tall_test_is_diagonal (
    guint layout, guint n_layouts, guint strategy, guint n_strategies, guint turn)
{
  guint n = MIN (n_layouts, n_strategies);
  return (layout + turn) % n == strategy % n;
}

/**
 * tall_test_takes_pair:
 *
 * Returns: whether a test that is repeated for layouts and key strategies is run for this pair: on
 *   a diagonal, or everywhere if everything is to be tested
 */
static inline gboolean
tall_test_takes_pair (guint layout, guint n_layouts, guint strategy, guint n_strategies, guint turn)
{
  return tall_test_takes_all ()
         || tall_test_is_diagonal (layout, n_layouts, strategy, n_strategies, turn);
}

G_END_DECLS
