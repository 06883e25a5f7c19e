/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <string.h>

static const struct
{
  const char *value; /* as it stands in the file */
  const char *text;  /* what it means; NULL: refused */
} cases[] = {
  { "", "" },       { "plain", "plain" }, { "a\\\\", "a\\" },
  { "\\\\", "\\" }, { "a\\sb", "a b" },   { "a\\", NULL },
  { "\\", NULL },   { "a\\\\\\", NULL },  { "C:\\data\\", NULL }, /* of which GLib warns */
};

static void
test_ends (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GKeyFile) file = g_key_file_new ();
      g_autoptr (GError) error = NULL;
      g_autofree char *text = g_strdup_printf ("[one]\nx=y\n[two]\nx=y\nz=%s\n", cases[i].value);
      gboolean ok = tall_key_file_load (file, text, strlen (text), &error);
      g_assert_cmpint (ok, ==, cases[i].text != NULL);
      if (ok)
        {
          g_assert_no_error (error);
          g_autofree char *value = g_key_file_get_string (file, "two", "z", NULL);
          g_assert_cmpstr (value, ==, cases[i].text);
          continue;
        }
      g_assert_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE);
      g_assert_nonnull (strstr (error->message, "[two] z: "));
    }
}

/* GLib takes the last one of a key, and forgets the others. */
static void
test_repeats (void)
{
  static const struct
  {
    const char *text;
    const char *twice; /* NULL: nothing */
  } files[] = {
    { "[a]\nx=1\ny=2\n[b]\nx=3\n[a]\nz=4\n", NULL },
    { "[a]\nx=1\n#x=2\n # x=3\n\n[b]\n", NULL },
    { "[a]\nx=1\nX=2\nx y=3\n", NULL },
    { "[a]\nx=x=1\ny=[a]\n", NULL },
    { "[a]\nx=1\nx=1\n", "[a] x: " },
    { "[a]\nx=1\n[b]\nx=1\n[a]\nx=\n", "[a] x: " },
    { "[a]\nx = 1\n  x\t=2\n", "[a] x: " },
    { "[a]\nx=1\nx[de]=2\n", NULL },
    { "[a]\nx[de]=1\nx[de]=2\n", "[a] x[de]: " },
    { "[a]\r\nx=1\r\nx=2\r\n", "[a] x: " },
  };
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autoptr (GKeyFile) file = g_key_file_new ();
      g_autoptr (GError) error = NULL;
      const char *text = files[i].text;
      g_test_message ("%s", text);
      gboolean ok = tall_key_file_load (file, text, strlen (text), &error);
      g_assert_true (ok == (files[i].twice == NULL));
      if (ok)
        continue;
      g_assert_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE);
      g_assert_true (g_str_has_prefix (error->message, files[i].twice));
    }
}

static void
test_no_file (void)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) error = NULL;
  g_assert_false (tall_key_file_load (file, "x", 1, &error));
  g_assert_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_PARSE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/key-file/ends", test_ends);
  g_test_add_func ("/base/key-file/repeats", test_repeats);
  g_test_add_func ("/base/key-file/no-file", test_no_file);
  return g_test_run ();
}
