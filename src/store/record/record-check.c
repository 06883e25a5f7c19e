/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/record/record-check.h"

#include "tall-error.h"

#define CHECK_SIZE 8  /* digits */
#define MAX_SHOWN 200 /* bytes of a damaged text */

/* Between a number and its check. No digit becomes one by a bit, so nothing that was changed there
 * is a number without a check. */
#define SEPARATOR '/'

/**
 * tall_record_check:
 * @text: of the deployment record
 *
 * Returns: (transfer full): the check that is stored with @text, by which a changed byte is noticed
 */
char *
tall_record_check (const char *text)
{
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
  return g_strndup (sum, CHECK_SIZE);
}

/**
 * tall_record_print_number:
 *
 * Returns: (transfer full): NUMBER/CHECK; layout/FORMAT.md says more
 */
char *
tall_record_print_number (guint64 number)
{
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, number);
  g_autofree char *check = tall_record_check (text);
  return g_strdup_printf ("%s%c%s", text, SEPARATOR, check);
}

/* Earlier versions wrote no check. */
static gboolean
parse (TallSlice stored, guint64 max, guint64 *number)
{
  g_autofree char *text = g_strndup ((const char *)stored.data, stored.len);
  char *end = strchr (text, SEPARATOR);
  gboolean is_checked = end != NULL;
  if (is_checked)
    *end = '\0';
  if (!g_ascii_string_to_unsigned (text, 10, 0, max, number, NULL))
    return FALSE;
  g_autofree char *printed = is_checked ? tall_record_print_number (*number) : g_strdup (text);
  return tall_slice_equal (tall_slice_str (printed), stored);
}

/**
 * tall_record_parse_number:
 * @stored: what @column is
 * @max: the greatest number that it can be
 *
 * Returns: FALSE with %TALL_ERROR_DAMAGED if it is neither what tall_record_print_number() gives
 *   nor a number without a check
 */
gboolean
tall_record_parse_number (
    TallSlice stored, const char *column, guint64 max, guint64 *number, GError **error)
{
  if (parse (stored, max, number))
    return TRUE;
  g_autofree char *shown =
      tall_slice_to_debug (tall_slice (stored.data, MIN (stored.len, MAX_SHOWN)));
  g_set_error (error, TALL_ERROR, TALL_ERROR_DAMAGED,
               "The deployment record's column %s is %s: not a number up to %" G_GUINT64_FORMAT
               ", or not as it was written; restore the deployment from a backup",
               column, shown, max);
  return FALSE;
}
