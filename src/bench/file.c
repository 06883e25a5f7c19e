/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/file.h"

#include "tall-error.h"
#include "load/orders/grouper.h"

/* Orders that have been read. */
typedef struct
{
  GPtrArray *orders; /* of TallOrder */
  guint64 n_lines;   /* of all of them */
  guint max_orders;
  guint max_lines; /* that fit in memory */
  TallRejects *rejects;
} Reading;

static gboolean
is_full (const Reading *self)
{
  return self->orders->len >= self->max_orders || self->n_lines > self->max_lines;
}

static void
take_item (TallLoadItem *item, gpointer data)
{
  Reading *self = data;
  g_autoptr (TallLoadItem) owned = item;
  g_autoptr (GError) error = NULL;
  if (is_full (self))
    return;
  if (!tall_order_normalize (owned->order, &error))
    {
      tall_load_item_reject (owned, self->rejects, "the order is not valid", error->message);
      return;
    }
  self->n_lines += tall_order_count_lines (owned->order);
  g_ptr_array_add (self->orders, g_steal_pointer (&owned->order));
}

/* What `load` would put aside is not measured, and not hidden. NULL: there is nothing. */
static char *
describe_rejects (const Reading *self, const char *path)
{
  guint64 n = tall_rejects_get_count (self->rejects);
  if (n == 0)
    return NULL;
  GPtrArray *tally = tall_rejects_get_tally (self->rejects);
  const TallRejectTally *first = g_ptr_array_index (tally, 0);
  return g_strdup_printf ("%s: %" G_GUINT64_FORMAT " %s not measured, most often because: %s "
                          "(first: line %" G_GUINT64_FORMAT ")",
                          path, n, n == 1 ? "row is" : "rows are", first->reason,
                          first->first_line);
}

static gboolean
read_rows (Reading *self, const TallLoadFiles *files, GError **error)
{
  TallCsvReader *reader = tall_load_files_get (files, 0)->reader;
  g_autoptr (TallSurvey) survey = tall_survey_make (files, g_get_tmp_dir (), NULL, NULL, error);
  if (survey == NULL)
    return FALSE;
  const TallSpoolPlace place = { .folder = g_get_tmp_dir () };
  g_autoptr (TallGrouper) grouper =
      tall_grouper_new (files, survey, &place, self->rejects, take_item, self);
  TallCsvRow row;
  TallCsvStep step = TALL_CSV_END;
  while (!is_full (self) && (step = tall_csv_reader_next (reader, &row, error)) == TALL_CSV_ROW)
    if (!tall_grouper_push (grouper, &row, error))
      return FALSE;
  return step != TALL_CSV_FAILED && tall_grouper_finish (grouper, NULL, error);
}

static gboolean
check_read (const Reading *self, const char *path, GError **error)
{
  if (self->n_lines > self->max_lines)
    {
      g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
                   "%s: all orders are kept in memory, to be compared with what comes back, and "
                   "these have more than %u lines together: choose fewer with --count",
                   path, self->max_lines);
      return FALSE;
    }
  if (self->orders->len > 0)
    return TRUE;
  tall_error_set_invalid (error, "orders", "%s: there is no order in it to measure with", path);
  return FALSE;
}

static TallMapping *
load_mapping (const char *map, GError **error)
{
  g_autoptr (TallMapping) mapping = tall_mapping_load (map, error);
  if (mapping == NULL || mapping->kind == TALL_MAPPING_ORDERS)
    return g_steal_pointer (&mapping);
  tall_error_set_invalid (error, "map", "--map %s is for customers; choose one for orders", map);
  return NULL;
}

/* How much of the file was read. The last order of a part may go on in the rest. */
static void
leave_out_last (TallBenchFile *self, TallCsvReader *reader, GPtrArray *orders)
{
  guint64 size = tall_csv_reader_get_size (reader);
  self->share = 1;
  if (!tall_csv_reader_is_cut (reader))
    return;
  if (size > 0)
    self->share = (double)tall_csv_reader_get_position (reader) / (double)size;
  if (orders->len > 1)
    g_ptr_array_set_size (orders, (gint)orders->len - 1);
}

static GPtrArray *
read_orders (TallBenchFile *self, TallCsvReader *reader, TallMapping *mapping, GError **error)
{
  g_autoptr (TallLoadFiles) files = tall_load_files_new_of_one (reader, mapping);
  g_autoptr (TallRejects) rejects = tall_rejects_new (NULL, error);
  if (rejects == NULL)
    return NULL;
  g_autoptr (GPtrArray) orders = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_order_free);
  Reading reading = { orders, 0, self->max_orders, self->max_lines, rejects };
  if (!read_rows (&reading, files, error) || !check_read (&reading, self->path, error))
    return NULL;
  leave_out_last (self, reader, orders);
  self->left_out = describe_rejects (&reading, self->path);
  return g_steal_pointer (&orders);
}

/**
 * tall_bench_file_read:
 *
 * Reads the orders of a CSV file, exactly as `load` does. What `load` would reject is left out.
 *
 * Returns: (transfer full) (element-type TallOrder): at least one order
 */
GPtrArray *
tall_bench_file_read (TallBenchFile *self, GError **error)
{
  g_autoptr (TallMapping) mapping = load_mapping (self->map, error);
  if (mapping == NULL)
    return NULL;
  g_autoptr (TallCsvReader) reader =
      tall_csv_reader_open (self->path, &mapping->dialect, TALL_CSV_MAX_ROW, error);
  if (reader == NULL)
    return NULL;
  if (self->begin != NULL)
    tall_csv_reader_set_stop (reader, self->begin ());
  tall_csv_reader_set_limit (reader, self->max_rows);
  if (!tall_mapping_bind_reader (mapping, reader, error))
    {
      g_prefix_error (error, "%s: ", self->path);
      return NULL;
    }
  return read_orders (self, g_steal_pointer (&reader), g_steal_pointer (&mapping), error);
}
