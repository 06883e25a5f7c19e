/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/report.h"

#include "cli/output.h"
#include "base/text.h"
#include "tall-error.h"

/* A server that is gone for so long is given up: a new one knows nothing of what the old one did.
 */
#define PATIENCE (2 * G_USEC_PER_SEC)

/**
 * tall_ask_patiently:
 * @ask: asks a server
 * @stop: atomic; asking ends when it is not 0 any more
 *
 * Asks until an answer comes, or the server has been silent for too long.
 *
 * Returns: (nullable): the answer
 */
gpointer
tall_ask_patiently (gpointer (*ask) (gpointer data, GError **error),
                    gpointer data,
                    const gint *stop,
                    GError **error)
{
  gint64 deadline = g_get_monotonic_time () + PATIENCE;
  while (TRUE)
    {
      g_autoptr (GError) cause = NULL;
      gpointer answer = ask (data, &cause);
      if (answer != NULL)
        return answer;
      if (!tall_error_is_passing (cause) || g_get_monotonic_time () > deadline
          || g_atomic_int_get (stop) != 0)
        {
          g_propagate_error (error, g_steal_pointer (&cause));
          return NULL;
        }
      g_usleep (TALL_LOOK_EVERY);
    }
}

void
tall_backup_report_progress (const TallBackupProgress *progress)
{
  const char *stage = tall_backup_stage_get_name (progress->stage);
  g_autofree char *text =
      progress->stage == TALL_BACKUP_VERIFYING
          ? g_strdup_printf ("%s: %" G_GUINT64_FORMAT " orders, %" G_GUINT64_FORMAT " customers",
                             stage, progress->n_orders, progress->n_customers)
          : g_strdup_printf ("%s: %.1f MB", stage, (gdouble)progress->n_bytes / 1e6);
  tall_progress_show_text (text);
}

static void
print_json (const char *what, const TallBackupSummary *summary)
{
  g_autofree char *path = tall_text_clean (summary->path);
  JsonBuilder *builder = tall_json_line_new (what);
  tall_json_add_text (builder, "path", path);
  tall_json_add_number (builder, "deployments", summary->n_deployments);
  tall_json_add_number (builder, "orders", summary->n_orders);
  tall_json_add_number (builder, "customers", summary->n_customers);
  tall_json_add_number (builder, "findings", summary->n_findings);
  tall_json_add_number (builder, "files", summary->n_files);
  tall_json_add_number (builder, "bytes", summary->n_bytes);
  tall_json_line_end (builder);
}

/**
 * tall_backup_report_summary:
 * @what: `backup` or `restored`
 */
void
tall_backup_report_summary (const char *what, const TallBackupSummary *summary, gboolean json)
{
  tall_progress_clear ();
  if (json)
    {
      print_json (what, summary);
      return;
    }
  g_autofree char *path = tall_text_clean (summary->path);
  tall_print ("%s %s: %" G_GUINT64_FORMAT " orders and %" G_GUINT64_FORMAT
              " customers of %u deployment%s verified, in %u files of %.1f MB\n",
              g_str_equal (what, "backup") ? "Backup" : "Restored", path, summary->n_orders,
              summary->n_customers, summary->n_deployments, summary->n_deployments == 1 ? "" : "s",
              summary->n_files, (gdouble)summary->n_bytes / 1e6);
  if (summary->n_findings > 0)
    tall_print ("It has %" G_GUINT64_FORMAT " leftovers that do no harm, as a crash leaves them; "
                "“tallorder verify --repair” of a restored store removes them.\n",
                summary->n_findings);
}

/**
 * tall_backup_report_stopped:
 *
 * Returns: the exit code after a signal
 */
TallExit
tall_backup_report_stopped (gint number)
{
  return tall_fail_saying ((TallExit)(128 + number),
                           "Stopped by a signal: nothing half-done is left");
}
