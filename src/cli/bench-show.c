/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/bench-show.h"

#include "bench/drawing.h"
#include "bench/page.h"
#include "bench/parse.h"
#include "bench/plot.h"
#include "bench/text.h"
#include "tall-error.h"
#include "cli/json-output.h"
#include "cli/output.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <unistd.h>

/* Why no file can be written there; NULL: it can. What is no plain file would be replaced by one.
 */
static const char *
find_obstacle (const char *path)
{
  GStatBuf there;
  g_autofree char *folder = g_path_get_dirname (path);
  if (*path == '\0')
    return "it has no name";
  if (g_lstat (path, &there) == 0 && !S_ISREG (there.st_mode))
    return S_ISDIR (there.st_mode) ? g_strerror (EISDIR) : "a link or a device lies there";
  return g_access (folder, W_OK) == 0 ? NULL : g_strerror (errno);
}

/**
 * tall_bench_show_check_page:
 * @path: (nullable): of the page; NULL: there is none
 *
 * Returns: FALSE for what can be known before hours of measuring: there is nothing to draw with, or
 *   the file cannot be written
 */
gboolean
tall_bench_show_check_page (const char *path, GError **error)
{
  if (path == NULL)
    return TRUE;
  if (!tall_bench_plot_check (error))
    return FALSE;
  const char *obstacle = find_obstacle (path);
  if (obstacle != NULL)
    tall_error_set_invalid (error, "html", "--html %s cannot be written: %s", path, obstacle);
  return obstacle == NULL;
}

/**
 * tall_bench_show_write_page:
 * @path: (nullable): of the page; NULL: there is none
 */
gboolean
tall_bench_show_write_page (const char *path, const TallBenchResults *results, GError **error)
{
  if (path == NULL)
    return TRUE;
  g_autofree char *exact = tall_bench_results_to_json (results);
  g_autofree char *json = tall_json_round (exact);
  g_autofree char *page = tall_bench_page_make (&results, 1, json, NULL, error);
  return page != NULL && g_file_set_contents (path, page, -1, error);
}

static char *
read_results (GStrv files, GPtrArray *runs, GError **error)
{
  g_autoptr (GString) json = g_string_new ("[\n");
  for (guint i = 0; files[i] != NULL; i++)
    {
      g_autofree char *text = tall_bench_text_read (files[i], error);
      TallBenchParsed *parsed = text != NULL ? tall_bench_parse (text, error) : NULL;
      if (parsed == NULL)
        {
          g_prefix_error (error, "%s: ", files[i]);
          return NULL;
        }
      g_ptr_array_add (runs, parsed);
      g_string_append_printf (json, "%s%s", i > 0 ? ",\n" : "", text);
    }
  g_string_append (json, "]\n");
  return g_string_free (g_steal_pointer (&json), FALSE);
}

/**
 * tall_bench_show_results:
 * @files: names of files with JSON of `bench`, with commas between them
 * @path: of the page
 * @command: by which it is made
 *
 * Makes a page of what was measured before.
 */
TallExit
tall_bench_show_results (const char *files, const char *path, const char *command)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) parsed =
      g_ptr_array_new_with_free_func ((GDestroyNotify)tall_bench_parsed_free);
  g_autoptr (GPtrArray) runs = g_ptr_array_new ();
  g_auto (GStrv) names = g_strsplit (files, ",", -1);
  if (!tall_bench_show_check_page (path, &error))
    {
      tall_print_failure (error);
      return TALL_EXIT_USAGE;
    }
  g_autofree char *json = read_results (names, parsed, &error);
  for (guint i = 0; i < parsed->len; i++)
    g_ptr_array_add (runs, (gpointer)tall_bench_parsed_get_results (g_ptr_array_index (parsed, i)));
  g_autofree char *page = json != NULL
                              ? tall_bench_page_make ((const TallBenchResults *const *)runs->pdata,
                                                      runs->len, json, command, &error)
                              : NULL;
  if (page != NULL && g_file_set_contents (path, page, -1, &error))
    return TALL_EXIT_DONE;
  tall_print_failure (error);
  return TALL_EXIT_FAILED;
}

/**
 * tall_bench_show_numbers:
 *
 * Prints a drawing of the numbers in the file @path.
 */
TallExit
tall_bench_show_numbers (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *json =
      tall_bench_plot_check (&error) ? tall_bench_text_read (path, &error) : NULL;
  g_autofree char *drawing = json != NULL ? tall_bench_drawing_make (json, &error) : NULL;
  if (drawing != NULL)
    tall_print ("%s", drawing);
  else
    tall_print_failure (error);
  return drawing != NULL ? TALL_EXIT_DONE : TALL_EXIT_FAILED;
}
