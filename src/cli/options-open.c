/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-client.h"
#include "tall-error.h"
#include "cli/options.h"
#include "cli/output.h"
#include "library/table-kinds.h"

/* Milliseconds in which a server must show that it is one. */
#define FIRST_ANSWER 3000

static const char *
name_environment (const TallCommand *command)
{
  if (command->ignores_environment)
    return "";
  return command->takes_server ? "; or set TALLORDER_STORE or TALLORDER_SERVER"
                               : "; or set TALLORDER_STORE";
}

static void
say_where (const TallCommand *command)
{
  guint n;
  g_autofree char *usual = tall_table_kind_make_short_form (tall_table_kinds (&n)[0]);
  tall_usage_error (command, "Say where the orders are: --store %s%s%s", usual,
                    command->takes_server ? ", or --server HOST:PORT" : "",
                    name_environment (command));
}

static TallTableAddress *
parse_store (const TallOptions *self, const TallCommand *command, TallExit *code)
{
  g_autoptr (GError) error = NULL;
  *code = TALL_EXIT_USAGE;
  if (self->server != NULL && !command->takes_server)
    tall_usage_error (command, "%s works on a store, not on a server: give --store", command->name);
  else if (self->server != NULL && self->store != NULL)
    tall_usage_error (command, self->both_given
                                   ? "TALLORDER_STORE and TALLORDER_SERVER are both set: unset "
                                     "one, or give --store or --server"
                                   : "Give --store or --server, not both");
  else if (self->store == NULL)
    say_where (command);
  else
    {
      TallTableAddress *address = tall_table_kinds_parse (self->store, &error);
      if (address == NULL)
        tall_print_failure (error);
      return address;
    }
  return NULL;
}

static TallTable *
open_address (const TallTableAddress *address, gboolean create, TallExit *code)
{
  g_autoptr (GError) error = NULL;
  TallTable *table = tall_table_address_open (address, create, &error);
  if (table == NULL)
    {
      /* A name that no deployment can have is wrong wherever the place is. */
      *code = g_strcmp0 (tall_error_get_field (error), "name") == 0 ? TALL_EXIT_USAGE
                                                                    : TALL_EXIT_FAILED;
      tall_print_failure (error);
    }
  return table;
}

/**
 * tall_options_open_table:
 * @create: make a new embedded store if there is none
 *
 * Returns: (transfer full): the tables of `--store`; NULL, with a message printed, on failure
 */
TallTable *
tall_options_open_table (const TallOptions *self,
                         const TallCommand *command,
                         gboolean create,
                         TallExit *code)
{
  g_autoptr (TallTableAddress) address = parse_store (self, command, code);
  return address == NULL ? NULL : open_address (address, create, code);
}

/**
 * tall_options_open_deployment:
 * @name: of a deployment in the place of `--store`, in which none is named, or this one
 *
 * Returns: (transfer full): its tables; NULL, with a message printed, on failure
 */
TallTable *
tall_options_open_deployment (const TallOptions *self,
                              const TallCommand *command,
                              const char *name,
                              TallExit *code)
{
  g_autoptr (TallTableAddress) address = parse_store (self, command, code);
  if (address == NULL)
    return NULL;
  if (address->name != NULL && !g_str_equal (address->name, name))
    {
      tall_usage_error (command, "--store names the deployment %s, and %s is meant", address->name,
                        name);
      *code = TALL_EXIT_USAGE;
      return NULL;
    }
  tall_table_address_set_name (address, name);
  return open_address (address, FALSE, code);
}

/**
 * tall_options_find_address:
 *
 * Returns: (transfer full): where the store is; NULL: `--store` is missing or wrong
 */
TallTableAddress *
tall_options_find_address (const TallOptions *self)
{
  return self->store != NULL ? tall_table_kinds_parse (self->store, NULL) : NULL;
}

/**
 * tall_options_open_store:
 *
 * Returns: (transfer full): the store of `--store`; NULL, with a message printed, on failure
 */
TallStore *
tall_options_open_store (const TallOptions *self, const TallCommand *command, TallExit *code)
{
  g_autoptr (TallTable) table = tall_options_open_table (self, command, FALSE, code);
  if (table == NULL)
    return NULL;
  g_autoptr (GError) error = NULL;
  TallStore *store = tall_store_open (table, NULL, NULL, NULL, &error);
  if (store != NULL)
    return store;
  /* what is wrong with the deployment, not with the place, which names itself */
  if (g_error_matches (error, TALL_ERROR, TALL_ERROR_NOT_FOUND)
      || g_error_matches (error, TALL_ERROR, TALL_ERROR_NEWER_VERSION)
      || g_error_matches (error, TALL_ERROR, TALL_ERROR_DAMAGED))
    g_prefix_error (&error, "Store %s: ", self->store);
  tall_print_failure (error);
  *code = TALL_EXIT_FAILED;
  return NULL;
}

/* Files for TLS may stand in a configuration that is used for other servers, too. */
static TallFront *
open_client (const TallOptions *self, GError **error)
{
  g_autoptr (TallFront) client = tall_client_new (self->server, error);
  if (client == NULL
      || (g_str_has_prefix (self->server, TALL_CLIENT_TLS)
          && !tall_client_use_tls (TALL_CLIENT (client), self->tls_ca, self->tls_certificate,
                                   self->tls_key, error)))
    return NULL;
  return g_steal_pointer (&client);
}

/**
 * tall_options_open_front:
 *
 * Returns: (transfer full): what the options name: a store, or a server; NULL, with a message
 *   printed, on failure
 */
TallFront *
tall_options_open_front (const TallOptions *self, const TallCommand *command, TallExit *code)
{
  if (self->server == NULL || self->store != NULL)
    {
      TallStore *store = tall_options_open_store (self, command, code);
      return store == NULL ? NULL : TALL_FRONT (store);
    }
  g_autoptr (GError) error = NULL;
  g_autoptr (TallFront) client = open_client (self, &error);
  if (client != NULL && tall_client_check (TALL_CLIENT (client), FIRST_ANSWER, &error))
    return g_steal_pointer (&client);
  tall_print_failure (error);
  *code =
      g_error_matches (error, TALL_ERROR, TALL_ERROR_INVALID) ? TALL_EXIT_USAGE : TALL_EXIT_FAILED;
  return NULL;
}
