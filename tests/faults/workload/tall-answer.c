/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-answer.h"

#include "tall-error.h"
#include "tall-history.h"

/**
 * tall_answer_name:
 *
 * Returns: what an error means for the caller: only "unknown" may have happened
 */
const char *
tall_answer_name (const GError *error)
{
  if (error->domain != TALL_ERROR)
    return "wrong";
  switch (error->code)
    {
    case TALL_ERROR_NOT_FOUND:
      return "not-found";
    case TALL_ERROR_CONFLICT:
      return "conflict";
    case TALL_ERROR_OUTCOME_UNKNOWN:
      return "unknown";
    case TALL_ERROR_INTERNAL:
      return "internal";
    case TALL_ERROR_UNAVAILABLE:
    case TALL_ERROR_TIMED_OUT:
    case TALL_ERROR_OVERLOADED:
      return "undone";
    default:
      return "wrong";
    }
}

/**
 * tall_answer_begin:
 * @error: (nullable): NULL: it was done
 *
 * Returns: (transfer full): the begin of the fields of tall_history_return(): the outcome, and what
 *   the error says
 */
GString *
tall_answer_begin (const GError *error)
{
  GString *line = g_string_new (NULL);
  g_string_append_printf (line, "\"outcome\":\"%s\"",
                          error != NULL ? tall_answer_name (error) : "ok");
  if (error == NULL)
    return line;
  g_autofree char *text = tall_error_describe (error); /* the checker reads the detail, too */
  tall_history_append_text (line, "error", text);
  if (g_error_matches (error, TALL_ERROR, TALL_ERROR_CONFLICT))
    g_string_append_printf (line, ",\"revision\":%" G_GINT64_FORMAT,
                            tall_error_get_revision (error));
  return line;
}
