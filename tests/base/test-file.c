/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include <glib/gstdio.h>

#include "tall-error.h"
#include "base/file.h"
#include "tall-must.h"

/* More than is read at once. */
#define LONG (200 * 1000)

static void
test_sizes (void)
{
  static const gsize sizes[] = { 0, 1, 65535, 65536, 65537, LONG };
  g_autofree char *path = NULL;
  int file = must (g_file_open_tmp ("tall-test-XXXXXX", &path, &error));
  g_assert_true (g_close (file, NULL));

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *text = g_malloc (sizes[i] + 1);
      for (gsize k = 0; k < sizes[i]; k++)
        text[k] = (char)(k % 251); /* NULs among them */
      must (g_file_set_contents (path, text, (gssize)sizes[i], &error));

      gsize len = 5;
      g_autofree char *found = must (tall_file_read (path, sizes[i], &len, &error));
      g_assert_cmpmem (found, len, text, sizes[i]);
      g_assert_cmpint (found[len], ==, '\0');
      if (sizes[i] == 0)
        continue;
      must_fail (tall_file_read (path, sizes[i] - 1, NULL, &error), TALL_ERROR_TOO_LARGE, path);
    }
  g_assert_cmpint (g_unlink (path), ==, 0);

  must_fail (tall_file_read (path, LONG, NULL, &error), TALL_ERROR_UNAVAILABLE, "opened");
  must_fail (tall_file_read (g_get_tmp_dir (), LONG, NULL, &error), TALL_ERROR_UNAVAILABLE, "read");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/file/sizes", test_sizes);
  return g_test_run ();
}
