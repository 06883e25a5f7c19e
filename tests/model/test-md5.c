/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical.h"

static char *
md5_hex (const char *text)
{
  guint8 digest[TALL_MD5_SIZE];
  tall_md5 (tall_slice_str (text), digest);
  return tall_slice_to_hex (tall_slice (digest, sizeof digest));
}

/* RFC 1321, A.5 */
static void
test_known (void)
{
  static const char *const cases[][2] = {
    { "", "d41d8cd98f00b204e9800998ecf8427e" },
    { "abc", "900150983cd24fb0d6963f7d28e17f72" },
    { "message digest", "f96b697d7cb7938d525a2f31aaf161d0" },
    { "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
      "57edf4a22be3c955ac49da2e2107b67a" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *hex = md5_hex (cases[i][0]);
      g_assert_cmpstr (hex, ==, cases[i][1]);
    }
}

static gpointer
hash_often (gpointer data G_GNUC_UNUSED)
{
  for (guint i = 0; i < 10000; i++)
    {
      g_autofree char *hex = md5_hex ("abc");
      g_assert_cmpstr (hex, ==, "900150983cd24fb0d6963f7d28e17f72");
    }
  return NULL;
}

static void
test_threads (void)
{
  GThread *threads[4];
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("md5", hash_often, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/md5/known", test_known);
  g_test_add_func ("/model/md5/threads", test_threads);
  return g_test_run ();
}
