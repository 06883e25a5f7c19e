/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-directory.h"
#include "tall-must.h"

#include <glib/gstdio.h>

/**
 * tall_test_directory_new:
 *
 * Returns: (transfer full): the path of a new, empty directory for one test
 */
char *
tall_test_directory_new (void)
{
  return must (g_dir_make_tmp ("tallorder-test-XXXXXX", &error));
}

/**
 * tall_test_directory_remove:
 *
 * Removes a directory with everything in it; links are removed, not followed.
 */
void
tall_test_directory_remove (const char *directory)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (directory, name, NULL);
      if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
        tall_test_directory_remove (path);
      else
        g_unlink (path);
    }
  g_rmdir (directory);
}
