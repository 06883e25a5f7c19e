/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/status-watch.h"
#include "cli/status.h"
#include "library/open.h"
#include "service/client/client.h"
#include "table/table-checks.h"
#include "tall-error.h"
#include "tall-json.h"

#include <unistd.h>

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
  tall_json_add_texts (builder, "indexes", (const char *const *)description->indexes);
  tall_json_add_number (builder, "ttl", description->ttl);
  if (description->regions != 0)
    tall_json_add_number (builder, "regions", description->regions);
  tall_json_add_text (builder, "compression", description->compression);
  tall_json_add_text (builder, "bloom_filter", description->bloom_filter);
  tall_json_add_text (builder, "block_encoding", description->block_encoding);
}

/* Adds which generation counts, and what is being done about that, if the answering program says
 * so. */
static void
status_add_generation (JsonBuilder *builder, const TallDescription *description)
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
  tall_json_add_text (builder, "task", tall_migrate_tasks[state->task]);
  tall_json_add_text (builder, "stage", tall_migrate_stages[progress->stage]);
  tall_json_add_number (builder, "pass", progress->pass);
  tall_json_add_number (builder, "looked_at", progress->n_looked);
  tall_json_add_number (builder, "all", progress->n_all);
  tall_json_add_number (builder, "copied", progress->n_copied);
  tall_json_add_number (builder, "rate", state->rate);
  tall_json_add_number (builder, "left_ms", (guint64)state->time_left / 1000);
  json_builder_end_object (builder);
}

/* Prints everything for programs. */
static void
status_print_json (const TallStatus *self)
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
  status_add_generation (builder, description);
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

/* One deployment of a place. */
typedef struct
{
  char *name;
  TallDescription *description; /* NULL: it cannot be read */
  GError *error;                /* why */
} Deployment;

static void
deployment_free (Deployment *self)
{
  g_free (self->name);
  g_clear_pointer (&self->description, tall_description_free);
  g_clear_error (&self->error);
  g_free (self);
}

/* The place of the options, with another deployment. */
static TallTable *
open_table (const TallOptions *options, const char *name, GError **error)
{
  g_autoptr (TallTableAddress) address = tall_table_kinds_parse (options->store, error);
  if (address == NULL)
    return NULL;
  tall_table_address_set_name (address, name);
  return tall_table_address_open (address, FALSE, error);
}

/* Returns: NULL: there was one once */
static Deployment *
describe (const TallOptions *options, const char *name)
{
  Deployment *self = g_new0 (Deployment, 1);
  self->name = g_strdup (name);
  g_autoptr (TallTable) table = open_table (options, name, &self->error);
  g_autoptr (TallStore) store =
      table == NULL ? NULL : tall_store_open (table, NULL, NULL, NULL, &self->error);
  if (store != NULL)
    self->description = tall_front_describe (TALL_FRONT (store), &self->error);
  if (table != NULL && store == NULL && tall_store_was_dropped (table))
    g_clear_pointer (&self, deployment_free);
  return self;
}

static void
print_grid (GPtrArray *deployments)
{
  static const char *const columns[] = { "DEPLOYMENT",  "LAYOUT",    "KEY STRATEGY",
                                         "INDEX",       ">TTL",      "MODE",
                                         ">GENERATION", "MIGRATION", NULL };
  g_autoptr (TallGrid) grid = tall_grid_new (columns);
  for (guint i = 0; i < deployments->len; i++)
    {
      const Deployment *deployment = g_ptr_array_index (deployments, i);
      const TallDescription *description = deployment->description;
      g_autofree char *name = tall_text_clean (deployment->name);
      tall_grid_add (grid, name);
      tall_grid_add (grid, description != NULL ? description->layout : "?");
      tall_grid_add (grid, description != NULL ? description->key_strategy : "?");
      tall_grid_add (grid, description != NULL ? description->index : "?");
      if (description != NULL && description->ttl != 0)
        tall_grid_add_number (grid, description->ttl);
      else
        tall_grid_add (grid, description != NULL ? "never" : "?");
      tall_grid_add (grid, description == NULL      ? "cannot be read"
                           : description->read_only ? "read-only"
                                                    : "normal");
      if (description != NULL)
        tall_grid_add_number (grid, description->generation);
      else
        tall_grid_add (grid, "?");
      tall_grid_add (grid, description != NULL ? description->phase : "?");
    }
  tall_grid_print (grid, 0);
}

static void
add_deployment (JsonBuilder *builder, const Deployment *deployment)
{
  const TallDescription *description = deployment->description;
  json_builder_begin_object (builder);
  tall_json_add_text (builder, "name", deployment->name);
  if (description != NULL)
    {
      tall_json_add_text (builder, "layout", description->layout);
      tall_json_add_text (builder, "key_strategy", description->key_strategy);
      tall_json_add_text (builder, "index", description->index);
      tall_json_add_number (builder, "ttl", (gint64)description->ttl);
      status_add_generation (builder, description);
      tall_json_add_flag (builder, "read_only", description->read_only);
    }
  else
    {
      g_autofree char *why = tall_error_describe (deployment->error);
      tall_json_add_text (builder, "error", tall_error_code_name (deployment->error->code));
      tall_json_add_text (builder, "message", why);
    }
  json_builder_end_object (builder);
}

static void
print_json (GPtrArray *deployments)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  tall_json_begin_array (builder, "deployments");
  for (guint i = 0; i < deployments->len; i++)
    add_deployment (builder, g_ptr_array_index (deployments, i));
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  tall_json_print (builder);
}

static TallExit
finish_all (GPtrArray *deployments)
{
  TallExit code = TALL_EXIT_DONE;
  for (guint i = 0; i < deployments->len; i++)
    {
      const Deployment *deployment = g_ptr_array_index (deployments, i);
      if (deployment->error == NULL)
        continue;
      code = TALL_EXIT_FAILED;
      g_autofree char *why = tall_error_describe (deployment->error);
      tall_print_error ("Deployment %s: %s", deployment->name, why);
    }
  return code;
}

/* Prints what each deployment in the place of `--store` is. One that cannot be opened, such as one
 * whose `init` was cut short, is in the list, too.
 *
 * Returns: the exit code of the command */
static TallExit
status_all (const TallOptions *options, const TallCommand *command, gboolean json)
{
  TallExit code;
  if (options->server != NULL)
    return tall_usage_error (command, "--all is about a store, and a server has one deployment");
  g_autoptr (TallTable) table = tall_options_open_table (options, command, FALSE, &code);
  if (table == NULL)
    return code;

  g_autoptr (GError) error = NULL;
  g_auto (GStrv) names = tall_store_list_all (table, &error);
  if (names == NULL)
    {
      tall_print_failure (error);
      return TALL_EXIT_FAILED;
    }
  g_autoptr (GPtrArray) deployments =
      g_ptr_array_new_with_free_func ((GDestroyNotify)deployment_free);
  for (guint i = 0; names[i] != NULL; i++)
    {
      Deployment *deployment = describe (options, names[i]);
      if (deployment != NULL)
        g_ptr_array_add (deployments, deployment);
    }
  if (json)
    print_json (deployments);
  else if (deployments->len > 0)
    print_grid (deployments);
  else
    tall_print ("There is no deployment in this place; make one with: tallorder init\n");
  return finish_all (deployments);
}

/* Of --watch: where a service shows its metrics, and seconds between two looks at most. */
#define METRICS "127.0.0.1:9464"
#define MAX_EVERY 86400

#define NOT_GIVEN G_MININT

/* For the questions to HBase's master about tables: it may be gone while orders are still
 * served. */
#define TIMEOUT (10 * G_USEC_PER_SEC)

static void
status_clear (TallStatus *self)
{
  g_clear_pointer (&self->description, tall_description_free);
  g_clear_pointer (&self->tables, g_ptr_array_unref);
  g_clear_error (&self->no_tables);
  g_clear_pointer (&self->gateways, g_ptr_array_unref);
  g_clear_pointer (&self->loads, g_ptr_array_unref);
  g_clear_error (&self->no_loads);
  g_clear_pointer (&self->losses, g_strfreev);
  g_clear_pointer (&self->migration, tall_migrate_state_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallStatus, status_clear)

static void
collect_tables (TallStatus *self, TallTable *table)
{
  gint64 deadline = g_get_monotonic_time () + TIMEOUT;
  g_auto (GStrv) names = tall_table_list_tables (table, deadline, &self->no_tables);
  self->gateways = tall_table_list_servers (table, TALL_NO_DEADLINE);
  self->losses = tall_table_list_losses (table);
  self->tables = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_table_spec_free);
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      TallTableSpec *spec = tall_table_describe_table (table, names[i], deadline, &self->no_tables);
      if (spec == NULL)
        return;
      g_ptr_array_add (self->tables, spec);
    }
}

/* A server tells this only to its own machine, and an older one to nobody. */
static void
collect_migration (TallStatus *self, TallFront *front)
{
  const char *const *calls = (const char *const *)self->description->calls;
  if (calls == NULL || !g_strv_contains (calls, "getMigration"))
    return;
  self->migration = tall_client_get_migration (TALL_CLIENT (front), NULL, 0, NULL);
  if (self->migration != NULL && !self->migration->is_running)
    g_clear_pointer (&self->migration, tall_migrate_state_free);
}

static gboolean
collect (TallStatus *self, TallFront *front, GError **error)
{
  gint64 start = g_get_monotonic_time ();
  if (!tall_front_ping (front, error))
    return FALSE;
  self->ping = (gdouble)(g_get_monotonic_time () - start) / 1000;
  self->description = tall_front_describe (front, error);
  if (self->description == NULL)
    return FALSE;
  if (TALL_IS_CLIENT (front))
    collect_migration (self, front);
  if (!TALL_IS_STORE (front))
    {
      tall_status_ask_server (self, front);
      return TRUE;
    }
  collect_tables (self, tall_store_get_table (TALL_STORE (front)));
  tall_status_count_unused (self);
  self->loads = tall_store_list_loads (TALL_STORE (front), &self->no_loads);
  return TRUE;
}

static void
print_field (const char *name, const char *text)
{
  g_autofree char *clean = tall_text_clean (text);
  tall_print_styled (TALL_STYLE_DIM, "%-12s ", name);
  tall_print ("%s\n", clean);
}

static void
print_number (const char *name, guint number)
{
  g_autofree char *text = g_strdup_printf ("%u", number);
  print_field (name, text);
}

static void
add_setting (TallGrid *grid, guint64 number, const char *zero)
{
  if (number == 0)
    tall_grid_add (grid, zero);
  else
    tall_grid_add_number (grid, number);
}

static void
print_tables (GPtrArray *tables)
{
  static const char *const columns[] = { "TABLE",        ">VERSIONS", ">TTL",     "COMPRESSION",
                                         "BLOOM FILTER", "ENCODING",  ">REGIONS", NULL };
  g_autoptr (TallGrid) grid = tall_grid_new (columns);
  for (guint i = 0; i < tables->len; i++)
    {
      const TallTableSpec *spec = g_ptr_array_index (tables, i);
      tall_grid_add (grid, spec->name);
      add_setting (grid, spec->max_versions, "all");
      add_setting (grid, spec->ttl, "never");
      tall_grid_add (grid, spec->compression != NULL ? spec->compression : "default");
      tall_grid_add (grid, spec->bloom_filter != NULL ? spec->bloom_filter : "default");
      tall_grid_add (grid, spec->block_encoding != NULL ? spec->block_encoding : "default");
      tall_grid_add_number (grid, 1 + (spec->splits != NULL ? spec->splits->len : 0));
    }
  tall_print ("\n");
  tall_grid_print (grid, 0);
}

/* A table that keeps customers beside the orders has no TTL, and nothing else tells why. */
static void
explain_ttl (const TallStatus *self)
{
  const guint64 ttl = self->description->ttl;
  const TallLayout *layout = tall_layout_find (self->description->layout, NULL);
  const char *orders = layout != NULL ? tall_layout_get_order_table (layout) : NULL;
  for (guint i = 0; i < self->tables->len && ttl != 0; i++)
    {
      const TallTableSpec *spec = g_ptr_array_index (self->tables, i);
      if (tall_status_is_table (self, spec, orders) && spec->ttl == 0)
        tall_print ("\nOrders older than %" G_GUINT64_FORMAT
                    " s, and the difference that clocks may "
                    "have, are not found. Their rows stay in the table %s, as it holds "
                    "customers, too.\n",
                    ttl, spec->name);
    }
}

static void
print_gateways (GPtrArray *gateways)
{
  static const char *const columns[] = {
    "GATEWAY", "STATE", "SINCE", ">CONNECTIONS", "REASON", NULL
  };
  g_autoptr (TallGrid) grid = tall_grid_new (columns);
  for (guint i = 0; i < gateways->len; i++)
    {
      const TallTableServer *gateway = g_ptr_array_index (gateways, i);
      char since[TALL_DATE_TEXT_SIZE];
      tall_grid_add (grid, gateway->address);
      tall_grid_add (grid, gateway->state);
      tall_grid_add (grid, tall_date_format (gateway->since / 1000, since));
      tall_grid_add_number (grid, gateway->connections);
      tall_grid_add (grid, gateway->reason != NULL ? gateway->reason : "");
    }
  tall_print ("\n");
  tall_grid_print (grid, 0);
}

static void
print_loads (GPtrArray *loads)
{
  static const char *const columns[] = { "LOAD", "BEGUN", ">STORED", NULL };
  g_autoptr (TallGrid) grid = tall_grid_new (columns);
  for (guint i = 0; i < loads->len; i++)
    {
      const TallUnfinishedLoad *load = g_ptr_array_index (loads, i);
      char begun[TALL_DATE_TEXT_SIZE];
      tall_grid_add (grid, load->name != NULL ? load->name : "-");
      tall_grid_add (grid, tall_date_format (load->begun, begun));
      if (load->stored == 0) /* it is counted every few seconds */
        tall_grid_add (grid, "-");
      else
        tall_grid_add_number (grid, (guint64)load->stored);
    }
  tall_print ("\n");
  tall_grid_print (grid, 0);
  tall_print (
      "\nA load that no longer runs was cut short. Start it again with the same file: it goes "
      "on.\nIf it is given up, “tallorder verify --repair” removes rows that it left.\n");
}

static void
print_losses (GStrv losses)
{
  tall_print ("\nAfter a crash:\n");
  for (guint i = 0; losses[i] != NULL; i++)
    {
      g_autofree char *clean = tall_text_clean (losses[i]);
      tall_print ("  %s\n", clean);
    }
}

static void
print_seconds (const char *name, guint64 seconds)
{
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT " s", seconds);
  print_field (name, seconds != 0 ? text : "never");
}

static void
print_texts (const char *name, char *const *texts)
{
  if (texts == NULL)
    return;
  g_autofree char *joined = g_strjoinv (", ", (char **)texts);
  print_field (name, joined);
}

/* What it was made with. */
static void
print_settings (const TallDescription *description)
{
  print_field ("index", description->index);
  print_texts ("indexes", description->indexes);
  print_seconds ("ttl", description->ttl);
  if (description->regions != 0)
    print_number ("regions", description->regions);
  if (description->compression != NULL)
    print_field ("compression", description->compression);
  if (description->bloom_filter != NULL)
    print_field ("bloom filter", description->bloom_filter);
  if (description->block_encoding != NULL)
    print_field ("encoding", description->block_encoding);
}

/* Which tables count, and what will. */
static void
print_generation (const TallDescription *description)
{
  if (description->generation != 0)
    print_number ("generation", (guint)description->generation);
  if (description->next_layout != NULL)
    {
      g_autofree char *text =
          g_strdup_printf ("%s, to layout %s, key strategy %s, index %s", description->phase,
                           description->next_layout, description->next_key_strategy,
                           description->next_index);
      print_field ("migration", text);
    }
  else if (description->phase != NULL && !g_str_equal (description->phase, "none"))
    print_field ("migration", description->phase);
}

static void
print_status (const TallStatus *self)
{
  const TallDescription *description = self->description;
  g_autofree char *ping = g_strdup_printf ("answered in %.2f ms", self->ping);
  print_field ("deployment", description->name);
  print_field ("layout", description->layout);
  print_field ("key strategy", description->key_strategy);
  print_field ("store", description->store);
  print_number ("format", description->format);
  print_number ("schema", description->schema);
  if (description->index != NULL)
    print_settings (description);
  print_generation (description);
  print_field ("mode", description->read_only ? "read-only" : "normal");
  print_field ("version", description->version);
  if (description->newest_format != 0)
    print_number ("reads up to", description->newest_format);
  print_texts ("calls", description->calls);
  print_texts ("protocols", description->protocols);
  print_field ("ping", ping);
  if (self->tables != NULL && self->tables->len > 0)
    {
      print_tables (self->tables);
      explain_ttl (self);
    }
  tall_status_print_tables_left (self);
  tall_status_print_phase (self);
  if (self->gateways != NULL)
    print_gateways (self->gateways);
  if (self->loads != NULL && self->loads->len > 0)
    print_loads (self->loads);
  if (self->losses != NULL)
    print_losses (self->losses);
}

/* What could not be read is said at the end, after all that could. */
static TallExit
finish (const TallStatus *status)
{
  if (status->no_tables != NULL)
    {
      g_autofree char *why = tall_error_describe (status->no_tables);
      tall_print_error ("The tables cannot all be described: %s", why);
    }
  if (status->no_loads != NULL)
    {
      g_autofree char *why = tall_error_describe (status->no_loads);
      tall_print_error ("Unfinished loads cannot be listed: %s", why);
    }
  return status->no_tables == NULL && status->no_loads == NULL ? TALL_EXIT_DONE : TALL_EXIT_FAILED;
}

static TallExit
run (int argc, char **argv)
{
  gboolean json = FALSE;
  gboolean all = FALSE;
  gboolean watch = FALSE;
  gint every = NOT_GIVEN;
  g_autofree char *metrics = NULL;
  const GOptionEntry entries[] = {
    { "all", 0, 0, G_OPTION_ARG_NONE, &all, "all deployments in the place of --store", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, "as JSON", NULL },
    { "watch", 0, 0, G_OPTION_ARG_NONE, &watch, "show how a service is doing until Ctrl-C", NULL },
    { "metrics", 0, 0, G_OPTION_ARG_FILENAME, &metrics,
      "where that service shows its metrics (default " METRICS ")", "HOST:PORT" },
    { "every", 0, 0, G_OPTION_ARG_INT, &every,
      "seconds between two looks (default 2, and 10 where there is no terminal)", "N" },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  if (!tall_options_parse (&options, &tall_command_status, entries, argc, argv, &error))
    return tall_call_error (&tall_command_status, error);
  if (options.n_arguments > 0)
    return tall_usage_error (&tall_command_status, "status takes no argument: “%s”",
                             options.arguments[0]);
  if (every != NOT_GIVEN && (every < 1 || every > MAX_EVERY))
    return tall_usage_error (&tall_command_status, "--every takes seconds, 1 to %d", MAX_EVERY);
  if (!watch && (metrics != NULL || every != NOT_GIVEN))
    return tall_usage_error (&tall_command_status, "--metrics and --every go with --watch");
  if (watch && (all || json))
    return tall_usage_error (&tall_command_status, "--watch goes with neither --all nor --json");
  if (watch)
    return tall_status_watch (metrics != NULL ? metrics : METRICS, every != NOT_GIVEN ? (guint)every
                                                                   : isatty (STDOUT_FILENO) ? 2
                                                                                            : 10);
  if (all)
    return status_all (&options, &tall_command_status, json);

  TallExit code;
  g_autoptr (TallFront) front = tall_options_open_front (&options, &tall_command_status, &code);
  if (front == NULL)
    return code;
  g_auto (TallStatus) status = { NULL };
  if (!collect (&status, front, &error))
    {
      tall_print_failure (error);
      return TALL_EXIT_FAILED;
    }
  if (json)
    status_print_json (&status);
  else
    print_status (&status);
  return finish (&status);
}

const TallCommand tall_command_status = {
  .name = "status",
  .arguments = "",
  .summary = "Shows a deployment or a server: layout, key strategy, tables.",
  .help =
      "--watch shows what a service says of itself on its port for metrics (serve --metrics):\n"
      "calls and how long they take, connections, memory, commits, gateways, RocksDB and\n"
      "migrations. A terminal is drawn anew; elsewhere it is a line each time. Ctrl-C ends it,\n"
      "with 0.\n\n"
      "Example:\n"
      "  tallorder status --watch --metrics 127.0.0.1:9464\n"
      "  tallorder status --store rocksdb:shop\n"
      "  tallorder status --store hbase://localhost:9090 --all\n"
      "  tallorder status --server 127.0.0.1:7654 --json",
  .takes_server = TRUE,
  .run = run,
};
