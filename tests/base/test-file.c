/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include <glib/gstdio.h>

#include "tall-error.h"
#include "base/file.h"

/* More than is read at once. */
#define LONG (200 * 1000)

static void
test_sizes (void)
{
  static const gsize sizes[] = { 0, 1, 65535, 65536, 65537, LONG };
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  int file = g_file_open_tmp ("tall-test-XXXXXX", &path, &error);
  g_assert_no_error (error);
  g_assert_true (g_close (file, NULL));

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *text = g_malloc (sizes[i] + 1);
      for (gsize k = 0; k < sizes[i]; k++)
        text[k] = (char)(k % 251); /* NULs among them */
      g_assert_true (g_file_set_contents (path, text, (gssize)sizes[i], &error));

      gsize len = 5;
      g_autofree char *found = tall_file_read (path, sizes[i], &len, &error);
      g_assert_no_error (error);
      g_assert_cmpmem (found, len, text, sizes[i]);
      g_assert_cmpint (found[len], ==, '\0');
      if (sizes[i] == 0)
        continue;
      g_assert_null (tall_file_read (path, sizes[i] - 1, NULL, &error));
      g_assert_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE);
      g_assert_nonnull (strstr (error->message, path));
      g_clear_error (&error);
    }
  g_assert_cmpint (g_unlink (path), ==, 0);

  g_assert_null (tall_file_read (path, LONG, NULL, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
  g_assert_nonnull (strstr (error->message, "opened"));
  g_clear_error (&error);
  g_assert_null (tall_file_read (g_get_tmp_dir (), LONG, NULL, &error));
  g_assert_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE);
  g_assert_nonnull (strstr (error->message, "read"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/file/sizes", test_sizes);
  return g_test_run ();
}
