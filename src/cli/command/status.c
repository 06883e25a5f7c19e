/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/client/tasks.h"
#include "tall-error.h"
#include "tall-json.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/status-all.h"
#include "cli/status-watch.h"
#include "cli/status.h"
#include "base/text.h"

#include <unistd.h>

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

/* What it was made with. */
static void
print_settings (const TallDescription *description)
{
  print_field ("index", description->index);
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
print_texts (const char *name, char *const *texts)
{
  if (texts == NULL)
    return;
  g_autofree char *joined = g_strjoinv (", ", (char **)texts);
  print_field (name, joined);
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
    return tall_status_all (&options, &tall_command_status, json);

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
    tall_status_print_json (&status);
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
