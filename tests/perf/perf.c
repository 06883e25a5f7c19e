/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Measures what tallorder adds to the stores below it. README.md explains each figure. */
#include "floor.h"
#include "library/open.h"
#include "tall-error.h"

#include <gio/gio.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum
{
  DONE = 0,
  MISSED = 1,
  USAGE = 2,
  FAILED = 3,
};

#define MAX_LINES 9000 /* with its location, an order has at most 10,000 */
#define MAX_ORDERS 10000000
#define MAX_SECONDS 3600

typedef struct
{
  char *store;
  char *peer;
  char *pids;
  char *certificate;
  char *key;
  char *ca;
  gint lines;
  gint count;
  double seconds;
  gboolean check;
  gboolean json;
} Given;

static const struct
{
  const char *name;
  TallFloorSubject subject;
  gboolean takes_peer, takes_pids, takes_seconds, takes_tls;
} subjects[] = {
  { "calls", TALL_FLOOR_CALLS, .takes_pids = TRUE, .takes_seconds = TRUE },
  { "fetch", TALL_FLOOR_FETCH, .takes_peer = TRUE, .takes_pids = TRUE, .takes_seconds = TRUE },
  { "load", TALL_FLOOR_LOAD, .takes_peer = TRUE },
  { "migrate", TALL_FLOOR_MIGRATE, .takes_seconds = TRUE },
  { "address", TALL_FLOOR_ADDRESS, .takes_seconds = TRUE },
  { "tls", TALL_FLOOR_TLS, .takes_pids = TRUE, .takes_seconds = TRUE, .takes_tls = TRUE },
};

static gint stopped; /* atomic: the signal */

static void
note_signal (int number)
{
  g_atomic_int_set (&stopped, number);
}

/* The server that is measured runs in this process; its log is left out but for warnings. */
static GLogWriterOutput
write_warnings (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  return level > G_LOG_LEVEL_WARNING ? G_LOG_WRITER_HANDLED
                                     : g_log_writer_default (level, fields, n_fields, data);
}

static void
show_progress (const char *what, double done, gpointer data G_GNUC_UNUSED)
{
  if (isatty (STDERR_FILENO))
    fprintf (stderr, "\r%-44s %3.0f %%\033[K", what, done * 100);
}

static void
show_figure (const char *text, gpointer data G_GNUC_UNUSED)
{
  if (isatty (STDERR_FILENO))
    fputs ("\r\033[K", stderr);
  fputs (text, stdout);
  fflush (stdout);
}

/* Returns: (nullable): what is wrong with the call */
static const char *
find_mistake (const Given *given, guint subject)
{
  if (given->lines < 0 || given->lines > MAX_LINES)
    return "--lines: choose 1 to " G_STRINGIFY (MAX_LINES);
  if (given->count < 0 || given->count > MAX_ORDERS)
    return "--count: choose 1 to " G_STRINGIFY (MAX_ORDERS);
  if (given->seconds >= 0 && !subjects[subject].takes_seconds)
    return "load takes as long as it takes: choose --count, not --seconds";
  if (!(given->seconds < 0 || given->seconds <= MAX_SECONDS))
    return "--seconds: choose 0 to " G_STRINGIFY (MAX_SECONDS);
  if (given->peer != NULL && !subjects[subject].takes_peer)
    return "--peer is for load, and for fetch on HBase";
  if (given->peer == NULL && subjects[subject].subject == TALL_FLOOR_FETCH)
    return "fetch needs a --peer";
  if (given->pids != NULL && !subjects[subject].takes_pids)
    return "--pids is for calls, fetch and tls";
  gboolean has_tls = given->certificate != NULL && given->key != NULL;
  gboolean any_tls = given->certificate != NULL || given->key != NULL || given->ca != NULL;
  if (any_tls && !subjects[subject].takes_tls)
    return "--tls-… are for tls";
  if (subjects[subject].takes_tls && !has_tls)
    return "tls needs --tls-certificate and --tls-key, of a server at localhost";
  return NULL;
}

static int
refuse (const char *text)
{
  fprintf (stderr, "tallorder-perf: %s\n", text);
  return USAGE;
}

static int
measure (const Given *given, guint subject, const TallTableAddress *address, TallBenchPids *pids)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallBenchReport) report = tall_bench_report_new ();
  TallFloorOptions options = TALL_FLOOR_OPTIONS_INIT;
  options.subject = subjects[subject].subject;
  if (options.subject == TALL_FLOOR_ADDRESS)
    options.n_orders = TALL_FLOOR_CORRECTED;
  if (given->lines > 0)
    options.n_lines = (guint)given->lines;
  if (given->count > 0)
    options.n_orders = (guint)given->count;
  if (given->seconds >= 0)
    options.seconds = given->seconds;
  options.address = address;
  options.peer = given->peer;
  options.tls_certificate = given->certificate;
  options.tls_key = given->key;
  options.tls_ca = given->ca;
  options.pids = given->pids != NULL ? pids : NULL;
  options.stop = &stopped;
  options.progress = show_progress;
  if (!given->json)
    tall_bench_report_show (report, show_figure, NULL);
  if (!tall_floor_run (&options, report, &error))
    {
      fprintf (stderr, "tallorder-perf: %s: %s\n", given->store != NULL ? given->store : "embedded",
               error->message);
      return g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
                 ? 128 + g_atomic_int_get (&stopped)
                 : FAILED;
    }
  g_autofree char *json = given->json ? tall_bench_report_to_json (report) : NULL;
  if (json != NULL)
    fputs (json, stdout);
  return given->check && tall_bench_report_count_missed (report) > 0 ? MISSED : DONE;
}

static int
check_and_measure (const Given *given, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallTableAddress) address = NULL;
  TallBenchPids pids = { 0 };
  guint subject = 0;
  while (subject < G_N_ELEMENTS (subjects) && g_strcmp0 (name, subjects[subject].name) != 0)
    subject++;
  if (subject == G_N_ELEMENTS (subjects))
    return refuse ("say what to measure: calls, fetch, load, migrate, address or tls");
  const char *mistake = find_mistake (given, subject);
  if (mistake != NULL)
    return refuse (mistake);
  if (given->pids != NULL && !tall_bench_pids_parse (&pids, given->pids, &error))
    return refuse (error->message);
  if (given->store != NULL)
    address = tall_table_kinds_parse (given->store, &error);
  if (error != NULL)
    return refuse (error->message);
  return measure (given, subject, address, &pids);
}

int
main (int argc, char **argv)
{
  Given given = { .seconds = -1 };
  const GOptionEntry entries[] = {
    { "store", 0, 0, G_OPTION_ARG_STRING, &given.store, "where (where temporary files go)", "URL" },
    { "lines", 0, 0, G_OPTION_ARG_INT, &given.lines, "lines an order (10)", "N" },
    { "count", 0, 0, G_OPTION_ARG_INT, &given.count, "orders (20000; address: 100)", "N" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &given.seconds, "of each figure (5)", "S" },
    { "peer", 0, 0, G_OPTION_ARG_FILENAME, &given.peer, "a program that does the same", "PROGRAM" },
    { "pids", 0, 0, G_OPTION_ARG_STRING, &given.pids, "whose CPU time counts, too", "ROLE=PID" },
    { "tls-certificate", 0, 0, G_OPTION_ARG_FILENAME, &given.certificate, "for tls", "FILE" },
    { "tls-key", 0, 0, G_OPTION_ARG_FILENAME, &given.key, "for tls", "FILE" },
    { "tls-ca", 0, 0, G_OPTION_ARG_FILENAME, &given.ca, "for tls", "FILE" },
    { "check", 0, 0, G_OPTION_ARG_NONE, &given.check, "end with 1 if a goal is missed", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &given.json, "as JSON, with every figure", NULL },
    { NULL },
  };
  setlocale (LC_ALL, "");
  g_log_set_writer_func (write_warnings, NULL, NULL);
  const struct sigaction stop = { .sa_handler = note_signal, .sa_flags = SA_RESETHAND };
  sigaction (SIGINT, &stop, NULL);
  sigaction (SIGTERM, &stop, NULL);
  signal (SIGPIPE, note_signal); /* also more than once: nobody reads the figures */
  g_autoptr (GError) error = NULL;
  g_autoptr (GOptionContext) context =
      g_option_context_new ("calls|fetch|load|migrate|address|tls");
  g_option_context_add_main_entries (context, entries, NULL);
  int code;
  if (!g_option_context_parse (context, &argc, &argv, &error))
    code = refuse (error->message);
  else if (argc > 2)
    code = refuse ("it measures one thing at a time");
  else
    code = check_and_measure (&given, argc > 1 ? argv[1] : NULL);
  for (guint i = 0; entries[i].long_name != NULL; i++)
    if (entries[i].arg == G_OPTION_ARG_STRING || entries[i].arg == G_OPTION_ARG_FILENAME)
      g_free (*(char **)entries[i].arg_data);
  return code;
}
