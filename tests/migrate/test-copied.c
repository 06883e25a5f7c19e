/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* What a migrator remembers: each version of each row is one of its own. */
#include "migrate/copied.h"

/* Bytes of a state cell, see store/commit/root.h. */
#define CLAIM 44
#define MARK 52
#define REPLACED 60
#define DIGEST 68

/* Two rows, two summaries, two states. */
static guint64
make (const TallCopied *copied, char row, const TallRoot *root, char summary, gboolean with_mark)
{
  return tall_copied_make_mark (copied, tall_slice (&row, 1), root, tall_slice (&summary, 1),
                                with_mark);
}

/* A claim, and what a repair changes, is not copied; all else is. Where children are, claims lie in
 * the place of the mark. */
static void
test_marks (void)
{
  g_autoptr (TallCopied) copied = tall_copied_new (100);
  TallRoot root = { 0 };
  guint64 with = make (copied, 'r', &root, 's', TRUE),
          without = make (copied, 'r', &root, 's', FALSE);
  g_assert_cmpuint (make (copied, 'x', &root, 's', TRUE), !=, with);
  g_assert_cmpuint (make (copied, 'r', &root, 'x', TRUE), !=, with);
  for (guint i = 0; i < TALL_STATE_SIZE; i++)
    {
      gboolean is_mark = i >= MARK && i < REPLACED;
      gboolean is_claim = i >= CLAIM && i < DIGEST;
      root.bytes[i] = 1;
      g_assert_true ((make (copied, 'r', &root, 's', TRUE) == with) == (is_claim && !is_mark));
      g_assert_true ((make (copied, 'r', &root, 's', FALSE) == without) == is_claim);
      root.bytes[i] = 0;
    }
}

/* Nobody can choose numbers that look the same. */
static void
test_random (void)
{
  g_autoptr (TallCopied) one = tall_copied_new (100);
  g_autoptr (TallCopied) other = tall_copied_new (100);
  const TallRoot root = { 0 };
  g_assert_cmpuint (make (one, 'r', &root, 's', TRUE), !=, make (other, 'r', &root, 's', TRUE));
}

static gboolean
claim (TallCopied *copied, const char *table, const char *row, const char *from)
{
  return tall_copied_claim (copied, table, tall_slice_str (row), "orders", tall_slice_str (from));
}

/* A row is that of the first one that asks for it. What can be remembered is bounded. */
static void
test_claims (void)
{
  g_autoptr (TallCopied) places = tall_copied_new (4);
  g_assert_true (claim (places, "orders", "a", "1"));
  g_assert_true (claim (places, "orders", "a", "1"));
  g_assert_false (claim (places, "orders", "a", "2"));
  g_assert_true (claim (places, "customers", "a", "2"));
  g_assert_true (claim (places, "orders", "b", "3")); /* there is no room for it */
  g_assert_true (claim (places, "orders", "b", "4"));
  g_assert_false (claim (places, "customers", "a", "1"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/migrate/copied/marks", test_marks);
  g_test_add_func ("/migrate/copied/random", test_random);
  g_test_add_func ("/migrate/copied/claims", test_claims);
  return g_test_run ();
}
