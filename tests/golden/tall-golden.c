/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-golden.h"
#include "tall-must.h"

#include <string.h>

static void
compare_with_file (const char *path, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *expected = NULL;
  if (!g_file_get_contents (path, &expected, NULL, &error))
    g_error ("%s: run this test with TALL_GOLDEN_UPDATE=1 if it is to be new", error->message);

  g_auto (GStrv) old_lines = g_strsplit (expected, "\n", -1);
  g_auto (GStrv) new_lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; old_lines[i] != NULL && new_lines[i] != NULL; i++)
    if (strcmp (old_lines[i], new_lines[i]) != 0)
      g_test_message ("%s:%u was\n  %s\nand is\n  %s", path, i + 1, old_lines[i], new_lines[i]);
  g_assert_true (strcmp (expected, text) == 0);
}

void
tall_golden_check (const char *name, const char *text)
{
  g_autofree char *path =
      g_build_filename (g_getenv ("TALL_SOURCE_ROOT"), "tests", "golden", name, NULL);
  if (g_strcmp0 (g_getenv ("TALL_GOLDEN_UPDATE"), "1") != 0)
    {
      compare_with_file (path, text);
      return;
    }

  must (g_file_set_contents (path, text, -1, &error));
}
