/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include <glib.h>
#include <string.h>

/* Stands in for a fuzzing engine: runs the target on stored inputs, on every prefix of them, and
 * with every single bit flipped; on those that an engine has found, as they are; or, with `--random
 * SECONDS FOLDER`, on random variations of them.
 */

#define FOUND                                                                                      \
  "found" /* the folder of those that an engine has found, in the folder of the others */

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
run_as_is (guint8 *data, gsize size)
{
  run_copy (data, size);
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
run_file (const char *path, void (*run) (guint8 *data, gsize size))
{
  g_autoptr (GError) error = NULL;
  g_autofree char *contents = NULL;
  gsize size;
  if (!g_file_get_contents (path, &contents, &size, &error))
    g_error ("%s", error->message);
  run ((guint8 *)contents, size);
}

static guint
run_directory (const char *path, void (*run) (guint8 *data, gsize size))
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = g_dir_open (path, 0, &error);
  if (dir == NULL)
    g_error ("%s", error->message);

  guint n = 0;
  for (const char *name = g_dir_read_name (dir); name != NULL; name = g_dir_read_name (dir))
    {
      g_autofree char *file = g_build_filename (path, name, NULL);
      if (g_str_equal (name, FOUND))
        n += run_directory (file, run_as_is);
      else
        {
          run_file (file, run);
          n++;
        }
    }
  return n;
}

/* One of these inputs with some bytes altered, cut, or made longer. */
static void
run_random (GRand *rand, const char *data, gsize size)
{
  gsize len = size;
  if (g_rand_int_range (rand, 0, 4) == 0)
    len = (gsize)g_rand_int_range (rand, 0, (gint32)size + 65);
  g_autofree guint8 *copy = g_malloc0 (MAX (len, 1));
  memcpy (copy, data, MIN (len, size));
  for (gint n = g_rand_int_range (rand, 1, 9); n > 0 && len > 0; n--)
    copy[g_rand_int_range (rand, 0, (gint32)len)] = (guint8)g_rand_int (rand);
  LLVMFuzzerTestOneInput (copy, len);
}

static GPtrArray *
read_directory (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  GPtrArray *inputs = g_ptr_array_new_with_free_func ((GDestroyNotify)g_mapped_file_unref);
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);
      GMappedFile *input = g_mapped_file_new (file, FALSE, NULL);
      if (input != NULL)
        g_ptr_array_add (inputs, input);
    }
  return inputs;
}

/* Random variations for so many seconds. */
static int
run_for (const char *seconds, const char *path)
{
  g_autoptr (GPtrArray) inputs = read_directory (path);
  gint64 end = g_get_monotonic_time () + g_ascii_strtoll (seconds, NULL, 10) * G_USEC_PER_SEC;
  guint32 first = g_random_int (), n = 0;
  g_print ("seeds from %u\n", first);
  for (; inputs->len > 0 && g_get_monotonic_time () < end; n++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (first + n);
      GMappedFile *input = g_ptr_array_index (inputs, g_rand_int (rand) % inputs->len);
      run_random (rand, g_mapped_file_get_contents (input), g_mapped_file_get_length (input));
    }
  g_print ("%u random inputs\n", n);
  return n > 0 ? 0 : 1;
}

int
main (int argc, char **argv)
{
  if (argc == 4 && g_str_equal (argv[1], "--random"))
    return run_for (argv[2], argv[3]);
  guint n = 0;
  for (int i = 1; i < argc; i++)
    n += run_directory (argv[i], run_varied);
  g_print ("%u stored inputs\n", n);
  return n > 0 ? 0 : 1;
}
