/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */

/* A mix of everything on a few orders, recorded as a history: see ../README.md. */
#include <gio/gio.h>
#include <signal.h>
#include <stdlib.h>

#include "tall-loading.h"
#include "tall-mender.h"
#include "tall-mix.h"
#include "tall-mover.h"
#include "tall-still.h"
#include "tall-target.h"
#include "tall-tour.h"

#define NSEC_PER_SEC G_GINT64_CONSTANT (1000000000)
#define NSEC_PER_MSEC 1000000
#define MAX_THREADS 256
#define NEWCOMERS 100000 /* of a mover, at most, in the numbers of threads */

typedef struct
{
  TallTarget target;
  char *history;
  char *process;
  char *mender; /* what it does; NULL: there is none */
  GStrv loads;  /* what each does with what exists; one writer each */
  gint movers;  /* one writer each */
  char *tour;   /* what it goes through; NULL: there is none. One writer */
  char *still;  /* file that says what stays; NULL: nothing does */
  GStrv clocks; /* seconds; one writer each */
  gint threads; /* of each writer */
  gint orders;
  gint operations;
  gint switches;
  gint pause;  /* milliseconds */
  gint period; /* milliseconds */
  gint64 epoch;
  gdouble seconds;
  gint seed;
  gint read_back; /* seconds that it may take; 0: no */
} Options;

static TallMixOptions mix;

static void
options_clear (Options *self)
{
  tall_target_clear (&self->target);
  g_clear_pointer (&self->history, g_free);
  g_clear_pointer (&self->process, g_free);
  g_clear_pointer (&self->mender, g_free);
  g_clear_pointer (&self->tour, g_free);
  g_clear_pointer (&self->still, g_free);
  g_clear_pointer (&self->loads, g_strfreev);
  g_clear_pointer (&self->clocks, g_strfreev);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static gboolean
parse (Options *self, int *argc, char ***argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "store", 0, 0, G_OPTION_ARG_STRING, &self->target.url, "memory, rocksdb:… or hbase://…",
      "URL" },
    { "server", 0, 0, G_OPTION_ARG_STRING, &self->target.server,
      "a server instead, for which this is a client", "[tls://]HOST:PORT" },
    { "tls-ca", 0, 0, G_OPTION_ARG_FILENAME, &self->target.tls_ca, "of a server", "FILE" },
    { "tls-certificate", 0, 0, G_OPTION_ARG_FILENAME, &self->target.tls_certificate, "to show it",
      "FILE" },
    { "tls-key", 0, 0, G_OPTION_ARG_FILENAME, &self->target.tls_key, "of that", "FILE" },
    { "create", 0, 0, G_OPTION_ARG_STRING, &self->target.create, "make the deployment", "LAYOUT" },
    { "key", 0, 0, G_OPTION_ARG_STRING, &self->target.key, "key strategy to make it with", "KEY" },
    { "ttl", 0, 0, G_OPTION_ARG_INT, &self->target.ttl, "to make it with (default 0: none)",
      "SECONDS" },
    { "failures", 0, 0, G_OPTION_ARG_INT, &self->target.failures,
      "one call of N fails; 0: none, but others are let in between calls; -1: neither (default)",
      "N" },
    { "patience", 0, 0, G_OPTION_ARG_INT, &self->target.patience,
      "how long a foreign claim is respected", "MS" },
    { "omit", 0, 0, G_OPTION_ARG_INT, &self->target.omits,
      "what the store leaves out, a TallOmission, which has to be noticed (default 0: nothing)",
      "N" },
    { "history", 0, 0, G_OPTION_ARG_FILENAME, &self->history, "where to record", "FILE" },
    { "process", 0, 0, G_OPTION_ARG_STRING, &self->process, "name of this process there", "NAME" },
    { "mender", 0, 0, G_OPTION_ARG_STRING, &self->mender,
      "verify all the while: repair at once; report, where nothing false may be found; or the same "
      "without waiting, which has to be noticed",
      "repair|report|hasty" },
    { "load", 0, 0, G_OPTION_ARG_STRING_ARRAY, &self->loads,
      "load all the while, with this done to what exists; may be repeated", "report|skip|replace" },
    { "movers", 0, 0, G_OPTION_ARG_INT, &self->movers,
      "threads that move it to other layouts and keys all the while (default 0)", "N" },
    { "tour", 0, 0, G_OPTION_ARG_STRING, &self->tour,
      "move it from each layout or key to each other one, and end then", "layouts|keys|both" },
    { "still", 0, 0, G_OPTION_ARG_FILENAME, &self->still,
      "store orders that nobody changes, and check them at the end; or check those of this file",
      "FILE" },
    { "clock", 0, 0, G_OPTION_ARG_STRING_ARRAY, &self->clocks,
      "a writer whose clock is fast by this; may be repeated", "SECONDS" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &self->threads, "of each writer (default 2)", "N" },
    { "orders", 0, 0, G_OPTION_ARG_INT, &self->orders, "of a generation (default 4)", "N" },
    { "period", 0, 0, G_OPTION_ARG_INT, &self->period, "of a generation (default 500)", "MS" },
    { "epoch", 0, 0, G_OPTION_ARG_INT64, &self->epoch,
      "CLOCK_MONOTONIC when generation 0 begins (default: now)", "NS" },
    { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &self->seconds, "how long (default 5; 0: no mix)",
      "N" },
    { "operations", 0, 0, G_OPTION_ARG_INT, &self->operations, "of a thread, at most", "N" },
    { "switches", 0, 0, G_OPTION_ARG_INT, &self->switches,
      "of movers; until then operations do not end (default 0)", "N" },
    { "pause", 0, 0, G_OPTION_ARG_INT, &self->pause, "between two of a thread (default 0)", "MS" },
    { "seed", 0, 0, G_OPTION_ARG_INT, &self->seed, "of chance (default: another each time)", "N" },
    { "read-back", 0, 0, G_OPTION_ARG_INT, &self->read_back,
      "get all orders at the end, within this time", "SECONDS" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_option_context_set_summary (context, "Works on orders, and records what it was told.");
  g_option_context_add_main_entries (context, entries, NULL);
  return g_option_context_parse (context, argc, argv, error);
}

static gboolean
check_loads (const Options *self)
{
  TallBulkExisting existing;
  for (guint i = 0; self->loads != NULL && self->loads[i] != NULL; i++)
    if (!tall_loading_find (self->loads[i], &existing))
      return FALSE;
  return TRUE;
}

/* A server's store is not ours: nothing can be made, mended, loaded or moved there. */
static gboolean
has_one_target (const Options *self)
{
  if (self->target.server == NULL)
    return self->target.url != NULL;
  return self->target.url == NULL && self->target.create == NULL && self->mender == NULL
         && self->loads == NULL && self->movers == 0 && self->tour == NULL;
}

static gboolean
check (const Options *self, GError **error)
{
  TallMenderWay way;
  if (has_one_target (self) && self->history != NULL && check_loads (self) && self->threads >= 1
      && self->threads <= MAX_THREADS && self->orders >= 1 && self->orders <= TALL_MIX_MAX_ORDERS
      && self->period >= 1 && self->seconds >= 0 && self->movers >= 0 && self->movers <= MAX_THREADS
      && (self->mender == NULL || tall_mender_parse_way (self->mender, &way))
      && (self->tour == NULL || tall_tour_knows (self->tour)))
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
               "--store or --server, and --history are needed, --threads 1 to %d, --orders 1 to "
               "%d, --period 1 "
               "or more",
               MAX_THREADS, TALL_MIX_MAX_ORDERS);
  return FALSE;
}

static gpointer
run_client (gpointer client)
{
  tall_mix_client_run (client);
  return NULL;
}

static void
on_signal (int number G_GNUC_UNUSED)
{
  g_atomic_int_set (&mix.stop, TRUE);
}

/* @writer: of its own; its patience is that of all */
static TallMender *
start_mender (const Options *options, TallWriter *writer)
{
  TallMenderWay way;
  if (!tall_mender_parse_way (options->mender, &way))
    g_assert_not_reached ();
  mix.late = tall_late_new (writer->store, options->target.patience * (gint64)NSEC_PER_MSEC);
  return tall_mender_start (&mix, writer, way);
}

/* Each with the last of the writers that are left. */
static GPtrArray *
start_loads (const Options *options, GPtrArray *writers)
{
  GPtrArray *loads = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_loading_free);
  for (guint i = 0; options->loads != NULL && options->loads[i] != NULL; i++)
    {
      TallBulkExisting existing = TALL_BULK_REPORT;
      const TallWriter *writer = g_ptr_array_remove_index (writers, writers->len - 1);
      tall_loading_find (options->loads[i], &existing);
      g_ptr_array_add (loads, tall_loading_start (&mix, writer->front, existing,
                                                  MAX_THREADS + 1 + i, g_random_int ()));
    }
  return loads;
}

/* Each with the last of the writers that are left. */
static GPtrArray *
start_movers (const Options *options, GPtrArray *writers)
{
  GPtrArray *movers = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_mover_free);
  for (gint i = 0; i < options->movers; i++)
    {
      TallWriter *writer = g_ptr_array_remove_index (writers, writers->len - 1);
      g_ptr_array_add (movers, tall_mover_start (&mix, &options->target, writer,
                                                 NEWCOMERS * (1 + (guint)i), g_random_int ()));
    }
  return movers;
}

/* When nobody writes any more. */
static gboolean
finish (GPtrArray *all, GPtrArray *movers, TallMender *mender, GError **error)
{
  for (guint i = 0; i < movers->len; i++)
    tall_mover_stop (movers->pdata[i]);
  if (mender != NULL)
    tall_mender_stop (mender);
  for (guint i = 0; i < all->len; i++)
    tall_writer_settle (all->pdata[i]);
  for (guint i = 0; i < movers->len; i++)
    if (!tall_mover_finish (movers->pdata[i], error))
      return FALSE;
  return mender == NULL || tall_mender_finish (mender, error);
}

/* The last of the writers are those of the tour, the mender, the loads and the movers, if there are
 * any. @still: (nullable): what stays */
static gboolean
run_mix (const Options *options, GPtrArray *all, const char *still, GError **error)
{
  g_autoptr (TallMender) mender = NULL;
  g_autoptr (TallTour) tour = NULL;
  g_autoptr (GPtrArray) writers = g_ptr_array_new ();
  g_ptr_array_extend (writers, all, NULL, NULL);
  if (options->tour != NULL)
    tour = tall_tour_start (&mix, &options->target,
                            g_ptr_array_remove_index (writers, writers->len - 1), options->tour,
                            still, NEWCOMERS);
  if (options->mender != NULL)
    mender = start_mender (options, g_ptr_array_remove_index (writers, writers->len - 1));
  GPtrArray *loads = start_loads (options, writers);
  g_autoptr (GPtrArray) movers = start_movers (options, writers);
  g_autoptr (GPtrArray) clients =
      g_ptr_array_new_with_free_func ((GDestroyNotify)tall_mix_client_free);
  g_autoptr (GPtrArray) threads = g_ptr_array_new ();
  for (guint i = 0; i < writers->len * (guint)options->threads; i++)
    {
      TallWriter *writer = g_ptr_array_index (writers, i % writers->len);
      g_ptr_array_add (clients, tall_mix_client_new (&mix, writer->front, i, g_random_int ()));
    }
  for (guint i = 0; i < clients->len; i++)
    g_ptr_array_add (threads, g_thread_new ("client", run_client, clients->pdata[i]));
  for (guint i = 0; i < threads->len; i++)
    g_thread_join (threads->pdata[i]);
  on_signal (0); /* for loads, which go on as long as clients do */
  g_ptr_array_unref (loads);
  if (tour != NULL && !tall_tour_finish (tour, error))
    return FALSE;
  return finish (all, movers, mender, error);
}

static gboolean
read_back (const Options *options, const TallWriter *writer, GError **error)
{
  g_autoptr (TallMixClient) client =
      tall_mix_client_new (&mix, writer->front, MAX_THREADS, g_random_int ());
  gint64 end = tall_history_now () + options->read_back * NSEC_PER_SEC;
  if (tall_mix_client_read_back (client, tall_mix_generation (&mix) + 1, end))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT,
               "Reading back: some order could not be read within %d seconds", options->read_back);
  return FALSE;
}

static gboolean
open_writers (Options *options, GPtrArray *writers, GError **error)
{
  static const char *const one_clock[] = { "0", NULL };
  const char *const *clocks =
      options->clocks != NULL ? (const char *const *)options->clocks : one_clock;
  if (!tall_target_open (&options->target, error))
    return FALSE;
  for (guint i = 0; clocks[i] != NULL; i++)
    {
      gint64 seconds = g_ascii_strtoll (clocks[i], NULL, 10);
      TallWriter *writer = tall_writer_new (&options->target, seconds * 1000, error);
      if (writer == NULL)
        return FALSE;
      g_ptr_array_add (writers, writer);
    }
  guint n_others = (options->tour != NULL) + (options->mender != NULL) + (guint)options->movers
                   + (options->loads != NULL ? g_strv_length (options->loads) : 0);
  for (guint i = 0; i < n_others; i++)
    {
      TallWriter *writer = tall_writer_new (&options->target, 0, error);
      if (writer == NULL)
        return FALSE;
      g_ptr_array_add (writers, writer);
    }
  return TRUE;
}

static gboolean
run (Options *options, GError **error)
{
  g_autoptr (TallHistory) history =
      tall_history_open (options->history, options->process != NULL ? options->process : "a",
                         error);
  g_autoptr (GPtrArray) writers = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_writer_free);
  g_autoptr (TallGate) gate = tall_gate_new ();
  g_autofree char *still = NULL;
  if (history == NULL || !open_writers (options, writers, error))
    return FALSE;

  gint64 now = tall_history_now ();
  mix.history = history;
  mix.n_orders = (guint)options->orders;
  mix.n_operations = (guint)options->operations;
  mix.n_awaited = options->switches;
  mix.pause = (guint)MAX (options->pause, 0) * 1000;
  mix.period = options->period * (gint64)NSEC_PER_MSEC;
  mix.epoch = options->epoch != 0 ? options->epoch : now;
  mix.end = now + (gint64)(options->seconds * (gdouble)NSEC_PER_SEC);
  mix.gate = gate;
  TallFront *front = ((TallWriter *)writers->pdata[0])->front;
  if (options->still != NULL && (still = tall_still_keep (front, options->still, error)) == NULL)
    return FALSE;
  if (options->seconds > 0 && !run_mix (options, writers, still, error))
    return FALSE;
  return (options->read_back == 0 || read_back (options, writers->pdata[0], error))
         && (still == NULL || tall_still_check (front, still, error));
}

int
main (int argc, char *argv[])
{
  g_auto (Options)
      options = { .target.failures = -1, .threads = 2, .orders = 4, .period = 500, .seconds = 5 };
  g_autoptr (GError) error = NULL;
  struct sigaction action = { .sa_handler = on_signal };

  if (!parse (&options, &argc, &argv, &error) || !check (&options, &error))
    {
      g_printerr ("workload: %s\n", error->message);
      return 2;
    }
  if (options.seed != 0)
    g_random_set_seed ((guint32)options.seed);
  sigaction (SIGTERM, &action, NULL);
  sigaction (SIGINT, &action, NULL);
  /* A lost gateway is a warning, and this program is for lost gateways. */
  g_log_set_always_fatal (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL);
  if (run (&options, &error))
    return 0;
  g_printerr ("workload: %s\n", error->message);
  return 3;
}
