/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "cli/output.h"
#include "tall-json.h"
#include "cli/status.h"
#include "table/table-checks.h"
#include "base/text.h"

static void
add_tables (JsonBuilder *builder, GPtrArray *tables)
{
  tall_json_begin_array (builder, "tables");
  for (guint i = 0; i < tables->len; i++)
    {
      const TallTableSpec *spec = g_ptr_array_index (tables, i);
      json_builder_begin_object (builder);
      tall_json_add_text (builder, "name", spec->name);
      tall_json_add_text (builder, "access", tall_table_access_name (spec->access));
      tall_json_add_number (builder, "max_versions", spec->max_versions);
      tall_json_add_number (builder, "ttl", spec->ttl);
      tall_json_add_text (builder, "compression", spec->compression);
      tall_json_add_text (builder, "bloom_filter", spec->bloom_filter);
      tall_json_add_text (builder, "block_encoding", spec->block_encoding);
      tall_json_add_number (builder, "regions", 1 + (spec->splits != NULL ? spec->splits->len : 0));
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_gateways (JsonBuilder *builder, GPtrArray *gateways)
{
  tall_json_begin_array (builder, "gateways");
  for (guint i = 0; i < gateways->len; i++)
    {
      const TallTableServer *gateway = g_ptr_array_index (gateways, i);
      char since[TALL_DATE_TEXT_SIZE];
      json_builder_begin_object (builder);
      tall_json_add_text (builder, "address", gateway->address);
      tall_json_add_text (builder, "state", gateway->state);
      tall_json_add_text (builder, "since", tall_date_format (gateway->since / 1000, since));
      tall_json_add_number (builder, "connections", gateway->connections);
      tall_json_add_text (builder, "reason", gateway->reason);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_loads (JsonBuilder *builder, GPtrArray *loads)
{
  tall_json_begin_array (builder, "unfinished_loads");
  for (guint i = 0; i < loads->len; i++)
    {
      json_builder_begin_object (builder);
      tall_json_add_load (builder, g_ptr_array_index (loads, i));
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_losses (JsonBuilder *builder, GStrv losses)
{
  tall_json_begin_array (builder, "losses");
  for (guint i = 0; losses[i] != NULL; i++)
    {
      g_autofree char *clean = tall_text_clean (losses[i]);
      json_builder_add_string_value (builder, clean);
    }
  json_builder_end_array (builder);
}

static void
add_settings (JsonBuilder *builder, const TallDescription *description)
{
  tall_json_add_text (builder, "index", description->index);
  tall_json_add_number (builder, "ttl", description->ttl);
  if (description->regions != 0)
    tall_json_add_number (builder, "regions", description->regions);
  tall_json_add_text (builder, "compression", description->compression);
  tall_json_add_text (builder, "bloom_filter", description->bloom_filter);
  tall_json_add_text (builder, "block_encoding", description->block_encoding);
}

/**
 * tall_status_add_generation:
 *
 * Adds which generation counts, and what is being done about that, if the answering program says
 * so.
 */
void
tall_status_add_generation (JsonBuilder *builder, const TallDescription *description)
{
  if (description->generation == 0)
    return;
  tall_json_add_number (builder, "generation", description->generation);
  tall_json_add_text (builder, "phase", description->phase);
  tall_json_add_text (builder, "next_layout", description->next_layout);
  tall_json_add_text (builder, "next_key_strategy", description->next_key_strategy);
  tall_json_add_text (builder, "next_index", description->next_index);
}

static void
add_migration (JsonBuilder *builder, const TallMigrateState *state)
{
  const TallMigrateProgress *progress = &state->progress;
  tall_json_begin_object (builder, "migration");
  tall_json_add_text (builder, "task", tall_migrate_task_get_name (state->task));
  tall_json_add_text (builder, "stage", tall_migrate_stage_get_name (progress->stage));
  tall_json_add_number (builder, "pass", progress->pass);
  tall_json_add_number (builder, "looked_at", progress->n_looked);
  tall_json_add_number (builder, "all", progress->n_all);
  tall_json_add_number (builder, "copied", progress->n_copied);
  tall_json_add_number (builder, "rate", state->rate);
  tall_json_add_number (builder, "left_ms", (guint64)state->time_left / 1000);
  json_builder_end_object (builder);
}

/**
 * tall_status_print_json:
 *
 * Prints everything for programs.
 */
void
tall_status_print_json (const TallStatus *self)
{
  const TallDescription *description = self->description;
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  tall_json_add_text (builder, "name", description->name);
  tall_json_add_text (builder, "layout", description->layout);
  tall_json_add_text (builder, "key_strategy", description->key_strategy);
  tall_json_add_text (builder, "store", description->store);
  tall_json_add_number (builder, "format", description->format);
  tall_json_add_number (builder, "schema", description->schema);
  if (description->index != NULL)
    add_settings (builder, description);
  tall_status_add_generation (builder, description);
  if (self->migration != NULL)
    add_migration (builder, self->migration);
  tall_json_add_flag (builder, "read_only", description->read_only);
  tall_json_add_text (builder, "version", description->version);
  if (description->newest_format != 0)
    tall_json_add_number (builder, "newest_format", description->newest_format);
  tall_json_add_texts (builder, "calls", (const char *const *)description->calls);
  tall_json_add_texts (builder, "protocols", (const char *const *)description->protocols);
  tall_json_add_double (builder, "ping_ms", self->ping);
  if (self->tables != NULL)
    add_tables (builder, self->tables);
  g_autofree char *no_tables =
      self->no_tables != NULL ? tall_error_describe (self->no_tables) : NULL;
  if (no_tables != NULL)
    tall_json_add_text (builder, "tables_error", no_tables);
  if (self->gateways != NULL)
    add_gateways (builder, self->gateways);
  if (self->loads != NULL)
    add_loads (builder, self->loads);
  g_autofree char *no_loads = self->no_loads != NULL ? tall_error_describe (self->no_loads) : NULL;
  if (no_loads != NULL)
    tall_json_add_text (builder, "unfinished_loads_error", no_loads);
  if (self->losses != NULL)
    add_losses (builder, self->losses);
  json_builder_end_object (builder);
  tall_json_print (builder);
}
