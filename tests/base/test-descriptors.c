/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"

#include <sys/resource.h>

static void
set_limit (guint soft, guint hard)
{
  struct rlimit limit = { soft, hard };
  g_assert_no_errno (setrlimit (RLIMIT_NOFILE, &limit));
}

/* The hard limit cannot be raised again: each case has a lower one than the case before. */
static void
test_shares (void)
{
  static const struct
  {
    guint soft, hard, store, clients;
  } cases[] = {
    { 1024, 10000, 1024, 8848 }, { 1024, 4096, 1024, 2944 }, { 1000, 4000, 1000, 2872 },
    { 1024, 1024, 256, 640 },    { 64, 200, 50, 22 },        { 64, 160, 40, 0 },
  };

  struct rlimit limit;
  g_assert_no_errno (getrlimit (RLIMIT_NOFILE, &limit));
  rlim_t most = limit.rlim_max;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      if (cases[i].hard > most)
        continue;
      g_test_message ("%u of %u", cases[i].soft, cases[i].hard);
      set_limit (cases[i].soft, cases[i].hard);
      g_assert_cmpuint (tall_descriptors_raise (), ==, cases[i].hard);
      g_assert_no_errno (getrlimit (RLIMIT_NOFILE, &limit));
      g_assert_cmpuint (limit.rlim_cur, ==, cases[i].hard);
      set_limit (cases[i].soft, cases[i].hard);
      g_assert_cmpuint (tall_descriptors_for_store (), ==, cases[i].store);
      set_limit (cases[i].soft, cases[i].hard);
      g_assert_cmpuint (tall_descriptors_for_clients (), ==, cases[i].clients);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/descriptors/shares", test_shares);
  return g_test_run ();
}
