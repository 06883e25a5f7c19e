/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-digest-set.h"

static void
make_digest (guint i, guint8 digest[TALL_MD5_SIZE])
{
  tall_md5 (tall_slice (&i, sizeof i), digest);
}

/* Grows many times; what went in is there, and nothing else. */
static void
test_add (void)
{
  g_autoptr (TallDigestSet) set = tall_digest_set_new ();
  guint8 digest[TALL_MD5_SIZE];
  for (guint i = 0; i < 100000; i++)
    {
      make_digest (i, digest);
      g_assert_true (tall_digest_set_add (set, digest));
    }
  for (guint i = 0; i < 200000; i++)
    {
      make_digest (i, digest);
      g_assert_cmpint (tall_digest_set_contains (set, digest), ==, i < 100000);
      if (i < 100000)
        g_assert_false (tall_digest_set_add (set, digest));
    }
}

static void
test_zero (void)
{
  static const guint8 zero[TALL_MD5_SIZE];
  g_autoptr (TallDigestSet) set = tall_digest_set_new ();
  g_assert_false (tall_digest_set_contains (set, zero));
  g_assert_true (tall_digest_set_add (set, zero));
  g_assert_true (tall_digest_set_contains (set, zero));
  g_assert_false (tall_digest_set_add (set, zero));
}

/* Digests that all want the same slot. */
static void
test_crowd (void)
{
  g_autoptr (TallDigestSet) set = tall_digest_set_new ();
  for (guint i = 0; i < 500; i++)
    {
      guint8 digest[TALL_MD5_SIZE] = { 7 };
      memcpy (digest + 8, &i, sizeof i);
      g_assert_false (tall_digest_set_contains (set, digest));
      g_assert_true (tall_digest_set_add (set, digest));
      g_assert_false (tall_digest_set_add (set, digest));
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load/digest-set/add", test_add);
  g_test_add_func ("/load/digest-set/zero", test_zero);
  g_test_add_func ("/load/digest-set/crowd", test_crowd);
  return g_test_run ();
}
