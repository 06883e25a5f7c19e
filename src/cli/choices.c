/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/choices.h"

#include "tall-error.h"
#include "cli/output.h"
#include "layout/layout.h"
#include "library/table-kinds.h"

/* The layout of this position, from 0; NULL: there are no more. The same for the others. */
static const TallLayout *
get_layout (guint i)
{
  guint n;
  const TallLayout *const *all = tall_layouts (&n);
  return i < n ? all[i] : NULL;
}

static const TallKeyStrategy *
get_key_strategy (guint i)
{
  guint n;
  const TallKeyStrategy *const *all = tall_key_strategies (&n);
  return i < n ? all[i] : NULL;
}

static const TallTableKind *
get_kind (guint i)
{
  guint n;
  const TallTableKind *const *all = tall_table_kinds (&n);
  return i < n ? all[i] : NULL;
}

/* The default is the first one. */
static void
append_name (GString *text, guint i, const char *name)
{
  g_string_append_printf (text, "%s%s%s", i > 0 ? ", " : "", name, i == 0 ? " (default)" : "");
}

/**
 * tall_choices_describe:
 *
 * Returns: (transfer full): two lines for the help of a command
 */
char *
tall_choices_describe (void)
{
  GString *text = g_string_new ("Layouts: ");
  for (guint i = 0; get_layout (i) != NULL; i++)
    append_name (text, i, get_layout (i)->name);
  g_string_append (text, ".\nKey strategies: ");
  for (guint i = 0; get_key_strategy (i) != NULL; i++)
    append_name (text, i, get_key_strategy (i)->name);
  g_string_append (text, ".\n");
  return g_string_free (text, FALSE);
}

static void
add_row (TallGrid *grid, const char *name, const char *summary)
{
  tall_grid_add (grid, name);
  tall_grid_add (grid, summary);
}

/**
 * tall_choices_print:
 *
 * Prints what there is for people, each default first.
 */
void
tall_choices_print (void)
{
  static const char *const layouts[] = { "LAYOUT", "ROWS", NULL };
  static const char *const keys[] = { "KEY STRATEGY", "ROW KEY", NULL };
  static const char *const stores[] = { "STORE", "ADDRESS", NULL };
  g_autoptr (TallGrid) grid = tall_grid_new (layouts);
  for (guint i = 0; get_layout (i) != NULL; i++)
    add_row (grid, get_layout (i)->name, get_layout (i)->summary);
  tall_grid_print (grid, 0);
  tall_print ("\n");

  g_autoptr (TallGrid) key_grid = tall_grid_new (keys);
  for (guint i = 0; get_key_strategy (i) != NULL; i++)
    add_row (key_grid, get_key_strategy (i)->name, get_key_strategy (i)->summary);
  tall_grid_print (key_grid, 0);
  tall_print ("\n");

  g_autoptr (TallGrid) store_grid = tall_grid_new (stores);
  for (guint i = 0; get_kind (i) != NULL; i++)
    {
      g_autofree char *form = tall_table_kind_make_form (get_kind (i));
      add_row (store_grid, get_kind (i)->name, form);
    }
  tall_grid_print (store_grid, 0);
}

static void
add_layout (JsonBuilder *builder, const TallLayout *layout)
{
  json_builder_begin_object (builder);
  tall_json_add_text (builder, "name", layout->name);
  tall_json_add_text (builder, "summary", layout->summary);
  tall_json_add_flag (builder, "single_row", layout->single_row);
  tall_json_begin_array (builder, "tables");
  for (const TallLayoutTable *table = layout->tables; table->name != NULL; table++)
    json_builder_add_string_value (builder, table->name);
  json_builder_end_array (builder);
  json_builder_end_object (builder);
}

static void
add_key_strategy (JsonBuilder *builder, const TallKeyStrategy *strategy)
{
  json_builder_begin_object (builder);
  tall_json_add_text (builder, "name", strategy->name);
  tall_json_add_text (builder, "summary", strategy->summary);
  json_builder_end_object (builder);
}

static void
add_kind (JsonBuilder *builder, const TallTableKind *kind)
{
  g_autofree char *form = tall_table_kind_make_form (kind);
  json_builder_begin_object (builder);
  tall_json_add_text (builder, "name", kind->name);
  tall_json_add_text (builder, "address", form);
  tall_json_add_flag (builder, "embedded", kind->is_embedded);
  json_builder_end_object (builder);
}

/**
 * tall_choices_print_json:
 *
 * Prints what there is for programs, each default first.
 */
void
tall_choices_print_json (void)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  tall_json_begin_array (builder, "layouts");
  for (guint i = 0; get_layout (i) != NULL; i++)
    add_layout (builder, get_layout (i));
  json_builder_end_array (builder);
  tall_json_begin_array (builder, "key_strategies");
  for (guint i = 0; get_key_strategy (i) != NULL; i++)
    add_key_strategy (builder, get_key_strategy (i));
  json_builder_end_array (builder);
  tall_json_begin_array (builder, "stores");
  for (guint i = 0; get_kind (i) != NULL; i++)
    add_kind (builder, get_kind (i));
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  tall_json_print (builder);
}
