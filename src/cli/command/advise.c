/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/advise.h"
#include "bench/run.h"
#include "tall-error.h"
#include "cli/output.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "library/open.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <unistd.h>

#define MAX_COUNT 10000
#define MAX_TURNS 100
#define MAX_SECONDS 60
#define MAX_SERVERS 10000
#define MIN_HEAP 512
#define MAX_HEAP 1048576
#define NO_TOTAL G_MININT64

typedef struct
{
  char *orders; /* owned, as all texts; NULL: not given */
  char *map;
  char *mix;
  gboolean json;
  gint64 clients;
  gint64 count;
  gint64 turns;
  double seconds;
  gint64 total; /* NO_TOTAL: not given */
  gint64 servers;
  gint64 heap;
} AdviseGiven;

static void
advise_given_clear (AdviseGiven *self)
{
  g_free (self->orders);
  g_free (self->map);
  g_free (self->mix);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AdviseGiven, advise_given_clear)

/* On a terminal. */
static void
show_progress (const char *what, double done, gpointer data G_GNUC_UNUSED)
{
  g_autofree char *text = g_strdup_printf ("%-44s %3.0f %%", what, done * 100);
  tall_progress_show_text (text);
}

static TallExit
fail (const GError *error)
{
  tall_print_failure (error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return (TallExit)(128 + g_atomic_int_get (tall_stop_on_signals ()));
  return g_error_matches (error, TALL_ERROR, TALL_ERROR_INVALID) ? TALL_EXIT_USAGE
                                                                 : TALL_EXIT_FAILED;
}

static TallExit
advise (const AdviseGiven *given, const TallBenchMix *mix, const TallTableAddress *address)
{
  const TallAdviseOptions options = {
    .orders = given->orders,
    .map = given->map,
    .mix = mix,
    .address = address,
    .n_clients = (guint)given->clients,
    .count = (guint)given->count,
    .n_turns = (guint)given->turns,
    .seconds = given->seconds,
    .total = given->total,
    .n_servers = (guint)given->servers,
    .heap = (guint)given->heap,
    .begin = tall_stop_on_signals,
    .progress = show_progress,
  };
  g_autoptr (GError) error = NULL;
  g_auto (TallAdviseResult) result = { 0 };
  gboolean done = tall_advise_run (&options, &result, &error);
  tall_progress_clear ();
  if (result.left_out != NULL)
    tall_print_error ("%s", result.left_out);
  if (!done)
    return fail (error);
  g_autofree char *text = given->json ? tall_advise_result_to_json (&result, given->mix)
                                      : tall_advise_result_to_text (&result);
  if (given->json)
    tall_json_print_text (text);
  else
    tall_print ("%s", text);
  return TALL_EXIT_DONE;
}

/* What is wrong with the call; NULL: nothing. */
static const char *
find_mistake (const AdviseGiven *given, const TallOptions *options)
{
  if (options->n_arguments > 0)
    return "advise takes no argument";
  if (options->server != NULL)
    return "advise measures in a store, not on a server: give --store, or nothing";
  if (given->orders == NULL || given->map == NULL)
    return "Say which orders: --orders FILE.csv, and --map for what its columns are";
  if (given->mix == NULL)
    return "Say what programs will do, and how often: --mix, such as get=90,store=10";
  if (given->clients < 1 || given->clients > TALL_BENCH_MAX_CLIENTS)
    return "--clients: choose 1 to " G_STRINGIFY (TALL_BENCH_MAX_CLIENTS);
  if (given->count < 1 || given->count > MAX_COUNT)
    return "--count: choose 1 to " G_STRINGIFY (MAX_COUNT);
  if (given->turns < 1 || given->turns > MAX_TURNS)
    return "--turns: choose 1 to " G_STRINGIFY (MAX_TURNS);
  if (!(given->seconds > 0 && given->seconds <= MAX_SECONDS))
    return "--seconds: choose more than 0, to " G_STRINGIFY (MAX_SECONDS);
  if (given->total != NO_TOTAL && given->total < 1)
    return "--total: choose 1 or more";
  if (given->servers < 1 || given->servers > MAX_SERVERS)
    return "--servers: choose 1 to " G_STRINGIFY (MAX_SERVERS);
  if (given->heap < MIN_HEAP || given->heap > MAX_HEAP)
    return "--heap: choose " G_STRINGIFY (MIN_HEAP) " to " G_STRINGIFY (MAX_HEAP) " MB";
  return NULL;
}

/* In a directory that is removed afterwards. It is made when something is put there: a signal may
 * end the process while it reads. */
static TallExit
advise_temporarily (const AdviseGiven *given, const TallBenchMix *mix)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *id = g_uuid_string_random ();
  g_autofree char *name = g_strconcat ("tallorder-advise-", id, NULL);
  g_autofree char *folder = g_build_filename (g_get_tmp_dir (), name, NULL);
  g_autofree char *escaped = g_uri_escape_string (folder, "/", FALSE);
  g_autofree char *text = g_strconcat ("rocksdb:", escaped, NULL);
  if (g_access (g_get_tmp_dir (), W_OK | X_OK) != 0)
    {
      tall_print_error (
          "The folder for temporary files, %s, cannot be written: %s. Set TMPDIR to another, or "
          "give --store",
          g_get_tmp_dir (), g_strerror (errno));
      return TALL_EXIT_FAILED;
    }
  g_autoptr (TallTableAddress) address = tall_table_kinds_parse (text, &error);
  TallExit code = address != NULL ? advise (given, mix, address) : fail (error);
  g_rmdir (folder);
  return code;
}

static TallExit
check_and_advise (const AdviseGiven *given, const TallOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTableAddress) address = NULL;
  TallBenchMix mix = { .n_parts = 0 };
  const char *mistake = find_mistake (given, options);
  if (mistake != NULL)
    return tall_usage_error (&tall_command_advise, "%s", mistake);
  if (!tall_bench_mix_parse (&mix, given->mix, &error))
    return tall_usage_error (&tall_command_advise, "%s", error->message);
  if (options->store != NULL)
    address = tall_table_kinds_parse (options->store, &error);
  if (error != NULL)
    {
      tall_print_failure (error);
      return TALL_EXIT_USAGE;
    }
  return address != NULL ? advise (given, &mix, address) : advise_temporarily (given, &mix);
}

static TallExit
run (int argc, char **argv)
{
  g_auto (AdviseGiven) given = {
    .clients = 1,
    .count = 1000,
    .turns = 5,
    .seconds = 0.3,
    .total = NO_TOTAL,
    .servers = 3,
    .heap = 8192,
  };
  const GOptionEntry entries[] = {
    { "orders", 0, 0, G_OPTION_ARG_FILENAME, &given.orders, "some of the orders to be stored",
      "FILE.csv" },
    { "map", 0, 0, G_OPTION_ARG_FILENAME, &given.map, "its columns, as for load", "NAME|FILE" },
    { "mix", 0, 0, G_OPTION_ARG_STRING, &given.mix,
      "what programs do, and how often, such as get=90,store=10", "NAME=N,…" },
    { "total", 0, 0, G_OPTION_ARG_INT64, &given.total,
      "orders that there will be (as many as in the file)", "N" },
    { "servers", 0, 0, G_OPTION_ARG_INT64, &given.servers, "region servers of the HBase (3)", "N" },
    { "heap", 0, 0, G_OPTION_ARG_INT64, &given.heap, "memory of each of them (8192)", "MB" },
    { "clients", 0, 0, G_OPTION_ARG_INT64, &given.clients, "that work at once (1)", "N" },
    { "count", 0, 0, G_OPTION_ARG_INT64, &given.count, "orders to measure with at most (1000)",
      "N" },
    { "turns", 0, 0, G_OPTION_ARG_INT64, &given.turns, "that all layouts take (5)", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &given.seconds, "of each measurement in a turn (0.3)",
      "S" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &given.json, "as JSON, with every figure", NULL },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  if (!tall_options_parse (&options, &tall_command_advise, entries, argc, argv, &error))
    return tall_call_error (&tall_command_advise, error);
  return check_and_advise (&given, &options);
}

const TallCommand tall_command_advise = {
  .name = "advise",
  .arguments = "",
  .summary = "Recommends layout, keys and table settings for your orders, with the reasons.",
  .help =
      "It reads up to 300000 rows of the file, takes a sample of whole customers, and measures\n"
      "every layout and key strategy with it, as bench does: in deployments of its own, which\n"
      "it removes. Without --store they are in a temporary directory. 30 to 60 seconds.\n"
      "\n"
      "Example:\n"
      "  tallorder advise --orders orders.csv --map northwind --mix get=90,store=10\n"
      "  tallorder advise --store hbase://127.0.0.1:9090 --orders orders.csv --map my.map \\\n"
      "    --mix get=80,list=15,replace=5 --total 500000000 --servers 12 --heap 16384",
  .ignores_environment = TRUE,
  .run = run,
};
