/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/explain-output.h"
#include "tall-json.h"
#include "cli/output.h"
#include "cli/show.h"
#include "base/text.h"

/* Characters of a value that are shown. */
#define PREVIEW 48

static void
add_slice (TallGrid *grid, TallSlice slice)
{
  /* ASCII only, so that it may be cut anywhere. */
  g_autofree char *text = tall_slice_to_debug (tall_slice (slice.data, MIN (slice.len, PREVIEW)));
  gboolean whole = slice.len <= PREVIEW && strlen (text) <= PREVIEW;
  g_autofree char *cut = whole ? g_strdup (text) : g_strdup_printf ("%.*s…", PREVIEW - 1, text);
  tall_grid_add (grid, cut);
}

static void
print_key (const TallExplainedRow *row)
{
  TallSlice rest = row->row->key;
  for (guint i = 0; i < row->parts->len; i++)
    {
      const TallRowPart *part = &g_array_index (row->parts, TallRowPart, i);
      g_autofree char *hex = tall_slice_to_hex (tall_slice (rest.data, part->len));
      tall_print_styled (TALL_STYLE_DIM, " %s ", part->name);
      tall_print ("%s", hex);
      rest = tall_slice (rest.data + part->len, rest.len - part->len);
    }
}

static void
print_row (const TallExplanation *self, const TallExplainedRow *row)
{
  static const char *const columns[] = { "COLUMN", ">TIMESTAMP", ">BYTES", "VALUE", NULL };
  g_autoptr (TallGrid) grid = tall_grid_new (columns);
  for (guint i = 0; i < row->row->n_cells; i++)
    {
      const TallCell *cell = &row->row->cells[i];
      add_slice (grid, cell->qualifier);
      g_autofree char *timestamp =
          g_strdup_printf ("%s%" G_GINT64_FORMAT, cell->timestamp == self->revision ? "" : "other ",
                           cell->timestamp);
      tall_grid_add (grid, timestamp);
      tall_grid_add_number (grid, cell->value.len);
      add_slice (grid, cell->value);
    }
  tall_print ("\n");
  tall_print_styled (TALL_STYLE_BOLD, "%s", row->table);
  print_key (row);
  if (row->regions > 1)
    tall_print ("  (region %u of %u)", row->region + 1, row->regions);
  tall_print ("  (%" G_GSIZE_FORMAT " bytes)\n", row->bytes);
  tall_grid_print (grid, 2);
}

static void
add_cost (TallGrid *grid, const char *name, const TallCost *cost)
{
  tall_grid_add (grid, name);
  tall_grid_add_number (grid, cost->calls);
  tall_grid_add_number (grid, cost->rows_read);
  tall_grid_add_number (grid, cost->cells_read);
  tall_grid_add_number (grid, cost->bytes_read);
  tall_grid_add_number (grid, cost->rows_written);
  tall_grid_add_number (grid, cost->cells_written);
  tall_grid_add_number (grid, cost->bytes_written);
}

static void
print_costs (const TallExplanation *self)
{
  static const char *const columns[] = { "COST",           ">CALLS",         ">ROWS READ",
                                         ">CELLS READ",    ">BYTES READ",    ">ROWS WRITTEN",
                                         ">CELLS WRITTEN", ">BYTES WRITTEN", NULL };
  g_autoptr (TallGrid) grid = tall_grid_new (columns);
  add_cost (grid, self->stored ? "get" : "get (in memory)", &self->get);
  add_cost (grid, "put as new (in memory)", &self->put);
  tall_print ("\n");
  tall_grid_print (grid, 0);
}

/**
 * tall_explanation_print:
 *
 * Each row with its key in hex, the key's parts named, and its cells; and the costs.
 */
void
tall_explanation_print (const TallExplanation *self, const TallOrder *order)
{
  g_autofree char *revision = tall_show_describe_revision (self->revision);
  g_autofree char *title =
      g_strdup_printf ("Order %s of %s", order->order_number, order->customer_number);
  g_autofree char *clean = tall_text_clean (title);
  tall_print_styled (TALL_STYLE_BOLD, "%s\n", clean);
  tall_print ("layout %s, key strategy %s, revision %s%s\n", self->layout->name,
              self->key_strategy->name, revision, self->stored ? "" : ", tried in memory");
  guint n_rows = self->rows->len;
  guint n_tables = tall_explanation_count_tables (self);
  tall_print ("%u %s, %u %s, %" G_GUINT64_FORMAT " %s, %" G_GUINT64_FORMAT " bytes\n", n_rows,
              n_rows == 1 ? "row" : "rows", n_tables, n_tables == 1 ? "table" : "tables",
              self->n_cells, self->n_cells == 1 ? "cell" : "cells", self->n_bytes);
  for (guint i = 0; i < self->rows->len; i++)
    print_row (self, g_ptr_array_index (self->rows, i));
  print_costs (self);
}

/**
 * tall_explanations_print:
 * @explanations: (element-type TallExplanation): of the same order
 * @layout: (nullable): that of the deployment, which is marked
 *
 * Layouts and key strategies side by side.
 */
void
tall_explanations_print (GPtrArray *explanations, const char *layout, const char *key_strategy)
{
  static const char *const columns[] = { "LAYOUT",     "KEY",        ">TABLES",    ">ROWS",
                                         ">CELLS",     ">BYTES",     ">GET CALLS", ">GET BYTES",
                                         ">PUT CALLS", ">PUT BYTES", "",           NULL };
  g_autoptr (TallGrid) grid = tall_grid_new (columns);
  for (guint i = 0; i < explanations->len; i++)
    {
      const TallExplanation *self = g_ptr_array_index (explanations, i);
      gboolean in_use = g_strcmp0 (self->layout->name, layout) == 0
                        && g_strcmp0 (self->key_strategy->name, key_strategy) == 0;
      tall_grid_add (grid, self->layout->name);
      tall_grid_add (grid, self->key_strategy->name);
      tall_grid_add_number (grid, tall_explanation_count_tables (self));
      tall_grid_add_number (grid, self->rows->len);
      tall_grid_add_number (grid, self->n_cells);
      tall_grid_add_number (grid, self->n_bytes);
      tall_grid_add_number (grid, self->get.calls);
      tall_grid_add_number (grid, self->get.bytes_read);
      tall_grid_add_number (grid, self->put.calls);
      tall_grid_add_number (grid, self->put.bytes_written);
      tall_grid_add (grid, in_use ? "this deployment" : "");
    }
  tall_grid_print (grid, 0);
}
