/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/explain-output.h"
#include "cli/json-output.h"
#include "cli/output.h"

static void
add_hex (JsonBuilder *builder, const char *name, TallSlice slice)
{
  g_autofree char *hex = tall_slice_to_hex (slice);
  tall_json_add_text (builder, name, hex);
}

static void
add_parts (JsonBuilder *builder, const TallExplainedRow *row)
{
  TallSlice rest = row->row->key;
  tall_json_begin_array (builder, "key_parts");
  for (guint i = 0; i < row->parts->len; i++)
    {
      const TallRowPart *part = &g_array_index (row->parts, TallRowPart, i);
      json_builder_begin_object (builder);
      tall_json_add_text (builder, "name", part->name);
      add_hex (builder, "hex", tall_slice (rest.data, part->len));
      json_builder_end_object (builder);
      rest = tall_slice (rest.data + part->len, rest.len - part->len);
    }
  json_builder_end_array (builder);
}

static void
add_cells (JsonBuilder *builder, const TallRow *row)
{
  tall_json_begin_array (builder, "cells");
  for (guint i = 0; i < row->n_cells; i++)
    {
      g_autofree char *column = tall_slice_to_debug (row->cells[i].qualifier);
      json_builder_begin_object (builder);
      tall_json_add_text (builder, "column", column);
      tall_json_add_number (builder, "timestamp", row->cells[i].timestamp);
      tall_json_add_number (builder, "bytes", (gint64)row->cells[i].value.len);
      add_hex (builder, "value", row->cells[i].value);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_rows (JsonBuilder *builder, GPtrArray *rows)
{
  tall_json_begin_array (builder, "rows");
  for (guint i = 0; i < rows->len; i++)
    {
      const TallExplainedRow *row = g_ptr_array_index (rows, i);
      json_builder_begin_object (builder);
      tall_json_add_text (builder, "table", row->table);
      add_hex (builder, "key", row->row->key);
      add_parts (builder, row);
      tall_json_add_number (builder, "bytes", (gint64)row->bytes);
      tall_json_add_number (builder, "region", row->region);
      tall_json_add_number (builder, "regions", row->regions);
      add_cells (builder, row->row);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_cost (JsonBuilder *builder, const char *name, const TallCost *cost)
{
  tall_json_begin_object (builder, name);
  tall_json_add_number (builder, "calls", (gint64)cost->calls);
  tall_json_add_number (builder, "rows_read", (gint64)cost->rows_read);
  tall_json_add_number (builder, "cells_read", (gint64)cost->cells_read);
  tall_json_add_number (builder, "bytes_read", (gint64)cost->bytes_read);
  tall_json_add_number (builder, "rows_written", (gint64)cost->rows_written);
  tall_json_add_number (builder, "cells_written", (gint64)cost->cells_written);
  tall_json_add_number (builder, "bytes_written", (gint64)cost->bytes_written);
  tall_json_add_number (builder, "deletes", (gint64)cost->deletes);
  tall_json_add_number (builder, "durable", (gint64)cost->durable);
  json_builder_end_object (builder);
}

static void
add_explanation (JsonBuilder *builder, const TallExplanation *self)
{
  json_builder_begin_object (builder);
  tall_json_add_text (builder, "layout", self->layout->name);
  tall_json_add_text (builder, "key_strategy", self->key_strategy->name);
  tall_json_add_flag (builder, "stored", self->stored);
  tall_json_add_number (builder, "revision", self->revision);
  tall_json_add_number (builder, "n_tables", tall_explanation_count_tables (self));
  tall_json_add_number (builder, "n_rows", self->rows->len);
  tall_json_add_number (builder, "n_cells", (gint64)self->n_cells);
  tall_json_add_number (builder, "n_bytes", (gint64)self->n_bytes);
  add_cost (builder, "get", &self->get);
  add_cost (builder, "put", &self->put);
  add_rows (builder, self->rows);
  json_builder_end_object (builder);
}

/**
 * tall_explanations_print_json:
 * @explanations: (element-type TallExplanation): of the same order, one or several
 */
void
tall_explanations_print_json (GPtrArray *explanations, const TallOrder *order)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  tall_json_add_text (builder, "customer_number", order->customer_number);
  tall_json_add_text (builder, "order_number", order->order_number);
  tall_json_begin_array (builder, "explanations");
  for (guint i = 0; i < explanations->len; i++)
    add_explanation (builder, g_ptr_array_index (explanations, i));
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  tall_json_print (builder);
}
