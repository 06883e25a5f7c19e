/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include <glib.h>
#include <string.h>

/* Stands in for a fuzzing engine: runs the target on stored inputs, on every prefix of them, and
 * with every single bit flipped. */

#define MAX_VARIED 4096 /* bytes from the start of an input that are varied */

/* In memory of exactly its size, so that the address sanitizer sees a read beyond the end. */
static void
run_copy (const guint8 *data, gsize size)
{
  g_autofree guint8 *copy = g_malloc (MAX (size, 1));
  if (size > 0)
    memcpy (copy, data, size);
  LLVMFuzzerTestOneInput (copy, size);
}

static void
run_varied (guint8 *data, gsize size)
{
  gsize varied = MIN (size, MAX_VARIED);
  run_copy (data, size);
  for (gsize i = 0; i < varied; i++)
    {
      run_copy (data, i);
      for (guint bit = 0; bit < 8; bit++)
        {
          data[i] ^= 1u << bit;
          run_copy (data, size);
          data[i] ^= 1u << bit;
        }
    }
}

static void
run_file (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *contents = NULL;
  gsize size;
  if (!g_file_get_contents (path, &contents, &size, &error))
    g_error ("%s", error->message);
  run_varied ((guint8 *)contents, size);
}

static guint
run_directory (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = g_dir_open (path, 0, &error);
  if (dir == NULL)
    g_error ("%s", error->message);

  guint n = 0;
  for (const char *name = g_dir_read_name (dir); name != NULL; name = g_dir_read_name (dir))
    {
      g_autofree char *file = g_build_filename (path, name, NULL);
      run_file (file);
      n++;
    }
  return n;
}

int
main (int argc, char **argv)
{
  guint n = 0;
  for (int i = 1; i < argc; i++)
    n += run_directory (argv[i]);
  g_print ("%u stored inputs\n", n);
  return n > 0 ? 0 : 1;
}
