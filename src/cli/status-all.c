/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/status-all.h"

#include "tall-error.h"
#include "cli/output.h"
#include "cli/status.h"
#include "library/table-kinds.h"
#include "base/text.h"

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
      tall_status_add_generation (builder, description);
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
finish (GPtrArray *deployments)
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

/**
 * tall_status_all:
 *
 * Prints what each deployment in the place of `--store` is. One that cannot be opened, such as one
 * whose `init` was cut short, is in the list, too.
 *
 * Returns: the exit code of the command
 */
TallExit
tall_status_all (const TallOptions *options, const TallCommand *command, gboolean json)
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
  return finish (deployments);
}
