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

/* A piece apart goes early; one that shares its block does not, even if it is the block's first. */
static void
test_apart (void)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  gsize size = tall_arena_get_size (arena);
  gpointer first = tall_arena_alloc_apart (arena, 5000);
  gpointer second = tall_arena_alloc_apart (arena, 3000);
  memset (first, 1, 5000);
  memset (second, 2, 3000);
  tall_arena_free_apart (arena, first);
  g_assert_cmpuint (tall_arena_get_size (arena), <, size + 5000);
  tall_arena_free_apart (arena, second);
  g_assert_cmpuint (tall_arena_get_size (arena), ==, size);
  tall_arena_free_apart (arena, NULL);

  gpointer pieces[20];
  for (guint i = 0; i < G_N_ELEMENTS (pieces); i++)
    pieces[i] = memset (tall_arena_alloc (arena, 500), (int)i, 500);
  size = tall_arena_get_size (arena);
  for (guint i = 0; i < G_N_ELEMENTS (pieces); i++)
    tall_arena_free_apart (arena, pieces[i]);
  g_assert_cmpuint (tall_arena_get_size (arena), ==, size);
  for (guint i = 0; i < G_N_ELEMENTS (pieces); i++)
    g_assert_cmpint (*(guint8 *)pieces[i], ==, i);
}

typedef struct
{
  int **elements; /* n_elements of them */
  gsize n_elements;
} List;

/* Lists grow in turns; one that was not made here is copied before it grows. */
static void
test_append (void)
{
  int values[1000];
  int *given[] = { &values[0], &values[1], &values[2] };
  List lists[] = { { NULL, 0 }, { given, G_N_ELEMENTS (given) }, { NULL, 0 } };
  g_autoptr (TallArena) arena = tall_arena_new (0);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    for (guint k = 0; k < G_N_ELEMENTS (lists); k++)
      if (k != 2 || i % 7 == 0)
        tall_arena_append (arena, &lists[k].elements, &lists[k].n_elements, &values[i]);

  g_assert_cmpuint (lists[0].n_elements, ==, 1000);
  g_assert_cmpuint (lists[1].n_elements, ==, 1003);
  g_assert_cmpuint (lists[2].n_elements, ==, 143);
  g_assert_true (given[2] == &values[2] && lists[1].elements[2] == &values[2]);
  for (guint i = 0; i < 1000; i++)
    {
      g_assert_true (lists[0].elements[i] == &values[i]);
      g_assert_true (lists[1].elements[i + 3] == &values[i]);
      g_assert_true (lists[2].elements[i / 7] == &values[i / 7 * 7]);
    }
  g_assert_cmpuint (tall_arena_get_size (arena), <, 64 * 1024);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/arena/pieces", test_pieces);
  g_test_add_func ("/base/arena/large", test_large);
  g_test_add_func ("/base/arena/own", test_own);
  g_test_add_func ("/base/arena/reset", test_reset);
  g_test_add_func ("/base/arena/apart", test_apart);
  g_test_add_func ("/base/arena/append", test_append);
  return g_test_run ();
}
