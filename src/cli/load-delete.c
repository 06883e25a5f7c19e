/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/load-delete.h"
#include "tall-error.h"
#include "cli/json-output.h"
#include "cli/load-report.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/stop.h"
#include "base/text.h"

#include <gio/gio.h>

/**
 * tall_load_delete_guess_mapping:
 *
 * Returns: (transfer full): the mapping for a file without one: the first column has the customer's
 *   number, the second, if there is one, the order's; NULL with %TALL_ERROR_INVALID
 */
TallMapping *
tall_load_delete_guess_mapping (TallCsvReader *reader, GError **error)
{
  const char *const *columns = tall_csv_reader_get_columns (reader);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  guint n = g_strv_length ((char **)columns);
  if (n > 2)
    {
      tall_error_set_invalid (
          error, NULL,
          "%s has %u columns: say with --map which have the numbers; without, a "
          "file has the customer's number, and perhaps the order's",
          tall_csv_reader_get_name (reader), n);
      return NULL;
    }
  g_key_file_set_string (file, "mapping", "kind", n == 1 ? "customers" : "orders");
  g_key_file_set_string (file, n == 1 ? "customer" : "order", n == 1 ? "number" : "customer_number",
                         columns[0]);
  if (n == 2)
    g_key_file_set_string (file, "order", "order_number", columns[1]);
  g_autofree char *text = g_key_file_to_data (file, NULL, NULL);
  return tall_mapping_parse ("of the columns", text, -1, error);
}

static void
print_json (const TallLoadDelete *self, const TallDeleterSummary *summary)
{
  const char *noun = self->mapping->kind == TALL_MAPPING_CUSTOMERS ? "customers" : "orders";
  const TallDeleterTally *const tallies[] = { &summary->deleted, &summary->absent };
  static const char *const names[] = { "deleted", "absent" };
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  tall_json_add_number (builder, "rows", summary->rows);
  tall_json_add_number (builder, "rejected_rows", tall_rejects_get_count (self->rejects));
  for (guint i = 0; i < G_N_ELEMENTS (tallies); i++)
    {
      tall_json_begin_object (builder, names[i]);
      tall_json_add_number (builder, noun, tallies[i]->items);
      tall_json_add_number (builder, "rows", tallies[i]->rows);
      json_builder_end_object (builder);
    }
  tall_load_report_add_reasons (builder, self->rejects);
  json_builder_end_object (builder);
  tall_json_print (builder);
}

/* A file of bare numbers may have no header: then its first line has to be seen as one. */
static void
print_header (const TallLoadDelete *self)
{
  g_autofree char *header = g_strjoinv (",", (char **)tall_csv_reader_get_columns (self->reader));
  g_autofree char *clean = tall_text_clean (header);
  tall_print ("Header    %s: the first line names the columns, and nothing is deleted for it\n",
              clean);
}

static void
print (const TallLoadDelete *self, const TallDeleterSummary *summary)
{
  if (self->is_guessed)
    print_header (self);
  guint64 rejected = tall_rejects_get_count (self->rejects);
  guint64 known = summary->deleted.rows + summary->absent.rows + rejected;
  tall_print ("Rows      %" G_GUINT64_FORMAT " read = %" G_GUINT64_FORMAT
              " deleted + %" G_GUINT64_FORMAT " absent + %" G_GUINT64_FORMAT " rejected",
              summary->rows, summary->deleted.rows, summary->absent.rows, rejected);
  if (summary->rows > known)
    tall_print (" + %" G_GUINT64_FORMAT " not settled", summary->rows - known);
  tall_print ("\n%s %" G_GUINT64_FORMAT " deleted, %" G_GUINT64_FORMAT " absent\n",
              self->mapping->kind == TALL_MAPPING_CUSTOMERS ? "Customers" : "Orders   ",
              summary->deleted.items, summary->absent.items);
}

static void
show_progress (const TallDeleterSummary *summary, guint64 position, guint64 size, gpointer data)
{
  const TallLoadDelete *self = data;
  const TallProgress progress = { .stage = TALL_LOAD_STORES,
                                  .items = summary->deleted.items + summary->absent.items,
                                  .done = "deleted",
                                  .rows = summary->rows,
                                  .rejected = tall_rejects_get_count (self->rejects),
                                  .position = position,
                                  .size = size };
  tall_progress_show (&progress);
}

/**
 * tall_load_delete_run:
 *
 * Deletes what the file names, and prints the summary.
 */
TallExit
tall_load_delete_run (const TallLoadDelete *self, TallFront *front)
{
  g_autoptr (GError) error = NULL;
  TallDeleterSummary summary;
  TallDeleterOptions options = TALL_DELETER_OPTIONS_INIT;
  if (self->jobs != 0)
    options.jobs = self->jobs;
  options.rate = self->rate;
  options.progress = self->quiet ? NULL : show_progress;
  options.stalled = self->stalled;
  options.data = (gpointer)self;
  options.stop = tall_stop_on_signals ();
  gboolean ok = tall_deleter_run (front, self->reader, self->mapping, self->rejects, &options,
                                  &summary, &error);
  tall_progress_clear ();
  g_autofree char *why = error != NULL ? tall_error_describe (error) : NULL;
  if (self->json)
    print_json (self, &summary);
  else if (!self->quiet)
    {
      print (self, &summary);
      tall_load_report_print_rejects (self->rejects, self->rejects_path, NULL);
    }
  if (!ok)
    tall_print_error ("%s. To go on, run it again: what is deleted is absent then", why);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return (TallExit)(128 + g_atomic_int_get (options.stop));
  if (!ok)
    return TALL_EXIT_FAILED;
  return tall_rejects_get_count (self->rejects) > 0 ? TALL_EXIT_NO : TALL_EXIT_DONE;
}
