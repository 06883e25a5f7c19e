/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-token.h"

#include <sys/wait.h>
#include <unistd.h>

/* A UUID of version 4, as text. */
static char *
make_text (void)
{
  guint8 token[TALL_TOKEN_SIZE];
  GString *text = g_string_new (NULL);
  tall_token_make (token);
  for (guint i = 0; i < TALL_TOKEN_SIZE; i++)
    g_string_append_printf (text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                            token[i]);
  return g_string_free (text, FALSE);
}

static void
test_form (void)
{
  for (guint i = 0; i < 100; i++)
    {
      g_autofree char *text = make_text ();
      g_assert_true (g_uuid_string_is_valid (text));
      g_assert_cmpint (text[14], ==, '4');
      g_assert_nonnull (strchr ("89ab", text[19]));
    }
}

static void
test_unique (void)
{
  const guint n = 10000;
  g_autoptr (GHashTable) made = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < n; i++)
    g_assert_true (g_hash_table_add (made, make_text ()));
  g_assert_cmpuint (g_hash_table_size (made), ==, n);
}

/* A child has its own, not the next ones of its parent. */
static void
test_fork (void)
{
  guint8 own[TALL_TOKEN_SIZE], others[TALL_TOKEN_SIZE];
  int ends[2];
  g_assert_cmpint (pipe (ends), ==, 0);
  pid_t child = fork ();
  g_assert_cmpint (child, >=, 0);
  tall_token_make (own);
  if (child == 0)
    _exit (write (ends[1], own, sizeof own) == sizeof own ? 0 : 1);
  int status;
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
  g_assert_cmpint (read (ends[0], others, sizeof others), ==, sizeof others);
  g_assert_cmpint (memcmp (own, others, sizeof own), !=, 0);
  close (ends[0]);
  close (ends[1]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/token/form", test_form);
  g_test_add_func ("/base/token/unique", test_unique);
  g_test_add_func ("/base/token/fork", test_fork);
  return g_test_run ();
}
