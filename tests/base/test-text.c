/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

static void
expect_text (const char *bytes, gsize len, const char *due)
{
  g_autofree char *text = tall_text_from_bytes (tall_slice (bytes, len));
  g_assert_cmpstr (text, ==, due);
}

static void
test_from_bytes (void)
{
  expect_text (NULL, 0, "");
  expect_text ("plain", 5, "plain");
  expect_text ("\0", 1, "\\x00");
  expect_text ("\0\0a\0", 4, "\\x00\\x00a\\x00");
  expect_text ("a\0b\xff\n", 5, "a\\x00b\xff\n");
}

/* At every place of texts of every length, also where words of eight bytes begin and end. */
static void
test_is_utf8 (void)
{
  for (gsize len = 0; len < 40; len++)
    {
      char text[40];
      memset (text, 'a', sizeof text);
      g_assert_true (tall_text_is_utf8 (tall_slice (text, len)));
      for (gsize i = 0; i < len; i++)
        {
          text[i] = '\x80';
          g_assert_false (tall_text_is_utf8 (tall_slice (text, len)));
          g_assert_true (tall_text_is_utf8 (tall_slice (text, i)));
          text[i] = 'a';
        }
    }
  g_assert_true (tall_text_is_utf8 (tall_slice_str ("Käse, zu 10 €")));
  g_assert_false (tall_text_is_utf8 (tall_slice_str ("Käse, zu 10 \xe2\x82")));
}

static void
test_clean (void)
{
  static const char *const cases[][2] = {
    { "", "" },
    { "Käse, 10 €", "Käse, 10 €" },
    { "a\nb\t\x1b[31m\x7f", "a\\x0ab\\x09\\x1b[31m\\x7f" },
    { "C1 \xc2\x9b", "C1 \\x9b" },
    { "turned \xe2\x80\xae back", "turned \\u202e back" },
    { "joined \xe2\x80\x8d", "joined \xe2\x80\x8d" },
    { "cut \xe2\x82", "cut \xef\xbf\xbd\xef\xbf\xbd" },
    { "\xff", "\xef\xbf\xbd" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *clean = tall_text_clean (cases[i][0]);
      g_assert_cmpstr (clean, ==, cases[i][1]);
      g_autofree char *again = tall_text_clean (clean);
      g_assert_cmpstr (again, ==, clean);
    }
}

static void
test_cut (void)
{
  static const struct
  {
    const char *text;
    const char *cut; /* to 6 bytes */
  } cases[] = {
    { "", "" },
    { "abcdef", "abcdef" },
    { "abcdefg", "abcdef…" },
    { "abcdé", "abcdé" },
    { "abcdeé", "abcde…" }, /* no half of a character */
    { "abcd\xe9", "abcd\xef\xbf\xbd" },
    { "\xff\xff\xff\xff\xff\xff\xff",
      "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd…" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *cut = tall_text_cut (cases[i].text, 6);
      g_assert_cmpstr (cut, ==, cases[i].cut);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/text/from-bytes", test_from_bytes);
  g_test_add_func ("/base/text/is-utf8", test_is_utf8);
  g_test_add_func ("/base/text/clean", test_clean);
  g_test_add_func ("/base/text/cut", test_cut);
  return g_test_run ();
}
