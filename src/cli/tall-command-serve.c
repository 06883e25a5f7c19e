/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-options.h"
#include "tall-output.h"
#include "tall-server.h"

#include <glib-unix.h>
#include <stdio.h>

static gboolean
on_signal (gpointer data)
{
  g_main_loop_quit (data);
  return G_SOURCE_CONTINUE;
}

/* Serves until SIGTERM or SIGINT. */
static TallExit
serve (TallFront *front, const char *address, const TallServerOptions *server_options)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GError) error = NULL;
  guint sources[] = { g_unix_signal_add (SIGTERM, on_signal, loop),
                      g_unix_signal_add (SIGINT, on_signal, loop) };

  g_autoptr (TallServer) server = tall_server_new (front, address, server_options, &error);
  if (server == NULL)
    {
      tall_print_error ("%s", error->message);
      return TALL_EXIT_FAILED;
    }
  tall_print ("listening on %s\n", tall_server_get_address (server));
  fflush (stdout);
  g_main_loop_run (loop);
  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    g_source_remove (sources[i]);
  if (tall_server_stop (server))
    return TALL_EXIT_DONE;
  tall_print_error ("Calls were still running when the time to stop was over");
  return TALL_EXIT_FAILED;
}

static TallExit
run (int argc, char **argv)
{
  g_autofree char *listen = NULL;
  gint max_connections = 0;
  const GOptionEntry entries[] = {
    { "listen", 0, 0, G_OPTION_ARG_FILENAME, &listen,
      "where to listen; port 0 takes a free one (default 127.0.0.1:7654)", "HOST:PORT" },
    { "max-connections", 0, 0, G_OPTION_ARG_INT, &max_connections,
      "clients at the same time (default 256)", "N" },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  if (!tall_options_parse (&options, &tall_command_serve, entries, argc, argv, &error))
    return tall_usage_error (&tall_command_serve, "%s", error->message);
  if (options.n_arguments > 0)
    return tall_usage_error (&tall_command_serve, "serve takes no argument: “%s”",
                             options.arguments[0]);
  if (max_connections < 0)
    return tall_usage_error (&tall_command_serve, "--max-connections takes a number above 0");

  TallExit exit;
  g_autoptr (TallStore) store = tall_options_open_store (&options, &tall_command_serve, &exit);
  if (store == NULL)
    return exit;
  TallServerOptions server_options = { .max_connections = (guint)max_connections };
  return serve (TALL_FRONT (store), listen != NULL ? listen : "127.0.0.1:7654", &server_options);
}

const TallCommand tall_command_serve = {
  .name = "serve",
  .arguments = "",
  .summary = "Answers Thrift calls (framed; binary or compact) until it is told to stop.",
  .help =
      "Prints \"listening on HOST:PORT\" when it is ready. SIGTERM or SIGINT lets running calls\n"
      "finish. Without --listen it is reached from this machine only.\n\n"
      "Example:\n"
      "  tallorder serve --store rocksdb:shop --listen 127.0.0.1:7654",
  .run = run,
};
