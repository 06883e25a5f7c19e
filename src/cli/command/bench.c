/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/compare.h"
#include "bench/given.h"
#include "bench/store.h"
#include "bench/results.h"
#include "base/fail.h"
#include "cli/output.h"
#include "cli/options.h"
#include "cli/show.h"
#include "library/open.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <unistd.h>

#define PAGE_PROGRAM "tallorder-bench-page"
#define PAGE_SECONDS 600

/* On a terminal. */
static void
show_progress (const char *what, double done, gpointer data G_GNUC_UNUSED)
{
  g_autofree char *text = g_strdup_printf ("%-44s %3.0f %%", what, done * 100);
  tall_progress_show_text (text);
}

static void
print_text (const TallBenchGiven *given, const char *text)
{
  if (given->json)
    tall_json_print_text (text);
  else
    tall_print ("%s", text);
}

static TallExit
fail (const GError *error, const gint *stop)
{
  tall_print_failure (error);
  return g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
             ? (TallExit)(128 + g_atomic_int_get (stop))
             : TALL_EXIT_FAILED;
}

/* Why no file can be written there; NULL: it can. The page would replace a link or a device. */
static const char *
find_obstacle (const char *path)
{
  GStatBuf there;
  g_autofree char *folder = g_path_get_dirname (path);
  if (*path == '\0')
    return "it has no name";
  if (g_lstat (path, &there) == 0 && !S_ISREG (there.st_mode))
    return S_ISDIR (there.st_mode) ? g_strerror (EISDIR) : "a link or a device lies there";
  return g_access (folder, W_OK) == 0 ? NULL : g_strerror (errno);
}

/* Calls the program that makes pages: the one beside this program, or else on the PATH. @json:
 * nullable: for the page at @path; NULL: only looks whether it can make one. */
static gboolean
make_page (const char *json, const char *path, GError **error)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = self != NULL ? g_path_get_dirname (self) : g_strdup (".");
  g_autofree char *beside = g_build_filename (folder, PAGE_PROGRAM, NULL);
  gboolean is_there = g_file_test (beside, G_FILE_TEST_IS_EXECUTABLE);
  const char *const makes[] = { is_there ? beside : PAGE_PROGRAM, "-", "-o", path, NULL };
  const char *const looks[] = { is_there ? beside : PAGE_PROGRAM, "--help", NULL };
  g_auto (TallBenchProgram) program = {
    .arguments = json != NULL ? makes : looks,
    .input = json != NULL ? json : "",
    .seconds = PAGE_SECONDS,
  };
  if (!tall_bench_program_run (&program, error))
    return FALSE;
  if (!program.successful)
    tall_error_set_invalid (error, "html", "--html %s: %s", path,
                            program.said != NULL ? g_strstrip (program.said) : "no page came");
  return program.successful;
}

/* Whether the page can be made, as far as it can be known before hours of measuring. */
static gboolean
check_page (const char *path, GError **error)
{
  if (path == NULL)
    return TRUE;
  const char *obstacle = find_obstacle (path);
  if (obstacle == NULL)
    return make_page (NULL, path, error);
  return tall_error_fail_invalid (error, "html", "--html %s cannot be written: %s", path, obstacle);
}

static gboolean
print_results (const TallBenchGiven *given,
               const TallBenchCompare *compare,
               const TallBenchOrders *orders,
               const TallBenchFigures *figures,
               gboolean stopped,
               GError **error)
{
  g_autoptr (GPtrArray) summaries =
      tall_bench_summarize ((const TallBenchRecord *)(gpointer)figures->records->data,
                            figures->records->len);
  g_auto (TallBenchSetting) setting = { { NULL } };
  tall_bench_setting_read (&setting, given->command);
  TallBenchResults results = {
    .store = compare->place.address->kind->name,
    .n_clients = compare->plan.n_clients,
    .n_orders = orders->orders->len,
    .n_customers = orders->customers->len,
    .n_turns = compare->n_turns,
    .seconds = compare->plan.seconds,
    .n_operations = compare->plan.n_operations,
    .rate = compare->plan.rate,
    .mix = given->mix,
    .has_seed = given->orders == NULL,
    .seed = compare->plan.seed,
    .stopped = stopped,
    .summaries = summaries,
    .stored = figures->stored,
    .conditions = &compare->conditions,
    .setting = &setting,
  };
  for (guint i = 0; i < orders->orders->len; i++)
    results.n_lines += tall_order_count_lines (g_ptr_array_index (orders->orders, i));
  g_autofree char *text =
      given->json ? tall_bench_results_to_json (&results) : tall_bench_results_to_text (&results);
  print_text (given, text);
  if (compare->place.keep && !given->json && !stopped)
    {
      g_autofree char *kept = tall_bench_compare_describe_kept (compare);
      tall_print ("\n%s", kept);
    }
  if (given->html == NULL)
    return TRUE;
  g_autofree char *exact = tall_bench_results_to_json (&results);
  g_autofree char *json = tall_json_round (exact);
  return make_page (json, given->html, error);
}

static TallExit
measure (const TallBenchGiven *given, TallBenchCompare *compare, const TallBenchOrders *orders)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) records = g_array_new (FALSE, FALSE, sizeof (TallBenchRecord));
  g_autoptr (GArray) stored = g_array_new (FALSE, FALSE, sizeof (TallBenchStored));
  TallBenchFigures figures = { records, stored };
  gboolean done = tall_bench_compare_run (compare, orders, &figures, &error);
  tall_progress_clear ();
  gboolean shown = done
                   || (records->len + stored->len > 0
                       && !g_error_matches (error, TALL_ERROR, TALL_ERROR_DAMAGED));
  if (shown)
    done = print_results (given, compare, orders, &figures, !done, done ? &error : NULL) && done;
  return done ? TALL_EXIT_DONE : fail (error, compare->plan.stop);
}

static TallBenchOrders *
get_orders (const TallBenchGiven *given, GError **error)
{
  g_autofree char *left_out = NULL;
  TallBenchOrders *orders =
      tall_bench_given_get_orders (given, tall_stop_on_signals, &left_out, error);
  if (left_out != NULL)
    tall_print_error ("%s", left_out);
  return orders;
}

static TallExit
measure_layouts (const TallBenchGiven *given, const TallTableAddress *address)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) layouts =
      check_page (given->html, &error) ? tall_bench_given_find_layouts (given, &error) : NULL;
  g_autoptr (GPtrArray) keys = layouts != NULL ? tall_bench_given_find_keys (given, &error) : NULL;
  g_autoptr (TallBenchOrders) orders = keys != NULL ? get_orders (given, &error) : NULL;
  if (orders == NULL)
    {
      tall_print_failure (error);
      return g_error_matches (error, TALL_ERROR, TALL_ERROR_INVALID)
                     || g_error_matches (error, TALL_ERROR, TALL_ERROR_TOO_LARGE)
                     || g_error_matches (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED)
                 ? TALL_EXIT_USAGE
                 : TALL_EXIT_FAILED;
    }
  TallBenchCompare compare = {
    .layouts = (const TallLayout *const *)layouts->pdata,
    .n_layouts = layouts->len,
    .key_strategies = (const TallKeyStrategy *const *)keys->pdata,
    .n_key_strategies = keys->len,
    .place = { .address = address, .keep = given->keep },
    .conditions = given->conditions,
    .n_turns = (guint)given->turns,
    .indexes = tall_bench_mix_get_indexes (&given->parts),
    .plan = tall_bench_given_make_plan (given, tall_stop_on_signals ()),
    .progress = show_progress,
  };
  return measure (given, &compare, orders);
}

/* What is wrong with the call; NULL: nothing. */
static char *
find_mistake (TallBenchGiven *given, const TallOptions *options)
{
  g_autoptr (GError) error = NULL;
  if (options->server != NULL)
    return g_strdup ("bench works on a store, not on a server: give --store");
  if (options->store == NULL)
    {
      g_autofree char *forms = tall_table_kinds_join (tall_table_kind_make_short_form, "--store ");
      return g_strdup_printf ("Say where to measure: %s", forms);
    }
  return tall_bench_given_check (given, &error) ? NULL : g_strdup (error->message);
}

static TallExit
check_and_measure (TallBenchGiven *given, const TallOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *mistake = find_mistake (given, options);
  if (mistake != NULL)
    return tall_usage_error (&tall_command_bench, "%s", mistake);
  g_autoptr (TallTableAddress) address = tall_table_kinds_parse (options->store, &error);
  if (address != NULL)
    return measure_layouts (given, address);
  return tall_fail_with (error, TALL_EXIT_USAGE);
}

static TallExit
run (int argc, char **argv)
{
  TallBenchGiven given = TALL_BENCH_GIVEN_INIT;
  const GOptionEntry entries[] = {
    { "layout", 0, 0, G_OPTION_ARG_STRING, &given.layouts, "layouts to compare (all)", "L,L|all" },
    { "key", 0, 0, G_OPTION_ARG_STRING, &given.keys, "keys to compare (hashed)", "K,K|all" },
    { "lines", 0, 0, G_OPTION_ARG_STRING, &given.lines, "lines an order (5)", "N|N-M|zipf:N" },
    { "count", 0, 0, G_OPTION_ARG_INT64, &given.count, "orders (1000; of --orders all)", "N" },
    { "skew", 0, 0, G_OPTION_ARG_DOUBLE, &given.skew,
      "few customers have many orders: the k-th like k^-S (0)", "S" },
    { "customers", 0, 0, G_OPTION_ARG_INT64, &given.customers, "who ordered them (20)", "N" },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &given.seed, "makes other orders (1)", "N" },
    { "orders", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &given.orders,
      "orders of files instead, given as often as load takes several", "[KIND=]FILE" },
    { "map", 0, 0, G_OPTION_ARG_FILENAME, &given.map, "its columns, as for load", "NAME|FILE" },
    { "clients", 0, 0, G_OPTION_ARG_INT64, &given.clients, "that work at once (1)", "N" },
    { "turns", 0, 0, G_OPTION_ARG_INT64, &given.turns, "that all take one by one (5)", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &given.seconds, "of each phase in a turn (1)", "S" },
    { "operations", 0, 0, G_OPTION_ARG_INT64, &given.operations, "of each phase instead", "N" },
    { "mix", 0, 0, G_OPTION_ARG_STRING, &given.mix,
      "operations beside each other instead, such as get=90,store=10", "NAME=N,…" },
    { "rate", 0, 0, G_OPTION_ARG_DOUBLE, &given.rate,
      "operations a second that begin, whether the ones before are done or not", "N" },
    { "regions", 0, 0, G_OPTION_ARG_INT64, &given.regions, "of each table on HBase (1)", "N" },
    { "age", 0, 0, G_OPTION_ARG_INT64, &given.age, "replaces of each order before (0)", "N" },
    { "rest", 0, 0, G_OPTION_ARG_STRING, &given.rest, "how rows lie",
      "as-it-is|flushed|compacted" },
    { "cache", 0, 0, G_OPTION_ARG_DOUBLE, &given.cache, "block cache by the stored bytes", "N" },
    { "compression", 0, 0, G_OPTION_ARG_STRING, &given.compression, "of tables, as for init", "C" },
    { "block-encoding", 0, 0, G_OPTION_ARG_STRING, &given.block_encoding, "the same", "E" },
    { "pids", 0, 0, G_OPTION_ARG_STRING, &given.pids, "whose CPU time counts, too", "ROLE=PID" },
    { "admin", 0, 0, G_OPTION_ARG_STRING, &given.admin, "flushes and compacts HBase tables",
      "COMMAND" },
    { "keep", 0, 0, G_OPTION_ARG_NONE, &given.keep, "do not remove the deployments", NULL },
    { "html", 0, 0, G_OPTION_ARG_FILENAME, &given.html, "writes a page with drawings, too",
      "FILE" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &given.json, "as JSON, with every figure", NULL },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;

  g_autoptr (GString) line = g_string_new ("tallorder");
  for (guint i = 0; argv[i] != NULL; i++)
    tall_append_word (line, argv[i]);
  given.command = line->str;
  if (!tall_options_parse (&options, &tall_command_bench, entries, argc, argv, &error))
    return tall_call_error (&tall_command_bench, error);
  return check_and_measure (&given, &options);
}

const TallCommand tall_command_bench = {
  .name = "bench",
  .arguments = "",
  .summary = "Measures layouts and keys side by side.",
  .make_help = tall_bench_mix_describe,
  .help =
      "For each layout and key it makes a deployment of its own, stores orders, fetches, lists\n"
      "and replaces them, and removes it: embedded in directories NAME-bench-LAYOUT-KEY below\n"
      "that of --store, on HBase under these names, with the name= of --store, or tallorder.\n"
      "It does not touch what exists. Every order that it reads is compared with what it\n"
      "stored.\n"
      "\n"
      "Example:\n"
      "  tallorder bench --store rocksdb:/tmp/bench --lines 500 --count 200\n"
      "  tallorder bench --store hbase://127.0.0.1:9090 --layout blob,wide --clients 8 --json\n"
      "  tallorder bench --store rocksdb:/tmp/bench --orders orders.csv --map northwind",
  .ignores_environment = TRUE,
  .run = run,
};
