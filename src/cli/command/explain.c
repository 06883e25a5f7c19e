/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "bench/explain.h"
#include "cli/json-file.h"
#include "cli/output.h"
#include "cli/options.h"
#include "cli/show.h"
#include "tall-error.h"
#include "tall-json.h"

/* For people and for programs, on standard output. */

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
add_entries (JsonBuilder *builder, const GPtrArray *entries)
{
  tall_json_begin_array (builder, "entries");
  for (guint i = 0; i < entries->len; i++)
    {
      const TallExplainedEntry *entry = g_ptr_array_index (entries, i);
      json_builder_begin_object (builder);
      tall_json_add_text (builder, "index", entry->index);
      tall_json_add_text (builder, "table", entry->table);
      add_hex (builder, "key", tall_slice_array (entry->key));
      tall_json_add_number (builder, "bytes", (gint64)entry->bytes);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

/* What a call costs; the first of them also for people. */
static const struct
{
  const char *name;
  gsize offset;
} costs[] = {
  { "calls", G_STRUCT_OFFSET (TallCost, calls) },
  { "rows_read", G_STRUCT_OFFSET (TallCost, rows_read) },
  { "cells_read", G_STRUCT_OFFSET (TallCost, cells_read) },
  { "bytes_read", G_STRUCT_OFFSET (TallCost, bytes_read) },
  { "rows_written", G_STRUCT_OFFSET (TallCost, rows_written) },
  { "cells_written", G_STRUCT_OFFSET (TallCost, cells_written) },
  { "bytes_written", G_STRUCT_OFFSET (TallCost, bytes_written) },
  { "deletes", G_STRUCT_OFFSET (TallCost, deletes) },
  { "durable", G_STRUCT_OFFSET (TallCost, durable) },
};
#define N_FOR_PEOPLE 7

static void
add_cost_object (JsonBuilder *builder, const char *name, const TallCost *cost)
{
  tall_json_begin_object (builder, name);
  for (guint i = 0; i < G_N_ELEMENTS (costs); i++)
    tall_json_add_number (builder, costs[i].name,
                          (gint64)G_STRUCT_MEMBER (guint64, cost, costs[i].offset));
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
  add_cost_object (builder, "get", &self->get);
  add_cost_object (builder, "get_summary", &self->parts[TALL_PART_SUMMARY]);
  add_cost_object (builder, "get_header", &self->parts[TALL_PART_HEADER]);
  if (self->location != 0)
    add_cost_object (builder, "get_location", &self->parts[TALL_PART_LOCATION]);
  add_cost_object (builder, "put", &self->put);
  add_cost_object (builder, "put_again", &self->again);
  add_cost_object (builder, "put_without_indexes", &self->bare_put);
  add_cost_object (builder, "put_again_without_indexes", &self->bare_again);
  add_rows (builder, self->rows);
  add_entries (builder, self->entries);
  json_builder_end_object (builder);
}

/* @explanations: (element-type TallExplanation): of the same order, one or several */
static void
explanations_print_json (GPtrArray *explanations, const TallOrder *order)
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
      tall_grid_add_format (grid, "%s%" G_GINT64_FORMAT,
                            cell->timestamp == self->revision ? "" : "other ", cell->timestamp);
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
print_entries (const GPtrArray *entries)
{
  static const char *const columns[] = { "INDEX", ">BYTES", "ROW", NULL };
  g_autoptr (TallGrid) grid = tall_grid_new (columns);
  for (guint i = 0; i < entries->len; i++)
    {
      const TallExplainedEntry *entry = g_ptr_array_index (entries, i);
      tall_grid_add (grid, entry->index);
      tall_grid_add_number (grid, entry->bytes);
      if (entry->bytes > 0)
        add_slice (grid, tall_slice_array (entry->key));
      else
        tall_grid_add (grid, "is not there: verify --repair");
    }
  tall_print ("\n");
  tall_grid_print (grid, 0);
}

static void
add_cost (TallGrid *grid, const char *name, const TallCost *cost)
{
  tall_grid_add (grid, name);
  for (guint i = 0; i < N_FOR_PEOPLE; i++)
    tall_grid_add_number (grid, G_STRUCT_MEMBER (guint64, cost, costs[i].offset));
}

static void
print_costs (const TallExplanation *self)
{
  static const char *const columns[] = { "COST",           ">CALLS",         ">ROWS READ",
                                         ">CELLS READ",    ">BYTES READ",    ">ROWS WRITTEN",
                                         ">CELLS WRITTEN", ">BYTES WRITTEN", NULL };
  g_autoptr (TallGrid) grid = tall_grid_new (columns);
  add_cost (grid, self->stored ? "get" : "get (in memory)", &self->get);
  add_cost (grid, "  its summary", &self->parts[TALL_PART_SUMMARY]);
  add_cost (grid, "  its header", &self->parts[TALL_PART_HEADER]);
  g_autofree char *location = g_strdup_printf ("  its location[%d]", self->location);
  if (self->location != 0)
    add_cost (grid, location, &self->parts[TALL_PART_LOCATION]);
  add_cost (grid, "put as new (in memory)", &self->put);
  add_cost (grid, "  without indexes", &self->bare_put);
  add_cost (grid, "put again (in memory)", &self->again);
  add_cost (grid, "  without indexes", &self->bare_again);
  tall_print ("\n");
  tall_grid_print (grid, 0);
}

/* Each row with its key in hex, the key's parts named, and its cells; and the costs. */
static void
explanation_print (const TallExplanation *self, const TallOrder *order)
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
  if (self->entries->len > 0)
    print_entries (self->entries);
  print_costs (self);
}

/* @explanations: (element-type TallExplanation): of the same order
 * @layout: (nullable): that of the deployment, which is marked
 *
 * Layouts and key strategies side by side. */
static void
explanations_print (GPtrArray *explanations, const char *layout, const char *key_strategy)
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

typedef struct
{
  char *layout;
  char *key;
  gboolean all;
  gboolean json;
} ExplainOptions;

/* What is explained. */
typedef struct
{
  TallOrder *order; /* owned */
  TallStore *store; /* owned; NULL: the order comes from a file */
  char *indexes;    /* owned, nullable: of the store, as tall_indexes_parse() takes them */
} Subject;

static void
subject_clear (Subject *self)
{
  g_clear_pointer (&self->order, tall_order_free);
  g_clear_object (&self->store);
  g_free (self->indexes);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Subject, subject_clear)

static gboolean
list_indexes (Subject *self, GError **error)
{
  g_autoptr (TallDescription) description = tall_front_describe (TALL_FRONT (self->store), error);
  if (description == NULL)
    return FALSE;
  g_autofree char *rest = g_strjoinv ("\n", description->indexes);
  self->indexes =
      g_strconcat (description->index, description->n_indexes > 0 ? "\n" : NULL, rest, NULL);
  return TRUE;
}

static TallExit
fetch_subject (Subject *self, TallOptions *options)
{
  TallExit code;
  g_autoptr (GError) error = NULL;
  const TallOrderId *id = &options->order;
  if (!tall_options_take_order (options, &tall_command_explain, 0, &error))
    return tall_call_error (&tall_command_explain, error);
  self->store = tall_options_open_store (options, &tall_command_explain, &code);
  if (self->store == NULL)
    return code;
  TallFront *front = TALL_FRONT (self->store);
  if (tall_options_find_order (options, &tall_command_explain, front, &error))
    self->order = tall_front_get_order (front, id->customer_number, id->order_number, NULL, &error);
  return self->order != NULL && list_indexes (self, &error) ? TALL_EXIT_DONE : tall_fail (error);
}

static TallExit
read_subject (Subject *self, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_auto (TallJsonItem) item = { 0 };
  g_autoptr (TallJsonFile) file = tall_json_file_open (path, TALL_JSON_ORDERS, &error);
  if (file != NULL && tall_json_file_next (file, &item, &error) == TALL_JSON_ITEM)
    {
      self->order = g_steal_pointer (&item.order);
      error = g_steal_pointer (&item.error);
    }
  if (self->order != NULL)
    return TALL_EXIT_DONE;
  if (file == NULL)
    g_prefix_error (&error, "With one argument explain reads a file, and ");
  if (error != NULL)
    tall_print_failure (error);
  else
    tall_print_error (item.customer != NULL ? "%s holds a customer; explain takes an order"
                                            : "%s holds no order",
                      path);
  return TALL_EXIT_FAILED;
}

static gboolean
add_trial (GPtrArray *explanations,
           const Subject *subject,
           const TallLayout *layout,
           const TallKeyStrategy *key_strategy,
           GError **error)
{
  TallExplanation *explanation =
      tall_explain_trial (layout, key_strategy, subject->indexes, subject->order, error);
  if (explanation == NULL)
    return FALSE;
  g_ptr_array_add (explanations, explanation);
  return TRUE;
}

static gboolean
explain_all (GPtrArray *explanations, const Subject *subject, GError **error)
{
  guint n_layouts, n_strategies;
  const TallLayout *const *layouts = tall_layouts (&n_layouts);
  const TallKeyStrategy *const *strategies = tall_key_strategies (&n_strategies);
  for (guint i = 0; i < n_layouts; i++)
    for (guint k = 0; k < n_strategies; k++)
      if (!add_trial (explanations, subject, layouts[i], strategies[k], error))
        return FALSE;
  return TRUE;
}

static gboolean
explain_one (GPtrArray *explanations,
             const Subject *subject,
             const TallLayout *layout,
             const TallKeyStrategy *key_strategy,
             GError **error)
{
  if (subject->store != NULL && layout == NULL && key_strategy == NULL)
    {
      TallExplanation *stored =
          tall_explain_stored (subject->store, subject->indexes, subject->order, error);
      if (stored != NULL)
        g_ptr_array_add (explanations, stored);
      return stored != NULL;
    }
  if (layout == NULL)
    layout = subject->store != NULL ? tall_store_get_layout (subject->store)
                                    : tall_layout_choose (NULL, NULL);
  if (key_strategy == NULL)
    key_strategy = subject->store != NULL ? tall_store_get_key_strategy (subject->store)
                                          : tall_key_strategy_choose (NULL, NULL);
  return add_trial (explanations, subject, layout, key_strategy, error);
}

static void
print (GPtrArray *explanations, const Subject *subject, const ExplainOptions *own)
{
  if (own->json)
    explanations_print_json (explanations, subject->order);
  else if (!own->all)
    explanation_print (g_ptr_array_index (explanations, 0), subject->order);
  else if (subject->store == NULL)
    explanations_print (explanations, NULL, NULL);
  else
    explanations_print (explanations, tall_store_get_layout (subject->store)->name,
                        tall_store_get_key_strategy (subject->store)->name);
}

static TallExit
explain (TallOptions *options,
         const ExplainOptions *own,
         const TallLayout *layout,
         const TallKeyStrategy *key_strategy)
{
  g_auto (Subject) subject = { NULL };
  g_autoptr (GError) error = NULL;
  TallExit code = options->n_arguments == 1 && options->by_number == NULL
                      ? read_subject (&subject, options->arguments[0])
                      : fetch_subject (&subject, options);
  if (code != TALL_EXIT_DONE)
    return code;

  g_autoptr (GPtrArray) explanations =
      g_ptr_array_new_with_free_func ((GDestroyNotify)tall_explanation_free);
  if (own->all ? !explain_all (explanations, &subject, &error)
               : !explain_one (explanations, &subject, layout, key_strategy, &error))
    return tall_fail (error);
  print (explanations, &subject, own);
  return TALL_EXIT_DONE;
}

static TallExit
check_and_explain (TallOptions *options, const ExplainOptions *own)
{
  g_autoptr (GError) error = NULL;
  const TallLayout *layout = NULL;
  const TallKeyStrategy *key_strategy = NULL;
  if (options->by_number == NULL && (options->n_arguments < 1 || options->n_arguments > 2))
    return tall_usage_error (&tall_command_explain,
                             "explain takes CUSTOMER ORDER of a stored order, or --order ORDER in "
                             "their place, or the FILE of one in JSON");
  if (own->all && (own->layout != NULL || own->key != NULL))
    return tall_usage_error (&tall_command_explain, "Give --all, or --layout and --key, not both");
  if (g_strcmp0 (own->layout, "all") == 0)
    return tall_usage_error (&tall_command_explain, "All layouts are --all, without --layout");
  if (own->layout != NULL)
    layout = tall_layout_find (own->layout, &error);
  if (own->key != NULL && error == NULL)
    key_strategy = tall_key_strategy_find (own->key, &error);
  if (error != NULL)
    return tall_fail_with (error, TALL_EXIT_USAGE);
  return explain (options, own, layout, key_strategy);
}

static TallExit
run (int argc, char **argv)
{
  ExplainOptions own = { NULL, NULL, FALSE, FALSE };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  const GOptionEntry entries[] = {
    { "layout", 0, 0, G_OPTION_ARG_FILENAME, &own.layout, "as it would be in this layout",
      "LAYOUT" },
    { "key", 0, 0, G_OPTION_ARG_FILENAME, &own.key, "as it would be with this key strategy",
      "STRATEGY" },
    { "all", 0, 0, G_OPTION_ARG_NONE, &own.all, "all layouts and key strategies side by side",
      NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &own.json, "as JSON, with whole values", NULL },
    TALL_ORDER_ENTRY (&options),
    { NULL },
  };
  g_autoptr (GError) error = NULL;
  if (!tall_options_parse (&options, &tall_command_explain, entries, argc, argv, &error))
    return tall_call_error (&tall_command_explain, error);
  return check_and_explain (&options, &own);
}

const TallCommand tall_command_explain = {
  .name = "explain",
  .arguments = "CUSTOMER ORDER|--order ORDER|FILE",
  .summary = "Shows the physical rows of an order, and what a get and a put of it cost.",
  .help =
      "CUSTOMER ORDER is read where it is stored; FILE is JSON and needs no store. With\n"
      "--layout, --key or --all the order is tried out in memory, with the indexes of the store\n"
      "or, of a FILE, those that init makes.\n\n"
      "Example:\n"
      "  tallorder explain --store rocksdb:shop VINET 10248\n"
      "  tallorder explain --all order.json",
  .run = run,
};
