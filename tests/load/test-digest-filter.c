/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/mapping/survey.h"
#include "model/canonical.h"

#define SIZE (64 * 1024)

static void
make_digest (guint32 i, guint8 digest[TALL_DIGEST_SIZE])
{
  tall_md5 (tall_slice (&i, sizeof i), digest);
}

/* Adds from @from to before @to. Returns how many were taken for digests that came before. */
static guint
add (TallDigestFilter *filter, guint32 from, guint32 to)
{
  guint n = 0;
  for (guint32 i = from; i < to; i++)
    {
      guint8 digest[TALL_DIGEST_SIZE];
      make_digest (i, digest);
      n += !tall_digest_filter_add (filter, digest);
    }
  return n;
}

static guint
count_contained (const TallDigestFilter *filter, guint32 from, guint32 to)
{
  guint n = 0;
  for (guint32 i = from; i < to; i++)
    {
      guint8 digest[TALL_DIGEST_SIZE];
      make_digest (i, digest);
      n += tall_digest_filter_contains (filter, digest);
    }
  return n;
}

/* What was added is never forgotten, however full the filter is. */
static void
test_never_forgets (void)
{
  g_autoptr (TallDigestFilter) filter = tall_digest_filter_new (SIZE);
  for (guint32 n = 1000; n <= 1000000; n *= 10)
    {
      add (filter, 0, n);
      g_assert_cmpuint (add (filter, 0, n), ==, n);
      g_assert_cmpuint (count_contained (filter, 0, n), ==, n);
    }
}

/* Few are taken for others: the rates that the header names, and four times that at most. */
static void
test_seldom_errs (void)
{
  static const struct
  {
    guint bits; /* for each digest */
    guint per_1000;
  } cases[] = { { 26, 1 }, { 16, 4 }, { 8, 60 }, { 4, 300 } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TallDigestFilter) filter = tall_digest_filter_new (SIZE);
      guint n = SIZE * 8 / cases[i].bits;
      g_assert_cmpuint (add (filter, 0, n), <=, n * cases[i].per_1000 / 1000);
      guint wrong = count_contained (filter, n, 2 * n);
      g_test_message ("%u bits: %u of %u", cases[i].bits, wrong, n);
      g_assert_cmpuint (wrong, <=, n * cases[i].per_1000 / 1000);
    }
}

static void
test_empty (void)
{
  static const guint8 zero[TALL_DIGEST_SIZE];
  g_autoptr (TallDigestFilter) filter = tall_digest_filter_new (64);
  g_assert_false (tall_digest_filter_contains (filter, zero));
  g_assert_cmpuint (count_contained (filter, 0, 1000), ==, 0);
  g_assert_true (tall_digest_filter_add (filter, zero));
  g_assert_false (tall_digest_filter_add (filter, zero));
  g_assert_true (tall_digest_filter_contains (filter, zero));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load/digest-filter/never-forgets", test_never_forgets);
  g_test_add_func ("/load/digest-filter/seldom-errs", test_seldom_errs);
  g_test_add_func ("/load/digest-filter/empty", test_empty);
  return g_test_run ();
}
