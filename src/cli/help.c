/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#include "base/text.h"
#include "cli/output.h"
#include "tall-error.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/**
 * tall_usage_error:
 *
 * Says what is wrong with the call, and where to look.
 */
TallExit
tall_usage_error (const TallCommand *command, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  tall_print_error ("%s; see: tallorder %s --help", message, command->name);
  return TALL_EXIT_USAGE;
}

/**
 * tall_call_error:
 * @error: what is wrong with the call; %TALL_ERROR_UNAVAILABLE: a file that it names cannot be read
 *
 * Prints it.
 *
 * Returns: the exit code that fits it
 */
TallExit
tall_call_error (const TallCommand *command, const GError *error)
{
  if (!g_error_matches (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE))
    {
      g_autofree char *text = tall_error_describe (error);
      return tall_usage_error (command, "%s", text);
    }
  tall_print_failure (error);
  return TALL_EXIT_FAILED;
}

/**
 * tall_fail_with:
 *
 * Prints an error.
 *
 * Returns: @code
 */
TallExit
tall_fail_with (const GError *error, TallExit code)
{
  tall_print_failure (error);
  return code;
}

/**
 * tall_fail_saying:
 *
 * Prints a message as tall_print_error() does.
 *
 * Returns: @code
 */
TallExit
tall_fail_saying (TallExit code, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  tall_print_error ("%s", message);
  return code;
}

/**
 * tall_fail:
 *
 * Prints an error.
 *
 * Returns: the exit code that fits it
 */
TallExit
tall_fail (const GError *error)
{
  tall_print_failure (error);
  if (g_error_matches (error, TALL_ERROR, TALL_ERROR_NOT_FOUND)
      || g_error_matches (error, TALL_ERROR, TALL_ERROR_CONFLICT))
    return TALL_EXIT_NO;
  return TALL_EXIT_FAILED;
}

/**
 * tall_refuse:
 * @error: why a server has not begun what it was asked for
 *
 * Prints it.
 *
 * Returns: the exit code that fits it: a server that calls the wish invalid has not asked its store
 */
TallExit
tall_refuse (const TallCommand *command, const GError *error)
{
  return g_error_matches (error, TALL_ERROR, TALL_ERROR_INVALID) ? tall_call_error (command, error)
                                                                 : tall_fail (error);
}

/**
 * tall_help_wanted:
 *
 * Returns: whether a command line asks for help, and how, whatever else it says
 */
TallHelp
tall_help_wanted (char **argv)
{
  for (guint i = 1; argv[i] != NULL && !g_str_equal (argv[i], "--"); i++)
    if (g_str_equal (argv[i], "--help") || g_str_equal (argv[i], "-h")
        || g_str_equal (argv[i], "-?"))
      return TALL_HELP_TEXT;
    else if (g_str_equal (argv[i], "--help=json"))
      return TALL_HELP_JSON;
  return TALL_HELP_NONE;
}

#define MAX_ANSWER 512 /* bytes; longer than any name */

/* A line from the terminal that is the name and nothing else. */
static gboolean
ask (const TallDanger *danger)
{
  char answer[MAX_ANSWER];
  g_autofree char *clean = tall_text_clean (danger->name);
  fprintf (stderr,
           "This removes the %s %s with %s.\n"
           "Type its %s again to go on: ",
           danger->what, clean, danger->with, danger->called);
  fflush (stderr);
  if (fgets (answer, sizeof answer, stdin) == NULL)
    return FALSE;
  g_strchomp (answer);
  return g_str_equal (answer, danger->name);
}

/**
 * tall_confirm:
 * @yes: (nullable): the name again, from an option; NULL: it is asked for
 * @code: (out): if it is not to be done, which it has said then
 *
 * Returns: whether it is to be done
 */
gboolean
tall_confirm (const TallCommand *command, const TallDanger *danger, const char *yes, TallExit *code)
{
  *code = TALL_EXIT_USAGE;
  if (yes != NULL && g_str_equal (yes, danger->name))
    return TRUE;
  if (yes != NULL)
    tall_usage_error (command, "--yes and the %s of the %s differ (%s, %s); nothing is removed",
                      danger->called, danger->what, yes, danger->name);
  else if (!isatty (STDIN_FILENO))
    tall_usage_error (command, "Not on a terminal: add --yes %s", danger->name);
  else if (ask (danger))
    return TRUE;
  else
    {
      *code = TALL_EXIT_NO;
      tall_print_error ("The %s is another one; nothing is removed", danger->called);
    }
  return FALSE;
}
