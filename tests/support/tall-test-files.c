/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-files.h"
#include "tall-must.h"

#include <unistd.h>

char *
tall_test_write_file (const char *text, gssize len)
{
  char *path = NULL;
  int fd = must (g_file_open_tmp ("tallorder-XXXXXX", &path, &error));
  close (fd);
  must (g_file_set_contents (path, text, len, &error));
  return path;
}

char *
tall_test_source_path (const char *path)
{
  const char *root = g_getenv ("TALL_SOURCE_ROOT");
  g_assert_nonnull (root);
  return g_build_filename (root, path, NULL);
}
