/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/usage.h"
#include "tall-error.h"
#include "cli/output.h"

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
