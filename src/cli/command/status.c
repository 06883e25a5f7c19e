/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/report.h"
#include "library/open.h"
#include "service/client/client.h"
#include "store/record/generation.h"
#include "table/table-checks.h"
#include "tall-error.h"
#include "tall-json.h"

#include <unistd.h>

/* Everything that is shown. */
typedef struct
{
  TallDescription *description;
  gdouble ping;        /* milliseconds */
  GPtrArray *tables;   /* of TallTableSpec; NULL: of a server, which does not tell them */
  GError *no_tables;   /* why they are not all in @tables */
  GPtrArray *gateways; /* of TallTableServer; NULL: there are none, or of a server */
  GPtrArray *loads;    /* of TallUnfinishedLoad; NULL: a server does not tell, or nobody can */
  guint n_unused;      /* tables that a migration has left, if no other is going on */
  GError *no_loads;    /* why they cannot be read */
  GStrv losses;        /* lines; NULL: there are none, or of a server */
  TallMigrateState *migration; /* that a server runs; NULL: it runs none, or does not tell us */
} Status;

static void
add_table (const TallList *list, gconstpointer item)
{
  const TallTableSpec *spec = item;
  tall_list_add (list, "name", spec->name, "");
  if (list->builder != NULL)
    tall_json_add_text (list->builder, "access", tall_table_access_name (spec->access));
  tall_list_add_number (list, "max_versions", spec->max_versions, "all");
  tall_list_add_number (list, "ttl", spec->ttl, "never");
  tall_list_add (list, "compression", spec->compression, "default");
  tall_list_add (list, "bloom_filter", spec->bloom_filter, "default");
  tall_list_add (list, "block_encoding", spec->block_encoding, "default");
  tall_list_add_number (list, "regions", tall_table_spec_count_regions (spec), NULL);
}

static void
add_gateway (const TallList *list, gconstpointer item)
{
  const TallTableServer *gateway = item;
  char since[TALL_DATE_TEXT_SIZE];
  tall_list_add (list, "address", gateway->address, "");
  tall_list_add (list, "state", gateway->state, "");
  tall_list_add (list, "since", tall_date_format (gateway->since / 1000, since), "");
  tall_list_add_number (list, "connections", gateway->connections, NULL);
  tall_list_add (list, "reason", gateway->reason, "");
}

/* A member of JSON, or a line for people if @builder is NULL; a text that is NULL is left out. */
static void
show (JsonBuilder *builder, const char *member, const char *label, const char *text)
{
  g_autofree char *clean = text != NULL ? tall_text_clean (text) : NULL;
  if (builder != NULL)
    tall_json_add_text (builder, member, text);
  else if (text != NULL)
    {
      tall_print_styled (TALL_STYLE_DIM, "%-12s ", label);
      tall_print ("%s\n", clean);
    }
}

/* @text: what people see */
static void
show_number (
    JsonBuilder *builder, const char *member, const char *label, guint64 number, const char *text)
{
  g_autofree char *digits = g_strdup_printf ("%" G_GUINT64_FORMAT, number);
  if (builder != NULL)
    tall_json_add_number (builder, member, (gint64)number);
  else
    show (NULL, NULL, label, text != NULL ? text : digits);
}

static void
show_texts (JsonBuilder *builder, const char *member, char *const *texts)
{
  g_autofree char *joined = texts != NULL ? g_strjoinv (", ", (char **)texts) : NULL;
  if (builder != NULL)
    tall_json_add_texts (builder, member, (const char *const *)texts);
  else
    show (NULL, NULL, member, joined);
}

/* What it is, and what it was made with. */
static void
show_deployment (JsonBuilder *builder, const TallDescription *self)
{
  g_autofree char *ttl = g_strdup_printf ("%" G_GUINT64_FORMAT " s", self->ttl);
  show (builder, "name", "deployment", self->name);
  show (builder, "layout", "layout", self->layout);
  show (builder, "key_strategy", "key strategy", self->key_strategy);
  show (builder, "store", "store", self->store);
  show_number (builder, "format", "format", self->format, NULL);
  show_number (builder, "schema", "schema", self->schema, NULL);
  if (self->index == NULL)
    return;
  show (builder, "index", "index", self->index);
  show_texts (builder, "indexes", self->indexes);
  show_number (builder, "ttl", "ttl", self->ttl, self->ttl != 0 ? ttl : "never");
  if (self->regions != 0)
    show_number (builder, "regions", "regions", self->regions, NULL);
  show (builder, "compression", "compression", self->compression);
  show (builder, "bloom_filter", "bloom filter", self->bloom_filter);
  show (builder, "block_encoding", "encoding", self->block_encoding);
}

/* What answers. */
static void
show_program (JsonBuilder *builder, const TallDescription *self)
{
  show (builder, "version", "version", self->version);
  if (self->newest_format != 0)
    show_number (builder, "newest_format", "reads up to", self->newest_format, NULL);
  show_texts (builder, "calls", self->calls);
  show_texts (builder, "protocols", self->protocols);
}

/* Adds which generation counts, and what is being done about that, if the answering program says
 * so. */
static void
status_add_generation (JsonBuilder *builder, const TallDescription *description)
{
  if (description->generation == 0)
    return;
  tall_json_add_number (builder, "generation", (gint64)description->generation);
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

static void
add_error (JsonBuilder *builder, const char *name, const GError *error)
{
  g_autofree char *why = error != NULL ? tall_error_describe (error) : NULL;
  tall_json_add_text (builder, name, why);
}

/* The lists that are known. */
static void
print_tables (JsonBuilder *builder, const Status *self)
{
  static const char *const columns[] = { "TABLE",        ">VERSIONS", ">TTL",     "COMPRESSION",
                                         "BLOOM FILTER", "ENCODING",  ">REGIONS", NULL };
  if (self->tables != NULL)
    tall_list_print (builder, "tables", columns, self->tables->pdata, self->tables->len, add_table,
                     "\n");
}

static void
print_gateways (JsonBuilder *builder, const Status *self)
{
  static const char *const columns[] = {
    "GATEWAY", "STATE", "SINCE", ">CONNECTIONS", "REASON", NULL
  };
  if (self->gateways != NULL)
    tall_list_print (builder, "gateways", columns, self->gateways->pdata, self->gateways->len,
                     add_gateway, "\n");
}

static void
print_loads (JsonBuilder *builder, const Status *self)
{
  static const char *const columns[] = { "LOAD", "BEGUN", ">STORED", NULL };
  if (self->loads == NULL)
    return;
  tall_list_print (builder, "unfinished_loads", columns, self->loads->pdata, self->loads->len,
                   tall_list_add_load, "\n");
  if (builder == NULL && self->loads->len > 0)
    tall_print (
        "\nA load that no longer runs was cut short. Start it again with the same file: it goes "
        "on.\nIf it is given up, “tallorder verify --repair” removes rows that it left.\n");
}

/* Prints everything for programs. */
static void
status_print_json (const Status *self)
{
  const TallDescription *description = self->description;
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  show_deployment (builder, description);
  status_add_generation (builder, description);
  if (self->migration != NULL)
    add_migration (builder, self->migration);
  tall_json_add_flag (builder, "read_only", description->read_only);
  show_program (builder, description);
  tall_json_add_double (builder, "ping_ms", self->ping);
  print_tables (builder, self);
  add_error (builder, "tables_error", self->no_tables);
  print_gateways (builder, self);
  print_loads (builder, self);
  add_error (builder, "unfinished_loads_error", self->no_loads);
  if (self->losses != NULL)
    tall_json_begin_array (builder, "losses");
  for (guint i = 0; self->losses != NULL && self->losses[i] != NULL; i++)
    {
      g_autofree char *clean = tall_text_clean (self->losses[i]);
      json_builder_add_string_value (builder, clean);
    }
  if (self->losses != NULL)
    json_builder_end_array (builder);
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
add_deployment (const TallList *list, gconstpointer item)
{
  const Deployment *deployment = item;
  const TallDescription *description = deployment->description;
  tall_list_add (list, "name", deployment->name, "");
  if (description == NULL && list->builder != NULL)
    {
      tall_json_add_text (list->builder, "error", tall_error_code_name (deployment->error->code));
      add_error (list->builder, "message", deployment->error);
      return;
    }
  tall_list_add (list, "layout", description != NULL ? description->layout : NULL, "?");
  tall_list_add (list, "key_strategy", description != NULL ? description->key_strategy : NULL, "?");
  tall_list_add (list, "index", description != NULL ? description->index : NULL, "?");
  tall_list_add_number (list, "ttl", description != NULL ? description->ttl : 0,
                        description != NULL ? "never" : "?");
  if (list->builder != NULL)
    {
      status_add_generation (list->builder, description);
      tall_json_add_flag (list->builder, "read_only", description->read_only);
      return;
    }
  tall_grid_add (list->grid, description == NULL      ? "cannot be read"
                             : description->read_only ? "read-only"
                                                      : "normal");
  tall_list_add_number (list, NULL, description != NULL ? description->generation : 0,
                        description != NULL ? NULL : "?");
  tall_grid_add (list->grid, description != NULL ? description->phase : "?");
}

/* @builder: (nullable): NULL: for people */
static void
print_deployments (JsonBuilder *builder, GPtrArray *deployments)
{
  static const char *const columns[] = { "DEPLOYMENT",  "LAYOUT",    "KEY STRATEGY",
                                         "INDEX",       ">TTL",      "MODE",
                                         ">GENERATION", "MIGRATION", NULL };
  tall_list_print (builder, "deployments", columns, deployments->pdata, deployments->len,
                   add_deployment, "");
}

static void
print_json (GPtrArray *deployments)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  print_deployments (builder, deployments);
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
    return tall_fail_with (error, TALL_EXIT_FAILED);
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
    print_deployments (NULL, deployments);
  else
    tall_print ("There is no deployment in this place; make one with: tallorder init\n");
  return finish_all (deployments);
}

/* What a phase means to those who use the deployment, and who may end it. */
static const struct
{
  const char *phase;
  const char *text;
} phases[] = {
  { "copying",
    "Orders are being copied; everybody goes on. If no “tallorder migrate” runs, call it\n"
    "to go on, or “tallorder migrate --abort” to give it up.\n" },
  { "sealing", "Writes wait for a migration. If no “tallorder migrate” runs, call it to go on, or\n"
               "“tallorder migrate --abort” to give it up.\n" },
  { "closing", "Reads and writes wait for a migration. If no “tallorder migrate” runs, call it to\n"
               "go on, or “tallorder migrate --abort” to give it up.\n" },
  { "aborting", "A migration is being given up, and reads and writes may wait. If no “tallorder\n"
                "migrate --abort” runs, call it to finish that.\n" },
};

static gboolean
is_idle (const TallDescription *description)
{
  return description->phase == NULL || g_str_equal (description->phase, "none");
}

/* The generation of a table; 0: it is of all. */
static guint64
find_generation (const TallTableSpec *spec)
{
  g_autofree char *short_name = NULL;
  return g_str_equal (spec->name, "meta") ? 0
                                          : tall_generation_split_name (spec->name, &short_name);
}

/* Whether @spec is the table of that short name in the generation that counts */
static gboolean
is_table (const Status *self, const TallTableSpec *spec, const char *name)
{
  g_autofree char *short_name = NULL;
  guint64 generation = tall_generation_split_name (spec->name, &short_name);
  return generation == MAX (self->description->generation, TALL_FIRST_GENERATION)
         && g_strcmp0 (short_name, name) == 0;
}

/* The server itself works on it. */
static void
print_running (const TallMigrateState *state)
{
  g_autoptr (GString) line = g_string_new (NULL);
  tall_migrate_report_append (line, state, FALSE);
  tall_print ("\nThe server works on that: %s.\n“tallorder migrate --server” without options "
              "follows it, and with --abort gives a migration up.\n",
              line->str);
}

/* Prints what is going on, and who can end it. */
static void
print_phase (const Status *self)
{
  if (self->migration != NULL)
    {
      print_running (self->migration);
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (phases); i++)
    if (g_strcmp0 (phases[i].phase, self->description->phase) == 0)
      tall_print ("\n%s", phases[i].text);
}

/* Counts the tables that are left of other generations, and nobody needs. */
static void
count_unused (Status *self)
{
  if (!is_idle (self->description) || self->description->generation == 0)
    return;
  for (guint i = 0; i < self->tables->len; i++)
    {
      guint64 generation = find_generation (g_ptr_array_index (self->tables, i));
      self->n_unused += generation != 0 && generation != self->description->generation;
    }
}

static void
take_note (Status *self, const TallFinding *note)
{
  if (note->kind == TALL_FINDING_UNUSED_TABLES)
    self->n_unused = note->n_rows;
  if (note->load == NULL)
    return;
  TallUnfinishedLoad *load = g_new (TallUnfinishedLoad, 1);
  *load = *note->load;
  load->name = g_strdup (note->load->name);
  g_ptr_array_add (self->loads, load);
}

/* Asks a server for what loads and migrations have left. One that does not tell it to this client,
 * or is too old to, is not asked for more. */
static void
ask_server (Status *self, TallFront *front)
{
  g_autoptr (TallVerifyPart) part = NULL;
  const TallVerifyRequest request = { .most = 1, .notes = TRUE };
  if (self->description->generation == 0) /* older than notes */
    return;
  part = tall_front_verify_some (front, &request, &self->no_loads);
  if (g_error_matches (self->no_loads, TALL_ERROR, TALL_ERROR_UNSUPPORTED)
      || g_error_matches (self->no_loads, TALL_ERROR, TALL_ERROR_FORBIDDEN))
    g_clear_error (&self->no_loads);
  if (part == NULL)
    return;
  self->loads = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_unfinished_load_free);
  for (guint i = 0; i < part->n_findings; i++)
    take_note (self, &part->findings[i]);
}

/* Tables that are left of another generation, and nobody needs. */
static void
print_left (const Status *self)
{
  if (self->n_unused > 0)
    tall_print ("\n%u %s of another generation than %" G_GUINT64_FORMAT
                ", and %s not count; “tallorder migrate\n--drop-source” removes %s.\n",
                self->n_unused, self->n_unused == 1 ? "table is" : "tables are",
                self->description->generation, self->n_unused == 1 ? "does" : "do",
                self->n_unused == 1 ? "it" : "them");
}

/* Tables that a late call has shut. */
static void
print_shut (const Status *self)
{
  for (guint i = 0; self->tables != NULL && i < self->tables->len; i++)
    {
      const TallTableSpec *spec = g_ptr_array_index (self->tables, i);
      if (spec->access == TALL_ACCESS_OPEN
          || find_generation (spec) != self->description->generation)
        continue;
      g_autofree char *clean = tall_text_clean (spec->name);
      tall_print (
          "\nTable %s is %s, and no migration is going on: “tallorder migrate --abort” opens it.\n",
          clean, tall_table_access_name (spec->access));
    }
}

/* Prints what migrations have left behind, where none is going on. */
static void
print_tables_left (const Status *self)
{
  if (!is_idle (self->description) || self->description->generation == 0)
    return;
  print_left (self);
  print_shut (self);
}

/* Of --watch: where a service shows its metrics, and seconds between two looks at most. */
#define METRICS "127.0.0.1:9464"
#define MAX_EVERY 86400

#define NOT_GIVEN G_MININT

/* For the questions to HBase's master about tables: it may be gone while orders are still
 * served. */
#define TIMEOUT (10 * G_USEC_PER_SEC)

static void
status_clear (Status *self)
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
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Status, status_clear)

static void
collect_tables (Status *self, TallTable *table)
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
collect_migration (Status *self, TallFront *front)
{
  const char *const *calls = (const char *const *)self->description->calls;
  if (calls == NULL || !g_strv_contains (calls, "getMigration"))
    return;
  self->migration = tall_client_get_migration (TALL_CLIENT (front), NULL, 0, NULL);
  if (self->migration != NULL && !self->migration->is_running)
    g_clear_pointer (&self->migration, tall_migrate_state_free);
}

static gboolean
collect (Status *self, TallFront *front, GError **error)
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
      ask_server (self, front);
      return TRUE;
    }
  collect_tables (self, tall_store_get_table (TALL_STORE (front)));
  count_unused (self);
  self->loads = tall_store_list_loads (TALL_STORE (front), &self->no_loads);
  return TRUE;
}

/* A table that keeps customers beside the orders has no TTL, and nothing else tells why. */
static void
explain_ttl (const Status *self)
{
  const guint64 ttl = self->description->ttl;
  const TallLayout *layout = tall_layout_find (self->description->layout, NULL);
  const char *orders = layout != NULL ? tall_layout_get_order_table (layout) : NULL;
  for (guint i = 0; i < self->tables->len && ttl != 0; i++)
    {
      const TallTableSpec *spec = g_ptr_array_index (self->tables, i);
      if (is_table (self, spec, orders) && spec->ttl == 0)
        tall_print ("\nOrders older than %" G_GUINT64_FORMAT
                    " s, and the difference that clocks may have, are not found. Their rows stay "
                    "in the table %s, as it holds customers, too.\n",
                    ttl, spec->name);
    }
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

/* Which tables count, and what will. */
static void
print_generation (const TallDescription *description)
{
  g_autofree char *generation = g_strdup_printf ("%" G_GUINT64_FORMAT, description->generation);
  if (description->generation != 0)
    show (NULL, NULL, "generation", generation);
  if (description->next_layout != NULL)
    {
      g_autofree char *text =
          g_strdup_printf ("%s, to layout %s, key strategy %s, index %s", description->phase,
                           description->next_layout, description->next_key_strategy,
                           description->next_index);
      show (NULL, NULL, "migration", text);
    }
  else if (description->phase != NULL && !g_str_equal (description->phase, "none"))
    show (NULL, NULL, "migration", description->phase);
}

static void
print_status (const Status *self)
{
  const TallDescription *description = self->description;
  g_autofree char *ping = g_strdup_printf ("answered in %.2f ms", self->ping);
  show_deployment (NULL, description);
  print_generation (description);
  show (NULL, NULL, "mode", description->read_only ? "read-only" : "normal");
  show_program (NULL, description);
  show (NULL, NULL, "ping", ping);
  print_tables (NULL, self);
  if (self->tables != NULL)
    explain_ttl (self);
  print_tables_left (self);
  print_phase (self);
  print_gateways (NULL, self);
  print_loads (NULL, self);
  if (self->losses != NULL)
    print_losses (self->losses);
}

/* What could not be read is said at the end, after all that could. */
static TallExit
finish (const Status *status)
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
  char *metrics = NULL;
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
  g_auto (Status) status = { NULL };
  if (!collect (&status, front, &error))
    return tall_fail_with (error, TALL_EXIT_FAILED);
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
