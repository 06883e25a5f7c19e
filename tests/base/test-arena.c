/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-arena.h"

static void
test_pieces (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  char *pieces[500];

  for (guint i = 0; i < G_N_ELEMENTS (pieces); i++)
    {
      gsize size = (i * 37) % 3000;
      pieces[i] = tall_arena_alloc (arena, size);
      g_assert_cmpuint ((gsize)pieces[i] % 8, ==, 0);
      memset (pieces[i], (int)i, size);
    }
  for (guint i = 0; i < G_N_ELEMENTS (pieces); i++)
    for (gsize k = 0; k < (i * 37) % 3000; k++)
      g_assert_cmpint (pieces[i][k], ==, (char)i);
}

static void
test_large (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (16);
  char *small = tall_arena_strdup (arena, "small");
  char *large = tall_arena_alloc0 (arena, 10 * 1024 * 1024);
  char *text = tall_arena_printf (arena, "%s-%d", "x", 7);

  g_assert_cmpint (large[10 * 1024 * 1024 - 1], ==, 0);
  g_assert_cmpstr (small, ==, "small");
  g_assert_cmpstr (text, ==, "x-7");
  g_assert_null (tall_arena_strdup (arena, NULL));
  g_assert_cmpstr (tall_arena_strndup (arena, "abcdef", 3), ==, "abc");
}

static void
count_destroyed (gpointer data)
{
  *(guint *)data += 1;
}

static void
test_own (void)
{
  guint destroyed = 0;
  TallArena *arena = tall_arena_new (0);
  tall_arena_own (arena, &destroyed, count_destroyed);
  tall_arena_own (arena, &destroyed, count_destroyed);
  g_assert_cmpuint (destroyed, ==, 0);
  tall_arena_free (arena);
  g_assert_cmpuint (destroyed, ==, 2);
}

/* What was given out and owned goes, blocks of their own too; the first block is used again. */
static void
test_reset (void)
{
  guint destroyed = 0;
  g_autoptr (TallArena) arena = tall_arena_new (0);
  gsize size = tall_arena_get_size (arena);
  gpointer first = tall_arena_alloc (arena, 100);
  for (guint i = 0; i < 3; i++)
    {
      tall_arena_own (arena, &destroyed, count_destroyed);
      tall_arena_alloc (arena, 1024 * 1024); /* while the first block is the one that has room */
      for (guint k = 0; k < 100; k++)
        tall_arena_alloc (arena, 1000);
      g_assert_cmpuint (tall_arena_get_size (arena), >, 1024 * 1024);
      tall_arena_reset (arena);
      g_assert_cmpuint (destroyed, ==, i + 1);
      g_assert_cmpuint (tall_arena_get_size (arena), ==, size);
      g_assert_true (tall_arena_alloc (arena, 100) == first);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/arena/pieces", test_pieces);
  g_test_add_func ("/base/arena/large", test_large);
  g_test_add_func ("/base/arena/own", test_own);
  g_test_add_func ("/base/arena/reset", test_reset);
  return g_test_run ();
}
