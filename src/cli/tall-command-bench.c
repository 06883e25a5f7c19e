/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-floor.h"
#include "tall-options.h"
#include "tall-output.h"
#include "tall-store-url.h"

#include <stdio.h>
#include <unistd.h>

#define MAX_LINES 9000 /* with its location, an order has at most 10,000 */
#define MAX_ORDERS 10000000
#define MAX_SECONDS 3600

/* What was given, besides what every command takes. */
typedef struct
{
  gboolean floor;
  gboolean json;
  int lines;
  int orders;
  double seconds;
} Given;

static void
show_progress (const char *what, double done, gpointer data)
{
  const gboolean *shown = data;
  if (*shown)
    fprintf (stderr, "\r%-32s %3.0f %%\033[K", what, done * 100);
}

static gboolean
check_given (const Given *given, const TallOptions *options)
{
  const char *wrong = NULL;
  if (!given->floor)
    wrong = "Say what to measure: --floor";
  else if (options->n_arguments > 0)
    wrong = "bench takes no argument";
  else if (options->server != NULL)
    wrong = "bench works on a store, not on a server: give --store, or nothing";
  else if (given->lines < 1 || given->lines > MAX_LINES)
    wrong = "--lines: choose 1 to " G_STRINGIFY (MAX_LINES);
  else if (given->orders < 1 || given->orders > MAX_ORDERS)
    wrong = "--orders: choose 1 to " G_STRINGIFY (MAX_ORDERS);
  else if (!(given->seconds >= 0 && given->seconds <= MAX_SECONDS))
    wrong = "--seconds: choose 0 to " G_STRINGIFY (MAX_SECONDS);
  if (wrong != NULL)
    tall_usage_error (&tall_command_bench, "%s", wrong);
  return wrong == NULL;
}

static gboolean
parse_url (const TallOptions *options, TallStoreUrl **url)
{
  g_autoptr (GError) error = NULL;
  if (options->store == NULL)
    return TRUE;
  *url = tall_store_url_parse (options->store, &error);
  if (*url != NULL)
    return TRUE;
  tall_print_error ("%s", error->message);
  return FALSE;
}

/* An embedded store only says on which disk to measure. */
static void
use_url (const TallStoreUrl *url, TallFloorOptions *floor, TallHbaseOptions *hbase)
{
  if (url == NULL)
    return;
  if (url->kind == TALL_STORE_ROCKSDB)
    {
      floor->directory = url->directory;
      return;
    }
  hbase->gateways = (const char *const *)url->gateways;
  hbase->name = url->name;
  hbase->framed = url->framed;
  hbase->compact = url->compact;
  floor->hbase = hbase;
}

static TallExit
measure (const Given *given, const TallStoreUrl *url)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallBenchReport) report = tall_bench_report_new ();
  TallHbaseOptions hbase = TALL_HBASE_OPTIONS_INIT;
  TallFloorOptions floor = TALL_FLOOR_OPTIONS_INIT;
  gboolean terminal = isatty (STDERR_FILENO);

  floor.n_lines = (guint)given->lines;
  floor.n_orders = (guint)given->orders;
  floor.seconds = given->seconds;
  floor.progress = show_progress;
  floor.progress_data = &terminal;
  use_url (url, &floor, &hbase);
  gboolean done = tall_floor_run (&floor, report, &error);
  if (terminal)
    fputs ("\r\033[K", stderr);
  if (!done)
    {
      tall_print_error ("%s", error->message);
      return TALL_EXIT_FAILED;
    }

  g_autofree char *text =
      given->json ? tall_bench_report_to_json (report) : tall_bench_report_to_text (report);
  tall_print ("%s%s", text, given->json ? "\n" : "");
  return TALL_EXIT_DONE;
}

static TallExit
run (int argc, char **argv)
{
  const TallFloorOptions usual = TALL_FLOOR_OPTIONS_INIT;
  Given given = { .lines = (int)usual.n_lines,
                  .orders = (int)usual.n_orders,
                  .seconds = usual.seconds };
  const GOptionEntry entries[] = {
    { "floor", 0, 0, G_OPTION_ARG_NONE, &given.floor,
      "compare with the same bytes sent or stored without tallorder", NULL },
    { "lines", 0, 0, G_OPTION_ARG_INT, &given.lines, "lines an order (10)", "N" },
    { "orders", 0, 0, G_OPTION_ARG_INT, &given.orders, "orders to fetch from (20000)", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &given.seconds, "time for each figure (5)", "S" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &given.json, "as JSON, with every figure", NULL },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  g_autoptr (TallStoreUrl) url = NULL;

  if (!tall_options_parse (&options, &tall_command_bench, entries, argc, argv, &error))
    return tall_usage_error (&tall_command_bench, "%s", error->message);
  if (!check_given (&given, &options) || !parse_url (&options, &url))
    return TALL_EXIT_USAGE;
  return measure (&given, url);
}

const TallCommand tall_command_bench = {
  .name = "bench",
  .arguments = "",
  .summary = "Measures what tallorder adds to the stores below it, as ratios.",
  .help = "Works in temporary deployments, which are removed afterwards: on HBase under names of\n"
          "their own, embedded in the directory of --store, or where temporary files go.\n"
          "\n"
          "Example:\n"
          "  tallorder bench --floor\n"
          "  tallorder bench --floor --store hbase://127.0.0.1:9090 --seconds 20 --json",
  .run = run,
};
