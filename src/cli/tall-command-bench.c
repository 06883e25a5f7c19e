/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-bench-given.h"
#include "tall-options.h"
#include "tall-output.h"

static gboolean
parse_url (const TallOptions *options, TallStoreUrl **url)
{
  g_autoptr (GError) error = NULL;
  if (options->store == NULL)
    return TRUE;
  *url = tall_store_url_parse (options->store, &error);
  if (*url != NULL)
    return TRUE;
  tall_print_failure (error);
  return FALSE;
}

static gboolean
check (TallBenchGiven *given, const TallOptions *options)
{
  g_autoptr (GError) error = NULL;
  const char *wrong = NULL;
  if (options->n_arguments > 0)
    wrong = "bench takes no argument";
  else if (options->server != NULL)
    wrong = "bench works on a store, not on a server: give --store";
  else if (options->store == NULL && !given->floor)
    wrong = "Say where to measure: --store rocksdb:DIR or --store hbase://host:port; or --floor";
  else if (!tall_bench_given_check (given, &error))
    wrong = error->message;
  if (wrong != NULL)
    tall_usage_error (&tall_command_bench, "%s", wrong);
  return wrong == NULL;
}

static TallExit
check_and_measure (TallBenchGiven *given, const TallOptions *options)
{
  g_autoptr (TallStoreUrl) url = NULL;
  if (!check (given, options) || !parse_url (options, &url))
    return TALL_EXIT_USAGE;
  return given->floor ? tall_bench_measure_floor (given, url)
                      : tall_bench_measure_layouts (given, url);
}

static TallExit
run (int argc, char **argv)
{
  g_auto (TallBenchGiven) given = TALL_BENCH_GIVEN_INIT;
  const GOptionEntry entries[] = {
    { "layout", 0, 0, G_OPTION_ARG_STRING, &given.layouts, "layouts to compare (all)", "L,L|all" },
    { "key", 0, 0, G_OPTION_ARG_STRING, &given.keys, "key strategies to compare (hashed)",
      "K,K|all" },
    { "lines", 0, 0, G_OPTION_ARG_STRING, &given.lines, "lines an order (5; with --floor 10)",
      "N|N-M" },
    { "count", 0, 0, G_OPTION_ARG_INT64, &given.count,
      "orders (1000; of --orders all; with --floor 20000)", "N" },
    { "customers", 0, 0, G_OPTION_ARG_INT64, &given.customers, "who ordered them (20)", "N" },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &given.seed, "makes other orders (1)", "N" },
    { "orders", 0, 0, G_OPTION_ARG_FILENAME, &given.orders, "orders of a file instead",
      "FILE.csv" },
    { "map", 0, 0, G_OPTION_ARG_FILENAME, &given.map, "its columns, as for load", "NAME|FILE" },
    { "clients", 0, 0, G_OPTION_ARG_INT64, &given.clients, "that work at once (1)", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &given.seconds, "of each phase, or figure (5)", "S" },
    { "operations", 0, 0, G_OPTION_ARG_INT64, &given.operations, "of each phase instead", "N" },
    { "keep", 0, 0, G_OPTION_ARG_NONE, &given.keep, "do not remove the deployments", NULL },
    { "floor", 0, 0, G_OPTION_ARG_NONE, &given.floor,
      "compare with the same bytes sent or stored without tallorder", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &given.json, "as JSON, with every figure", NULL },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;

  if (!tall_options_parse (&options, &tall_command_bench, entries, argc, argv, &error))
    return tall_call_error (&tall_command_bench, error);
  return check_and_measure (&given, &options);
}

const TallCommand tall_command_bench = {
  .name = "bench",
  .arguments = "",
  .summary =
      "Measures layouts and keys side by side; or what tallorder adds to the store below it.",
  .help =
      "For each layout and key it makes a deployment of its own, stores orders, fetches, lists\n"
      "and replaces them, and removes it: embedded in directories NAME-bench-LAYOUT-KEY below\n"
      "that of --store, on HBase under these names, with the name= of --store, or tallorder.\n"
      "It does not touch what exists. Every order that it reads is compared with what it\n"
      "stored. With --floor it works in temporary deployments, too.\n"
      "\n"
      "Example:\n"
      "  tallorder bench --store rocksdb:/tmp/bench --lines 500 --count 200\n"
      "  tallorder bench --store hbase://127.0.0.1:9090 --layout blob,wide --clients 8 --json\n"
      "  tallorder bench --store rocksdb:/tmp/bench --orders orders.csv --map northwind\n"
      "  tallorder bench --floor",
  .ignores_environment = TRUE,
  .run = run,
};
