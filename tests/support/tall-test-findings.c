/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-test-findings.h"
#include "tall-must.h"

static void
on_finding (const TallFinding *finding, gpointer data)
{
  g_autofree char *row = tall_slice_to_hex (finding->row);
  g_assert_true (g_utf8_validate (finding->message, -1, NULL));
  g_ptr_array_add (
      data,
      g_strdup_printf ("%s %s %s (%u) of %s %s @%" G_GINT64_FORMAT ": %s%s",
                       tall_finding_kind_info (finding->kind)->name, finding->table, row,
                       finding->n_rows,
                       finding->customer_number != NULL ? finding->customer_number : "-",
                       finding->order_number != NULL ? finding->order_number : "-",
                       finding->revision, finding->message, finding->mended ? ", mended" : ""));
}

/**
 * tall_test_find_some:
 * @lines: (inout): gets all that each finding says, in their order
 *
 * Verifies without waiting. It may fail.
 */
gboolean
tall_test_find_some (TallFront *front,
                     TallVerifyOptions options,
                     GPtrArray *lines,
                     TallVerifySummary *summary,
                     GError **error)
{
  options.alone = TRUE;
  options.on_finding = on_finding;
  options.data = lines;
  return tall_front_verify (front, &options, summary, error);
}

/**
 * tall_test_find:
 *
 * Verifies without waiting.
 *
 * Returns: (transfer full) (element-type utf8): all that each finding says, in their order
 */
GPtrArray *
tall_test_find (TallFront *front, TallVerifyOptions options, TallVerifySummary *summary)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  must (tall_test_find_some (front, options, lines, summary, &error));
  g_assert_cmpuint (summary->n_findings, ==, lines->len);
  return lines;
}

/**
 * tall_test_assert_same_findings:
 *
 * Verifies by both fronts: they find the same, say the same of it, and have looked at the same.
 */
void
tall_test_assert_same_findings (TallFront *one, TallFront *other, TallVerifyOptions options)
{
  TallVerifySummary first, second;
  g_autoptr (GPtrArray) lines = tall_test_find (one, options, &first);
  g_autoptr (GPtrArray) others = tall_test_find (other, options, &second);
  for (guint i = 0; i < MIN (lines->len, others->len); i++)
    g_assert_cmpstr (g_ptr_array_index (lines, i), ==, g_ptr_array_index (others, i));
  g_assert_cmpuint (lines->len, ==, others->len);
  g_assert_cmpmem (&first, sizeof first, &second, sizeof second);
}
