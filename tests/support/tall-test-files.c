/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-files.h"

#include <unistd.h>

char *
tall_test_write_file (const char *text, gssize len)
{
  g_autoptr (GError) error = NULL;
  char *path = NULL;
  int fd = g_file_open_tmp ("tallorder-XXXXXX", &path, &error);
  g_assert_no_error (error);
  close (fd);
  g_file_set_contents (path, text, len, &error);
  g_assert_no_error (error);
  return path;
}

char *
tall_test_source_path (const char *path)
{
  const char *root = g_getenv ("TALL_SOURCE_ROOT");
  g_assert_nonnull (root);
  return g_build_filename (root, path, NULL);
}
