/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/access/places.h"

#include "tall-error.h"
#include "tall-must.h"

static GInetAddress *
make (const char *text)
{
  GInetAddress *address = g_inet_address_new_from_string (text);
  g_assert_nonnull (address);
  return address;
}

static gboolean
are_one_origin (const char *a, const char *b)
{
  g_autoptr (GInetAddress) one = make (a);
  g_autoptr (GInetAddress) other = make (b);
  return tall_networks_get_origin (one) == tall_networks_get_origin (other);
}

static void
test_origins (void)
{
  g_assert_true (are_one_origin ("10.1.2.3", "10.1.2.3"));
  g_assert_true (are_one_origin ("10.1.2.3", "::ffff:10.1.2.3"));
  g_assert_true (are_one_origin ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff"));
  g_assert_false (are_one_origin ("10.1.2.3", "10.1.2.4"));
  g_assert_false (are_one_origin ("10.1.2.3", "11.1.2.3"));
  g_assert_false (are_one_origin ("::ffff:10.1.2.3", "::ffff:10.1.2.4"));
  g_assert_false (are_one_origin ("2001:db8:1:2::1", "2001:db8:1:3::1"));
  g_assert_false (are_one_origin ("2001:db8:1:2::1", "2002:db8:1:2::1"));
  g_assert_false (are_one_origin ("::1", "127.0.0.1"));
  g_assert_false (are_one_origin ("::", "0.0.0.0"));
}

static void
test_contain (void)
{
  static const struct
  {
    const char *networks, *address;
    gboolean contained;
  } cases[] = {
    { "10.0.0.7", "10.0.0.7", TRUE },
    { "10.0.0.7", "10.0.0.8", FALSE },
    { "10.0.0.0/8", "10.200.0.8", TRUE },
    { "10.0.0.0/8", "11.0.0.1", FALSE },
    { "10.0.0.0/8", "::ffff:10.0.0.1", TRUE },
    { "10.0.0.0/8", "::ffff:11.0.0.1", FALSE },
    { "10.0.0.0/8, fd00::/8 ,127.0.0.1", "fd12::1", TRUE },
    { "10.0.0.0/8, fd00::/8 ,127.0.0.1", "127.0.0.1", TRUE },
    { "10.0.0.0/8, fd00::/8 ,127.0.0.1", "fe12::1", FALSE },
    { "0.0.0.0/0", "::1", FALSE },
    { "::ffff:127.0.0.2", "127.0.0.2", TRUE },
    { "::ffff:127.0.0.2", "::ffff:127.0.0.2", TRUE },
    { "::ffff:127.0.0.2", "127.0.0.3", FALSE },
    { "::ffff:127.0.0.0/104", "127.200.0.1", TRUE },
    { "::ffff:127.0.0.0/104", "::ffff:127.200.0.1", TRUE },
    { "::ffff:127.0.0.0/104", "128.0.0.1", FALSE },
    { "::ffff:0:0/96", "10.0.0.1", TRUE },
    { "::ffff:0:0/96", "::1", FALSE },
    { "::127.0.0.2", "127.0.0.2", FALSE },
    { "", "10.0.0.7", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) networks = tall_networks_parse (cases[i].networks, &error);
      g_autoptr (GInetAddress) address = make (cases[i].address);
      g_assert_no_error (error);
      g_test_message ("%s in %s", cases[i].address, cases[i].networks);
      g_assert_true (tall_networks_contain (networks, address) == cases[i].contained);
    }
  g_autoptr (GInetAddress) any = make ("127.0.0.1");
  g_assert_false (tall_networks_contain (NULL, any));
}

/* Clients on the same machine, by every way in which their addresses come. */
static void
test_local (void)
{
  static const struct
  {
    const char *proxies, *address;
    gboolean local;
  } cases[] = {
    { "", "127.0.0.1", TRUE },
    { "", "127.9.8.7", TRUE },
    { "", "::1", TRUE },
    { "", "::ffff:127.0.0.1", TRUE },
    { "", "10.0.0.1", FALSE },
    { "", "::ffff:10.0.0.1", FALSE },
    { "", "128.0.0.1", FALSE },
    { "", "0.0.0.0", FALSE },
    { "", "::", FALSE },
    { "", "fe80::1", FALSE },
    { "", "2001:db8::1", FALSE },
    { "10.0.0.1", "127.0.0.1", TRUE },
    { "127.0.0.1", "127.0.0.1", FALSE },
    { "127.0.0.1", "127.0.0.2", TRUE },
    { "127.0.0.0/8", "::ffff:127.0.0.1", FALSE },
    { "::1", "::1", FALSE },
    { "10.0.0.1", "10.0.0.1", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GPtrArray) proxies = tall_networks_parse (cases[i].proxies, NULL);
      g_autoptr (GInetAddress) address = g_inet_address_new_from_string (cases[i].address);
      g_test_message ("%s, proxies %s", cases[i].address, cases[i].proxies);
      g_assert_cmpint (tall_networks_is_local (proxies, address), ==, cases[i].local);
    }
}

static void
test_wrong (void)
{
  static const char *const wrong[] = {
    ",", "10.0.0.7,", "proxy", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.7 10.0.0.8", "10.0.0",
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_test_message ("\"%s\"", wrong[i]);
      must_fail (tall_networks_parse (wrong[i], &error), TALL_ERROR_INVALID);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/service/networks/origins", test_origins);
  g_test_add_func ("/service/networks/contain", test_contain);
  g_test_add_func ("/service/networks/local", test_local);
  g_test_add_func ("/service/networks/wrong", test_wrong);
  return g_test_run ();
}
