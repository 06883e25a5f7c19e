/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TALL_TEST_STEP:
 *
 * From one call that fails to the next, in tests that let each call fail in several cases. Under a
 * sanitizer a case takes one of three, beginning with another one than its neighbours do.
 */
#ifdef TALL_TEST_FEW_PAIRS
#define TALL_TEST_STEP 3
#else
#define TALL_TEST_STEP 1
#endif

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
 * Returns: whether a test that is repeated for layouts and key strategies is run for this pair.
 *   All pairs are, but under a sanitizer, which takes several times as long and sees nothing in
 *   a pair that it does not see in its parts: there only a diagonal is.
 */
static inline gboolean
tall_test_takes_pair (guint layout, guint n_layouts, guint strategy, guint n_strategies, guint turn)
{
#ifdef TALL_TEST_FEW_PAIRS
  return tall_test_is_diagonal (layout, n_layouts, strategy, n_strategies, turn);
#else
  (void)layout, (void)n_layouts, (void)strategy, (void)n_strategies, (void)turn;
  return TRUE;
#endif
}

G_END_DECLS
