/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-error.h"
#include "tall-options.h"
#include "tall-output.h"

typedef struct
{
  char *layout;
  char *key;
  gint64 ttl;
} InitOptions;

static TallExit
create (const TallOptions *options, const TallStoreSettings *settings)
{
  TallExit exit;
  g_autoptr (TallTable) table = tall_options_open_table (options, &tall_command_init, TRUE, &exit);
  if (table == NULL)
    return exit;
  g_autoptr (GError) error = NULL;
  if (!tall_store_create (table, settings, &error))
    {
      tall_print_error ("%s", error->message);
      return TALL_EXIT_FAILED;
    }
  TallTableInfo info;
  tall_table_get_info (table, &info);
  tall_print ("Created deployment %s on %s: layout %s, key strategy %s\n", info.deployment,
              info.kind, settings->layout->name, settings->key_strategy->name);
  return TALL_EXIT_DONE;
}

static TallExit
check_and_create (const TallOptions *options, const InitOptions *own)
{
  guint n;
  g_autoptr (GError) error = NULL;
  TallStoreSettings settings = { tall_layouts (&n)[0], tall_key_strategies (&n)[0],
                                 (guint64)own->ttl };
  if (own->layout != NULL)
    settings.layout = tall_layout_find (own->layout, &error);
  if (error == NULL && own->key != NULL)
    settings.key_strategy = tall_key_strategy_find (own->key, &error);
  if (error != NULL)
    {
      tall_print_error ("%s", error->message);
      return TALL_EXIT_USAGE;
    }
  if (own->ttl < 0)
    return tall_usage_error (&tall_command_init, "--ttl takes seconds, 0 or more");
  return create (options, &settings);
}

static TallExit
run (int argc, char **argv)
{
  InitOptions own = { NULL, NULL, 0 };
  const GOptionEntry entries[] = {
    { "layout", 0, 0, G_OPTION_ARG_FILENAME, &own.layout, "how an order lies in rows", "LAYOUT" },
    { "key", 0, 0, G_OPTION_ARG_FILENAME, &own.key, "how numbers become row keys", "STRATEGY" },
    { "ttl", 0, 0, G_OPTION_ARG_INT64, &own.ttl, "orders expire after this time; 0: never",
      "SECONDS" },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  TallExit exit;
  if (!tall_options_parse (&options, &tall_command_init, entries, argc, argv, &error))
    exit = tall_usage_error (&tall_command_init, "%s", error->message);
  else if (options.n_arguments > 0)
    exit =
        tall_usage_error (&tall_command_init, "init takes no argument: “%s”", options.arguments[0]);
  else
    exit = check_and_create (&options, &own);
  g_free (own.layout);
  g_free (own.key);
  return exit;
}

const TallCommand tall_command_init = {
  .name = "init",
  .arguments = "",
  .summary = "Makes a deployment: layout, key strategy and tables, fixed for its life.",
  .help = "Layouts: blob (default), record-type, normalized, denormalized, wide.\n"
          "Key strategies: hashed (default), raw, salted, reversed.\n"
          "Several deployments live side by side in one store under different names.\n\n"
          "Example:\n"
          "  tallorder init --store rocksdb:shop --layout record-type --key hashed\n"
          "  tallorder init --store 'hbase://127.0.0.1:9090?name=shop'",
  .run = run,
};
