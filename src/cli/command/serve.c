/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "backup/runner.h"
#include "base/file.h"
#include "base/heap.h"
#include "cli/output.h"
#include "cli/options.h"
#include "ops/watch.h"
#include "service/access/places.h"
#include "service/access/roles.h"
#include "service/server/server.h"
#include "tall-client.h"
#include "base/fail.h"
#include "wire/tls-context.h"

#include <gio/gio.h>
#include <gio/gunixsocketaddress.h>
#include <glib-unix.h>
#include <glib.h>
#include <unistd.h>

/**
 * TallServeRules:
 *
 * The rules of `serve` about who may come in: the files that say so, and what they said when they
 * were read last.
 */
typedef struct
{
  TallTlsSettings files; /* its texts belong to the options */
  const char *roles;     /* file of roles; NULL: none */
  TallTlsContext *tls;   /* NULL: nothing is encrypted */
  TallRoles *access;     /* NULL: no roles */
} TallServeRules;

static void
serve_rules_clear (TallServeRules *self)
{
  g_clear_pointer (&self->tls, tall_tls_context_unref);
  g_clear_pointer (&self->access, tall_roles_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallServeRules, serve_rules_clear)

/* Returns: (transfer full) (nullable): where the service manager listens */
static GSocketAddress *
find_manager (void)
{
  const char *name = g_getenv ("NOTIFY_SOCKET");
  if (name == NULL || (name[0] != '/' && name[0] != '@') || name[1] == '\0')
    return NULL;
  if (name[0] == '/')
    return g_unix_socket_address_new (name);
  return g_unix_socket_address_new_with_type (name + 1, -1, G_UNIX_SOCKET_ADDRESS_ABSTRACT);
}

/* Sends one message of the protocol that sd_notify(3) describes. A manager that is gone is no
 * reason to stop serving. */
static void
notify (const char *message)
{
  g_autoptr (GSocketAddress) manager = find_manager ();
  g_autoptr (GError) error = NULL;
  if (manager == NULL)
    return;
  g_autoptr (GSocket) socket = g_socket_new (G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_DATAGRAM,
                                             G_SOCKET_PROTOCOL_DEFAULT, &error);
  if (socket == NULL
      || g_socket_send_to (socket, manager, message, strlen (message), NULL, &error) < 0)
    g_debug ("The service manager was not reached: %s", error->message);
}

static gboolean
on_watchdog (gpointer data G_GNUC_UNUSED)
{
  notify ("WATCHDOG=1");
  return G_SOURCE_CONTINUE;
}

/* Returns: milliseconds between two signs of life; 0: nobody waits for them */
static guint
watchdog_period (void)
{
  const char *pid = g_getenv ("WATCHDOG_PID");
  const char *text = g_getenv ("WATCHDOG_USEC");
  guint64 time, owner;
  if (text == NULL || !g_ascii_string_to_unsigned (text, 10, 1, G_MAXINT64, &time, NULL))
    return 0;
  if (pid != NULL
      && (!g_ascii_string_to_unsigned (pid, 10, 1, G_MAXINT, &owner, NULL)
          || owner != (guint64)getpid ()))
    return 0;
  return (guint)CLAMP (time / 2000, 1, G_MAXINT);
}

/* @address: where the server listens
 *
 * Reports to the service manager, where there is one, that calls are answered now. From then on the
 * main loop gives the signs of life that a watchdog asks for, twice in its time. */
static void
notify_ready (const char *address)
{
  g_autofree char *message = g_strdup_printf ("READY=1\nSTATUS=Listening on %s", address);
  guint period = watchdog_period ();
  notify (message);
  if (period > 0)
    g_timeout_add (period, on_watchdog, NULL);
}

static const char *const client_words[] = {
  [TALL_TLS_CLIENTS_OFF] = "off",
  [TALL_TLS_CLIENTS_OPTIONAL] = "optional",
  [TALL_TLS_CLIENTS_REQUIRED] = "required",
};

/* A CA that is named is there to be used. */
static gboolean
parse_clients (TallServeRules *self, const char *word, GError **error)
{
  if (word == NULL)
    {
      self->files.clients =
          self->files.ca != NULL ? TALL_TLS_CLIENTS_REQUIRED : TALL_TLS_CLIENTS_OFF;
      return TRUE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (client_words); i++)
    if (g_str_equal (word, client_words[i]))
      {
        self->files.clients = (TallTlsClients)i;
        return TRUE;
      }
  return tall_error_fail_invalid (error, "tls-clients",
                                  "--tls-clients takes off, optional or required, not “%s”", word);
}

/* @options: stay as long as @self
 * @clients: (nullable): the value of `--tls-clients`
 * @roles: (nullable): the value of `--access`
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if they do not fit together */
static gboolean
serve_rules_set (TallServeRules *self,
                 const TallOptions *options,
                 const char *clients,
                 const char *roles,
                 GError **error)
{
  gboolean encrypts = options->tls_certificate != NULL || options->tls_key != NULL;
  self->files = (TallTlsSettings){ .certificate = options->tls_certificate,
                                   .key = options->tls_key,
                                   .ca = options->tls_ca };
  self->roles = roles;
  if (!parse_clients (self, clients, error))
    return FALSE;
  if (!encrypts && (roles != NULL || self->files.clients != TALL_TLS_CLIENTS_OFF))
    return tall_error_fail_invalid (
        error, "tls-certificate",
        "Clients can only show who they are where TLS is on: give --tls-certificate and --tls-key");
  if (roles == NULL || self->files.clients != TALL_TLS_CLIENTS_OFF)
    return TRUE;
  return tall_error_fail_invalid (
      error, "tls-ca",
      "--access gives roles to certificates of clients: say by --tls-ca who signs them");
}

/* One that has ended replaces none: clients would refuse it. At the start there is no other. */
static gboolean
check_end (const TallServeRules *self, TallTlsContext *tls, GError **error)
{
  if (self->tls == NULL || !tall_tls_context_has_ended (tls))
    return TRUE;
  g_autofree char *certificate = tall_tls_context_describe (tls);
  return tall_error_fail_invalid (error, "tls-certificate", "--tls-certificate %s: the %s",
                                  self->files.certificate, certificate);
}

/* Reads the files. What was read before stays if any of them is not good. */
static gboolean
serve_rules_load (TallServeRules *self, GError **error)
{
  g_autoptr (TallRoles) access = NULL;
  g_autoptr (TallTlsContext) tls = NULL;
  TallTlsSettings files = self->files;

  if (self->roles != NULL && (access = tall_roles_load (self->roles, error)) == NULL)
    return FALSE;
  files.revoked = access != NULL ? tall_roles_get_revoked (access) : NULL;
  if ((files.certificate != NULL || files.key != NULL)
      && ((tls = tall_tls_context_new_server (&files, error)) == NULL
          || !check_end (self, tls, error)))
    return FALSE;
  serve_rules_clear (self);
  self->tls = g_steal_pointer (&tls);
  self->access = g_steal_pointer (&access);
  return TRUE;
}

/* Says what counts from now on; nothing secret. */
static void
serve_rules_log (const TallServeRules *self)
{
  if (self->tls == NULL)
    return;
  g_autofree char *certificate = tall_tls_context_describe (self->tls);
  g_autofree char *roles =
      self->access != NULL ? tall_roles_describe (self->access) : g_strdup ("none");
  g_message ("TLS: %s; certificates of clients: %s; roles: %s", certificate,
             client_words[self->files.clients], roles);
  if (tall_tls_context_has_ended (self->tls))
    g_warning ("TLS: clients will refuse the %s: renew it, and send SIGHUP", certificate);
}

/* MiB: the least is one call with a request of the largest size. */
#define MIN_MEMORY 192
#define USUAL_MEMORY 512
#define MAX_MEMORY (1024 * 1024)

#define NOT_GIVEN G_MININT

/* Milliseconds. */
#define USUAL_SLOW 1000

/* Milliseconds that a migration gets to end, once writes wait for it. */
#define MIGRATION_TIME 10000

typedef struct
{
  GMainLoop *loop;
  TallServer *server;
  TallServeRules *rules;
} Serving;

static gboolean
on_signal (gpointer data)
{
  g_main_loop_quit (((Serving *)data)->loop);
  return G_SOURCE_CONTINUE;
}

static void
reload (Serving *self)
{
  g_autoptr (GError) error = NULL;
  if (self->rules->tls == NULL)
    g_message ("Without TLS there is nothing to read again");
  else if (serve_rules_load (self->rules, &error))
    {
      tall_server_replace_rules (self->server, self->rules->tls, self->rules->access);
      g_message ("Certificates and roles were read again");
      serve_rules_log (self->rules);
    }
  else
    g_warning ("Certificates and roles stay as they were: %s", error->message);
}

/* Without TLS and a service manager it is the terminal that hangs up. */
static gboolean
on_hang_up (gpointer data)
{
  Serving *self = data;
  g_autoptr (GSocketAddress) manager = find_manager ();
  if (self->rules->tls == NULL && manager == NULL)
    return on_signal (data);
  g_autofree char *begun =
      g_strdup_printf ("RELOADING=1\nMONOTONIC_USEC=%" G_GINT64_FORMAT, g_get_monotonic_time ());
  notify (begun);
  reload (self);
  notify ("READY=1");
  return G_SOURCE_CONTINUE;
}

/* What is served, and within which limits: whoever reads the log later should not have to guess. */
static void
log_start (TallFront *front, const char *store, const TallServerOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TallDescription) description = tall_front_describe (front, &error);
  if (description == NULL)
    {
      g_autofree char *why = tall_error_describe (error);
      g_warning ("The store cannot be described: %s", why);
      return;
    }
  g_message ("tallorder %s serves %s: store %s, deployment %s, layout %s, key strategy %s, %s",
             description->version, store, description->store, description->name,
             description->layout, description->key_strategy,
             description->read_only ? "read-only" : "read and write");
  if (g_strcmp0 (description->phase, "none") != 0)
    g_warning ("A migration has begun that nobody works on here (phase %s): go on with it by "
               "`tallorder migrate`, or give it up by `tallorder migrate --abort`",
               description->phase);
  g_message ("limits: %u connections, %u from one address, %" G_GSIZE_FORMAT
             " MiB for the calls in work",
             options->max_connections, options->max_connections_per_address,
             options->max_memory / (1024 * 1024));
}

static void
log_end (TallServer *server)
{
  TallServerUsage usage;
  tall_server_get_usage (server, &usage);
  g_message ("stopped after %" G_GUINT64_FORMAT " calls on %" G_GUINT64_FORMAT " connections",
             usage.totals.n_calls, usage.totals.n_connections);
}

/* A migration is left where the next one goes on. @moves: (transfer full): */
static gboolean
stop_moves (TallMigrateRunner *moves, gboolean is_unused)
{
  if (!is_unused || tall_migrate_runner_end (moves, MIGRATION_TIME))
    return is_unused;
  tall_print_error ("A migration was still running when the time to stop was over; it can be gone "
                    "on with: call `tallorder migrate` again");
  return FALSE;
}

/* A server that still runs calls may still use it. */
static void
stop_backups (TallBackupRunner *backups, gboolean is_unused)
{
  if (backups != NULL && is_unused)
    tall_backup_runner_free (backups);
}

static gboolean
stop (TallServer *server, const TallServerOptions *options)
{
  tall_migrate_runner_stop (options->moves);
  if (options->backups != NULL)
    tall_backup_runner_stop (options->backups);
  gboolean stopped = tall_server_stop (server);
  if (!stopped)
    tall_print_error ("Calls were still running when the time to stop was over");
  stop_backups (options->backups, stopped);
  return stop_moves (options->moves, stopped);
}

static void
warn_of_strangers (TallServer *server, const TallServeRules *rules)
{
  if (!tall_server_is_reachable (server) || rules->files.clients == TALL_TLS_CLIENTS_REQUIRED
      || rules->access != NULL)
    return;
  g_warning ("Other machines can reach %s, and %sno client is asked who it is: each client reads "
             "and changes all orders; see src/service/access/README.md",
             tall_server_get_address (server),
             rules->tls == NULL ? "nothing is encrypted and " : "");
}

/* What is given on the command line. */
typedef struct
{
  char *listen;
  char *metrics; /* nullable: where they are shown */
  gint max_connections;
  gint max_per_address; /* NOT_GIVEN */
  char *trusted;
  gint memory; /* MiB */
  char *clients;
  char *access;
  gboolean insecure;
  gint slow;     /* milliseconds; 0: no call is */
  char *log;     /* nullable */
  char *backups; /* nullable: their folder */
  char *level;   /* nullable */
} Given;

/* An address that makes no sense is a wrong call. */
static TallExit
find_exit (const GError *error)
{
  return g_error_matches (error, TALL_ERROR, TALL_ERROR_INVALID) ? TALL_EXIT_USAGE
                                                                 : TALL_EXIT_FAILED;
}

/* Returns: %TALL_EXIT_DONE, or that of a failure. @watch: (out) (nullable): NULL: not asked for */
static TallExit
start_watch (TallServer *server,
             TallStore *store,
             TallMigrateRunner *moves,
             const char *address,
             TallWatch **watch)
{
  g_autoptr (GError) error = NULL;
  *watch = NULL;
  if (address == NULL)
    return TALL_EXIT_DONE;
  *watch = tall_watch_new (address, server, store, moves, &error);
  if (*watch == NULL)
    {
      g_prefix_error (&error, "--metrics: ");
      tall_print_failure (error);
      return find_exit (error);
    }
  return TALL_EXIT_DONE;
}

static void
log_watch (TallWatch *watch)
{
  if (watch == NULL)
    return;
  TallWatchPort *port = tall_watch_get_port (watch);
  g_message ("HTTP on %s: /metrics, /live and /ready%s", tall_watch_port_get_address (port),
             tall_watch_port_is_reachable (port)
                 ? "; other machines can read them, and they are not encrypted"
                 : "");
}

/* Serves until SIGTERM or SIGINT, or a SIGHUP that reads nothing again. */
static TallExit
serve (TallStore *store,
       const char *where,
       const Given *given,
       const TallServerOptions *server_options,
       TallServeRules *rules)
{
  TallFront *front = TALL_FRONT (store);
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GError) error = NULL;
  Serving serving = { .loop = loop, .rules = rules };
  guint sources[] = { g_unix_signal_add (SIGTERM, on_signal, &serving),
                      g_unix_signal_add (SIGINT, on_signal, &serving),
                      g_unix_signal_add (SIGHUP, on_hang_up, &serving) };
  g_autoptr (TallServer) server =
      tall_server_new (front, given->listen != NULL ? given->listen : "127.0.0.1:7654",
                       server_options, &error);
  if (server == NULL)
    {
      tall_print_failure (error);
      stop_backups (server_options->backups, TRUE);
      (void)!tall_migrate_runner_end (server_options->moves, 0);
      return find_exit (error);
    }
  serving.server = server;
  g_autoptr (TallWatch) watch = NULL;
  TallExit code = start_watch (server, store, server_options->moves, given->metrics, &watch);
  if (code != TALL_EXIT_DONE)
    {
      (void)!stop (server, server_options);
      return code;
    }
  log_start (front, where, server_options);
  log_watch (watch);
  serve_rules_log (rules);
  warn_of_strangers (server, rules);
  tall_print ("listening on %s%s\n", rules->tls != NULL ? TALL_CLIENT_TLS : "",
              tall_server_get_address (server));
  tall_output_flush ();
  notify_ready (tall_server_get_address (server));
  g_main_loop_run (loop);
  notify ("STOPPING=1");
  if (watch != NULL)
    tall_watch_stop (watch);
  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    g_source_remove (sources[i]);
  gboolean stopped = stop (server, server_options);
  g_clear_pointer (&watch, tall_watch_free);
  log_end (server);
  if (!stopped)
    _exit (tall_output_finish (TALL_EXIT_FAILED)); /* calls still use what exit() takes apart */
  return TALL_EXIT_DONE;
}

/* Returns: %TALL_EXIT_DONE, or that of a wrong call */
static TallExit
check_connections (const Given *given)
{
  if (given->max_connections < 1)
    return tall_usage_error (&tall_command_serve, "--max-connections takes a number above 0");
  if (given->max_per_address != NOT_GIVEN
      && (given->max_per_address < 1 || given->max_per_address > given->max_connections))
    return tall_usage_error (&tall_command_serve,
                             "--max-connections-per-address takes a number above 0, and not above "
                             "that of --max-connections (%d)",
                             given->max_connections);
  guint fitting = tall_descriptors_for_clients ();
  if ((guint)given->max_connections <= fitting)
    return TALL_EXIT_DONE;
  return tall_usage_error (
      &tall_command_serve,
      "--max-connections %d: this process may open %u files, which leaves %u for connections; "
      "lower it, or raise the limit of files (ulimit -n, or LimitNOFILE= of a service)",
      given->max_connections, tall_descriptors_raise (), fitting);
}

/* Returns: %TALL_EXIT_DONE, or that of a wrong call */
static TallExit
make_options (const Given *given, TallServerOptions *options)
{
  g_autoptr (GError) error = NULL;
  TallExit code = check_connections (given);
  if (code != TALL_EXIT_DONE)
    return code;
  tall_heap_bound ();
  if (given->memory < MIN_MEMORY || given->memory > MAX_MEMORY)
    return tall_usage_error (&tall_command_serve, "--memory takes MiB, %d to %d", MIN_MEMORY,
                             MAX_MEMORY);
  options->max_connections = (guint)given->max_connections;
  options->max_connections_per_address = given->max_per_address != NOT_GIVEN
                                             ? (guint)given->max_per_address
                                             : (options->max_connections + 1) / 2;
  options->max_memory = (gsize)given->memory * 1024 * 1024;
  if (given->slow < 0)
    return tall_usage_error (&tall_command_serve, "--slow takes milliseconds, or 0 for none");
  options->slow_call = given->slow > 0 ? (guint)given->slow : G_MAXUINT;
  if (g_strcmp0 (given->log, "json") == 0)
    tall_log_use_json ();
  else if (given->log != NULL && !g_str_equal (given->log, "text"))
    return tall_usage_error (&tall_command_serve, "--log takes text or json, not “%s”", given->log);
  if (given->level != NULL && !tall_log_set_level (given->level))
    return tall_usage_error (&tall_command_serve,
                             "--log-level takes debug, info, warning or error, not “%s”",
                             given->level);
  if (given->trusted != NULL
      && (options->trusted_proxies = tall_networks_parse (given->trusted, &error)) == NULL)
    return tall_usage_error (&tall_command_serve, "--trusted-proxies: %s", error->message);
  return TALL_EXIT_DONE;
}

/* Returns: %TALL_EXIT_DONE, or that of a wrong call */
static TallExit
make_rules (TallServeRules *rules, const Given *given, const TallOptions *options)
{
  g_autoptr (GError) error = NULL;
  if (serve_rules_set (rules, options, given->clients, given->access, &error)
      && serve_rules_load (rules, &error))
    return TALL_EXIT_DONE;
  return tall_call_error (&tall_command_serve, error);
}

/* Returns: %TALL_EXIT_DONE, or that of a failure. @backups: (out) (nullable): NULL: not for this
 * store */
static TallExit
make_backups (TallStore *store,
              const TallTableAddress *address,
              const Given *given,
              TallBackupRunner **backups)
{
  g_autoptr (GError) error = NULL;
  *backups = NULL;
  if (!address->kind->is_embedded && given->backups == NULL)
    return TALL_EXIT_DONE;
  if (!address->kind->is_embedded)
    return tall_usage_error (&tall_command_serve,
                             "--backups is for embedded stores; %s has snapshots",
                             address->kind->title);
  *backups = tall_backup_runner_new (tall_store_get_table (store), address, given->backups, &error);
  if (*backups != NULL)
    return TALL_EXIT_DONE;
  g_prefix_error (&error, "--backups %s: ", given->backups);
  tall_print_failure (error);
  return find_exit (error);
}

static TallExit
run (int argc, char **argv)
{
  Given given = {
    .max_connections = 256, .max_per_address = NOT_GIVEN, .memory = USUAL_MEMORY, .slow = USUAL_SLOW
  };
  const GOptionEntry entries[] = {
    { "listen", 0, 0, G_OPTION_ARG_FILENAME, &given.listen,
      "where to listen; port 0 takes a free one (default 127.0.0.1:7654)", "HOST:PORT" },
    { "max-connections", 0, 0, G_OPTION_ARG_INT, &given.max_connections,
      "clients at the same time (default 256)", "N" },
    { "max-connections-per-address", 0, 0, G_OPTION_ARG_INT, &given.max_per_address,
      "of one IPv4 address, or one IPv6 network of 64 bits (default 128, or half of all)", "N" },
    { "trusted-proxies", 0, 0, G_OPTION_ARG_STRING, &given.trusted,
      "addresses and networks without that limit, such as 10.0.0.7,fd00::/8", "LIST" },
    { "memory", 0, 0, G_OPTION_ARG_INT, &given.memory,
      "for all calls together: requests, orders and replies (default 512)", "MIB" },
    { "tls-clients", 0, 0, G_OPTION_ARG_STRING, &given.clients,
      "certificates of clients (default required, with --tls-ca)", "off|optional|required" },
    { "access", 0, 0, G_OPTION_ARG_FILENAME, &given.access,
      "key file of roles, and of certificates that are revoked", "FILE" },
    { "insecure", 0, 0, G_OPTION_ARG_NONE, &given.insecure,
      "listen without TLS where other machines can reach it", NULL },
    { "metrics", 0, 0, G_OPTION_ARG_FILENAME, &given.metrics,
      "where to show metrics and health over HTTP, such as 127.0.0.1:9464 (default: nowhere)",
      "HOST:PORT" },
    { "slow", 0, 0, G_OPTION_ARG_INT, &given.slow,
      "log calls that take at least so long; 0: none (default 1000)", "MS" },
    { "log-level", 0, 0, G_OPTION_ARG_STRING, &given.level,
      "the least that is logged (default info)", "debug|info|warning|error" },
    { "backups", 0, 0, G_OPTION_ARG_FILENAME, &given.backups,
      "folder in which administrators may have backups made (default: none)", "DIR" },
    { "log", 0, 0, G_OPTION_ARG_STRING, &given.log, "lines of the log (default text)",
      "text|json" },
    { NULL },
  };
  g_auto (TallOptions) options = TALL_OPTIONS_INIT;
  g_autoptr (GError) error = NULL;
  if (!tall_options_parse (&options, &tall_command_serve, entries, argc, argv, &error))
    return tall_call_error (&tall_command_serve, error);
  TallServerOptions server_options = { .insecure = given.insecure };
  g_auto (TallServeRules) rules = { 0 };
  TallExit code = make_rules (&rules, &given, &options);
  if (code == TALL_EXIT_DONE)
    code = make_options (&given, &server_options);
  g_autoptr (GPtrArray) trusted = server_options.trusted_proxies;
  if (code != TALL_EXIT_DONE)
    return code;

  g_autoptr (TallStore) store = tall_options_open_store (&options, &tall_command_serve, &code);
  if (store == NULL)
    return code;
  g_autoptr (TallTableAddress) address = tall_options_find_address (&options);
  code = make_backups (store, address, &given, &server_options.backups);
  if (code != TALL_EXIT_DONE)
    return code;
  server_options.moves = tall_migrate_runner_new (tall_store_get_table (store), address);
  server_options.tls = rules.tls;
  server_options.access = rules.access;
  return serve (store, options.store, &given, &server_options, &rules);
}

const TallCommand tall_command_serve = {
  .name = "serve",
  .arguments = "",
  .summary = "Answers Thrift calls (framed; binary or compact) until it is told to stop.",
  .help =
      "Prints \"listening on HOST:PORT\" when it is ready. SIGTERM or SIGINT lets running calls\n"
      "finish. With TLS, SIGHUP reads certificates and roles again; without, it stops what no\n"
      "service manager has started. The log goes to standard error: what is wrong with the store\n"
      "as [warning], one line a kind of trouble in 5 s. Without --listen it is reached from this\n"
      "machine only.\n\n"
      "Example:\n"
      "  tallorder serve --store rocksdb:shop --listen 127.0.0.1:7654",
  .takes_tls = TRUE,
  .run = run,
};
