/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "service/client/client.h"

#include "service/calls/idl-tasks.h"
#include "tall-client.h"
#include "base/fail.h"
#include "wire/connection.h"
#include "wire/socket.h"

/* @value: (out): the place of what the server says among @names */
static gboolean
take_name (
    const char *what, const char *const *names, const char *said, guint *value, GError **error)
{
  gint i = tall_migrate_find_name (names, said);
  *value = (guint)MAX (i, 0);
  if (i < 0)
    g_set_error (error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
                 "Migrating: the server says the %s is \"%s\", which this version does not know: "
                 "use the version of the server",
                 what, said != NULL ? said : "");
  return i >= 0;
}

/* A server may say anything. */
static gint64
take_milliseconds (gint64 milliseconds)
{
  return CLAMP (milliseconds, 0, G_MAXINT64 / 1000) * 1000;
}

/* Whether all is there that nobody looks for. */
static gboolean
is_whole (const TallMigrateState *state)
{
  const TallMigratePlan *plan = state->plan;
  for (guint i = 0; i < state->n_unfit; i++)
    if (state->unfit[i].table == NULL || state->unfit[i].message == NULL)
      return FALSE;
  return plan == NULL
         || (plan->from_layout != NULL && plan->from_key_strategy != NULL
             && plan->from_index != NULL && plan->to_layout != NULL && plan->to_key_strategy != NULL
             && plan->to_index != NULL);
}

static void
take_plan (TallMigratePlan *plan)
{
  plan->copy_time = take_milliseconds (plan->copy_time);
  plan->pause = take_milliseconds (plan->pause);
  plan->pause_limit = take_milliseconds (plan->pause_limit);
}

/* How a task has ended. */
static gboolean
take_end (const TallIdlMigrationState *got,
          TallMigrateState *state,
          const TallClientCall *call,
          GError **error)
{
  if (got->failure != NULL)
    tall_client_call_take_failure (call, NULL, got->failure, &state->error);
  if (got->failure != NULL || (state->task != TALL_MIGRATE_MOVE && got->outcome == NULL))
    return TRUE;
  state->has_switched = state->task == TALL_MIGRATE_ABORT;
  state->summary.n_looked = state->progress.n_looked;
  return take_name ("outcome", tall_migrate_outcomes, got->outcome, &state->summary.outcome, error);
}

/* @state: that of @got */
static gboolean
take_migration (const TallIdlMigrationState *got,
                TallMigrateState *state,
                const TallClientCall *call,
                GError **error)
{
  if (state->id == NULL)
    {
      *state = (TallMigrateState){ .arena = state->arena };
      return TRUE;
    }
  if (!take_name ("task", tall_migrate_tasks, got->task, &state->task, error)
      || !take_name ("stage", tall_migrate_stages, got->stage, &state->progress.stage, error))
    return FALSE;
  if (!is_whole (state))
    return tall_client_set_wrong_answer (call, error);
  state->time_left = take_milliseconds (state->time_left);
  if (state->plan != NULL)
    take_plan (state->plan);
  return state->is_running || take_end (got, state, call, error);
}

static TallMigrateState *
ask_migration (TallClient *self, const char *name, gpointer request, GError **error)
{
  g_autoptr (TallMigrateState) state = g_new0 (TallMigrateState, 1);
  state->arena = tall_arena_new (0);
  TallIdlArgs args = { .request = request };
  TallIdlMigrationState got = { .state.arena = state->arena };
  TallClientCall call =
      tall_client_prepare (TALL_FRONT (self), tall_calls_find (name), &args, state->arena, &got);
  if (!tall_client_call_run (&call, error))
    return NULL;
  *state = got.state;
  return take_migration (&got, state, &call, error) ? g_steal_pointer (&state) : NULL;
}

/**
 * tall_client_start_migration:
 *
 * Asks the server to begin a task, or finds it if it runs already. It may be sent again.
 *
 * Returns: (transfer full): how far it is; NULL with %TALL_ERROR_CONFLICT if another one runs,
 *   %TALL_ERROR_INVALID for a wish that makes no sense, or %TALL_ERROR_UNSUPPORTED if the server
 *   is older, or elsewhere
 */
TallMigrateState *
tall_client_start_migration (TallClient *self, const TallMigrateWish *wish, GError **error)
{
  TallIdlMigration request;
  g_return_val_if_fail (TALL_IS_CLIENT (self), NULL);
  tall_idl_migration_init (&request, wish);
  return ask_migration (self, "startMigration", &request, error);
}

/**
 * tall_client_get_migration:
 * @id: (nullable): of a task; NULL: the last one
 * @seen: so many of what cannot be copied are known
 *
 * Returns: (transfer full): how far it is, or how it has ended, with some of what else cannot be
 *   copied; NULL with %TALL_ERROR_NOT_FOUND if the server does not know it any more
 */
TallMigrateState *
tall_client_get_migration (TallClient *self, const char *id, guint seen, GError **error)
{
  TallIdlMigrationLook request = { .id = (char *)id, .seen = (gint32)seen, .has_seen = TRUE };
  g_return_val_if_fail (TALL_IS_CLIENT (self), NULL);
  return ask_migration (self, "getMigration", &request, error);
}

static gboolean
take_backup (const TallIdlBackupState *got,
             TallBackupState *state,
             const TallClientCall *call,
             GError **error)
{
  const TallBackupState *from = &got->state;
  if (from->id == NULL)
    return TRUE;
  if (from->name == NULL || !tall_backup_stage_parse (got->stage, &state->progress.stage))
    return tall_client_set_wrong_answer (call, error);
  state->id = g_strdup (from->id);
  state->name = g_strdup (from->name);
  state->is_running = from->is_running;
  state->is_joined = from->is_joined;
  state->progress.n_bytes = from->summary.n_bytes;
  state->progress.n_orders = from->summary.n_orders;
  state->progress.n_customers = from->summary.n_customers;
  if (got->failure != NULL)
    tall_client_call_take_failure (call, NULL, got->failure, &state->error);
  else if (!state->is_running)
    {
      state->summary = from->summary;
      state->summary.path = g_strdup (from->summary.path);
    }
  return TRUE;
}

static TallBackupState *
ask_backup (TallClient *self, const char *name, gpointer request, GError **error)
{
  g_autoptr (TallBackupState) state = g_new0 (TallBackupState, 1);
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallIdlArgs args = { .request = request };
  TallIdlBackupState got = { 0 };
  TallClientCall call =
      tall_client_prepare (TALL_FRONT (self), tall_calls_find (name), &args, arena, &got);
  if (!tall_client_call_run (&call, error) || !take_backup (&got, state, &call, error))
    return NULL;
  return g_steal_pointer (&state);
}

/**
 * tall_client_start_backup:
 * @rate: orders verified a second at most; 0: as fast as it goes
 *
 * Asks the server to begin a backup, or finds it if it is being made already. It may be sent again.
 *
 * Returns: (transfer full): how far it is; NULL with %TALL_ERROR_CONFLICT if another one is being
 *   made, %TALL_ERROR_INVALID for a name that there cannot be, or %TALL_ERROR_UNSUPPORTED
 */
TallBackupState *
tall_client_start_backup (TallClient *self, const char *name, guint rate, GError **error)
{
  TallIdlBackup request = { .name = (char *)name, .rate = (gint32)rate, .has_rate = rate != 0 };
  g_return_val_if_fail (TALL_IS_CLIENT (self), NULL);
  return ask_backup (self, "startBackup", &request, error);
}

/**
 * tall_client_get_backup:
 * @id: (nullable): of a backup; NULL: the last one
 *
 * Returns: (transfer full): how far it is, or how it has ended; NULL with %TALL_ERROR_NOT_FOUND if
 *   the server does not know it any more
 */
TallBackupState *
tall_client_get_backup (TallClient *self, const char *id, GError **error)
{
  TallIdlBackupLook request = { .id = (char *)id };
  g_return_val_if_fail (TALL_IS_CLIENT (self), NULL);
  return ask_backup (self, "getBackup", &request, error);
}

/* Milliseconds in which a stranger may say what it is. */
#define PROBE_TIMEOUT 1000

/* Milliseconds; longer than the server's own, so that it can answer. */
#define USUAL_TIMEOUT (TALL_USUAL_TIMEOUT + 5000)

/**
 * tall_client_prepare:
 * @args: used until the call is run
 * @arena: of the result
 * @success: (nullable): what a success is read into; NULL: there is nothing to read
 */
TallClientCall
tall_client_prepare (TallFront *front,
                     const TallIdlCall *call,
                     const TallIdlArgs *args,
                     TallArena *arena,
                     gpointer success)
{
  const TallClient *self = (const TallClient *)front; /* also where its type is not known */
  return (TallClientCall){
    .pool = self->pool,
    .call = call,
    .args = args,
    .deadline = g_get_monotonic_time () + (gint64)self->timeout * 1000,
    .arena = arena,
    .success = success,
  };
}

/**
 * tall_client_with_token:
 * @given: (nullable):
 *
 * Every write gets a token, so that it is recognised if it is sent again.
 */
TallWriteOptions
tall_client_with_token (const TallWriteOptions *given)
{
  TallWriteOptions options = { 0 };
  if (given != NULL)
    options = *given;
  if (!options.has_token)
    tall_token_make (options.token);
  options.has_token = TRUE;
  return options;
}

/**
 * tall_client_is_repeatable:
 *
 * Tells whether a write may be sent again after it was perhaps done. Its token settles that only as
 * long as nobody else has written: without a condition it would then replace what came later, and
 * one that wants nothing there would bring back what was deleted meanwhile. A revision never comes
 * back, so a write that wants one can be done once only; so can a patch with a base.
 */
gboolean
tall_client_is_repeatable (const TallWriteOptions *options)
{
  return options->condition == TALL_IF_REVISION || options->base != 0;
}

/**
 * tall_client_init_options:
 * @options: lives as long as @wire
 *
 * The server gets nine tenths of the time, so that its own "timed out" arrives before ours.
 */
void
tall_client_init_options (TallIdlOptions *wire, const TallWriteOptions *options)
{
  TallWriteOptions shorter = *options;
  if (options->timeout > 0)
    shorter.timeout = (guint)MAX ((guint64)options->timeout * 9 / 10, 1);
  tall_idl_options_init (wire, &shorter);
  /* The token lives in what the caller holds on to. */
  if (options->has_token)
    wire->token = tall_slice (options->token, TALL_TOKEN_SIZE);
}

/**
 * tall_client_set_wrong_answer:
 *
 * The error of an answer about something that was not asked for, or about nothing.
 *
 * Returns: FALSE
 */
gboolean
tall_client_set_wrong_answer (const TallClientCall *call, GError **error)
{
  g_autofree char *operation = tall_idl_call_describe (call->call, call->args);
  return tall_error_fail (error, TALL_ERROR_INTERNAL,
                          "%s: the server at %s answered with something else", operation,
                          call->pool->address);
}

static char *
describe_stranger (const TallStranger *stranger, const char *address)
{
  static const char *const options[2][2] = {
    { "", "?protocol=compact" },
    { "?framed=1", "?framed=1&protocol=compact" },
  };

  if (!stranger->is_gateway)
    return g_strdup (stranger->name);
  return g_strdup_printf ("%s: give --store 'hbase://%s%s'", stranger->name, address,
                          options[stranger->framed ? 1 : 0][stranger->compact ? 1 : 0]);
}

/**
 * tall_client_check:
 * @milliseconds: in which an answer must come
 *
 * Finds out soon whether there is a server of ours: it is asked for no orders, which it answers at
 * once, without what keeps its orders, however busy that is. What is something else is named, if it
 * can be recognised.
 *
 * Returns: FALSE with %TALL_ERROR_UNAVAILABLE, %TALL_ERROR_TIMED_OUT, or %TALL_ERROR_FORBIDDEN (a
 *   certificate)
 */
gboolean
tall_client_check (TallClient *self, guint milliseconds, GError **error)
{
  g_return_val_if_fail (TALL_IS_CLIENT (self), FALSE);

  TallIdlMany none = { .n_ids = 0 };
  TallIdlArgs args = { .request = &none };
  TallIdlOutcomes success = { 0 };
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_autoptr (GError) reason = NULL;
  TallClientCall call =
      tall_client_prepare (TALL_FRONT (self), TALL_CALL (get_orders), &args, arena, &success);
  call.operation = "Connecting";
  call.deadline = g_get_monotonic_time () + (gint64)milliseconds * G_TIME_SPAN_MILLISECOND;
  if (tall_client_call_run (&call, &reason)
      || (call.result.failure != NULL
          && !g_error_matches (reason, TALL_ERROR, TALL_ERROR_UNSUPPORTED)))
    return TRUE;

  const char *address = call.pool->address;
  /* a probe is not encrypted */
  const TallStranger *stranger =
      call.pool->tls != NULL ? NULL : tall_probe (address, PROBE_TIMEOUT);
  if (stranger != NULL)
    {
      g_autofree char *seems = describe_stranger (stranger, address);
      g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE,
                   "There is no tallorder server at %s, but what seems to be %s", address, seems);
    }
  else if (g_error_matches (reason, TALL_ERROR, TALL_ERROR_TIMED_OUT))
    g_set_error (error, TALL_ERROR, TALL_ERROR_TIMED_OUT,
                 "No answer from %s within %.3g s; check the address, and that \"tallorder serve\" "
                 "runs there",
                 address, milliseconds / 1000.0);
  else
    g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

G_DEFINE_FINAL_TYPE (TallClient, tall_client, TALL_TYPE_FRONT)

static void
prepare_write (TallClientCall *call, const TallWriteOptions *options)
{
  call->is_write = TRUE;
  call->repeatable = tall_client_is_repeatable (options);
  if (options->timeout > 0)
    call->deadline = g_get_monotonic_time () + (gint64)options->timeout * 1000;
}

/* A write, which is answered with a revision unless it deletes. */
static gboolean
run_write (TallFront *front,
           const TallIdlCall *kind,
           const TallIdlArgs *args,
           const TallWriteOptions *options,
           gint64 *revision,
           GError **error)
{
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallIdlSuccess success = { 0 };
  TallClientCall call = tall_client_prepare (front, kind, args, arena, &success);
  prepare_write (&call, options);

  if (!tall_client_call_run (&call, error))
    return FALSE;
  if (revision != NULL)
    *revision = success.revision;
  return TRUE;
}

static gboolean
run_with_token (TallFront *front,
                const TallIdlCall *kind,
                TallIdlArgs *args,
                const TallWriteOptions *given,
                gint64 *revision,
                GError **error)
{
  TallWriteOptions options = tall_client_with_token (given);
  TallIdlOptions wire;
  tall_client_init_options (&wire, &options);
  args->options = &wire;
  return run_write (front, kind, args, &options, revision, error);
}

static gboolean
client_put_order (TallFront *front,
                  TallOrder *order,
                  const TallWriteOptions *options,
                  gint64 *revision,
                  GError **error)
{
  TallIdlArgs args = { .order = order };
  return run_with_token (front, TALL_CALL (put_order), &args, options, revision, error);
}

/* A token is the caller's, as it takes a base; it makes sending again harmless, and so does a
 * revision. */
static gboolean
client_patch_order (TallFront *front,
                    const char *customer_number,
                    const char *order_number,
                    const char *const *changes,
                    guint n,
                    const TallWriteOptions *given,
                    gint64 *revision,
                    GError **error)
{
  TallWriteOptions options = { 0 };
  if (given != NULL)
    options = *given;
  TallIdlOptions wire;
  tall_client_init_options (&wire, &options);
  TallIdlPatch patch = { .customer_number = (char *)customer_number,
                         .order_number = (char *)order_number,
                         .changes = (char **)changes,
                         .n_changes = n,
                         .options = &wire,
                         .base_revision = options.base,
                         .has_base_revision = options.base != 0 };
  TallIdlArgs args = { .request = &patch };
  return run_write (front, TALL_CALL (patch_order), &args, &options, revision, error);
}

static gboolean
client_put_customer (TallFront *front,
                     TallCustomer *customer,
                     const TallWriteOptions *options,
                     gint64 *revision,
                     GError **error)
{
  TallIdlArgs args = { .customer = customer };
  return run_with_token (front, TALL_CALL (put_customer), &args, options, revision, error);
}

static TallOrder *
client_get_order (TallFront *front,
                  const char *customer_number,
                  const char *order_number,
                  gint64 *revision,
                  GError **error)
{
  TallIdlArgs args = { .customer_number = (char *)customer_number,
                       .order_number = (char *)order_number };
  g_autoptr (TallOrder) order = tall_order_new ("", "");
  TallIdlSuccess success = { .order = order };
  TallClientCall call = tall_client_prepare (front, TALL_CALL (get_order), &args,
                                             tall_order_get_arena (order), &success);

  if (!tall_client_call_run (&call, error))
    return NULL;
  if (!g_str_equal (order->customer_number, customer_number)
      || !g_str_equal (order->order_number, order_number) || !tall_order_normalize (order, NULL))
    return tall_client_set_wrong_answer (&call, error), NULL;
  if (revision != NULL)
    *revision = success.revision;
  return g_steal_pointer (&order);
}

static TallCustomer *
client_get_customer (TallFront *front, const char *number, gint64 *revision, GError **error)
{
  TallIdlArgs args = { .customer_number = (char *)number };
  g_autoptr (TallCustomer) customer = tall_customer_new ("");
  TallIdlSuccess success = { .customer = customer };
  TallClientCall call = tall_client_prepare (front, TALL_CALL (get_customer), &args,
                                             tall_customer_get_arena (customer), &success);

  if (!tall_client_call_run (&call, error))
    return NULL;
  if (!g_str_equal (customer->number, number) || !tall_customer_normalize (customer, NULL))
    return tall_client_set_wrong_answer (&call, error), NULL;
  if (revision != NULL)
    *revision = success.revision;
  return g_steal_pointer (&customer);
}

static gboolean
client_delete_order (TallFront *front,
                     const char *customer_number,
                     const char *order_number,
                     const TallWriteOptions *options,
                     GError **error)
{
  TallIdlArgs args = { .customer_number = (char *)customer_number,
                       .order_number = (char *)order_number };
  return run_with_token (front, TALL_CALL (delete_order), &args, options, NULL, error);
}

static gboolean
client_delete_customer (TallFront *front,
                        const char *number,
                        const TallWriteOptions *options,
                        GError **error)
{
  TallIdlArgs args = { .customer_number = (char *)number };
  return run_with_token (front, TALL_CALL (delete_customer), &args, options, NULL, error);
}

/* NULL of none. */
static char **
terminate (TallArena *arena, char *const *texts, guint n)
{
  char **copy = n > 0 ? tall_arena_newa0 (arena, char *, n + 1) : NULL;
  for (guint i = 0; i < n; i++)
    copy[i] = texts[i];
  return copy;
}

static TallDescription *
client_describe (TallFront *front, GError **error)
{
  TallIdlArgs args = { 0 };
  g_autoptr (TallDescription) got = g_new0 (TallDescription, 1);
  got->arena = tall_arena_new (0);
  TallClientCall call = tall_client_prepare (front, TALL_CALL (describe), &args, got->arena, got);

  if (!tall_client_call_run (&call, error))
    return NULL;
  if (got->layout == NULL || got->store == NULL)
    return tall_client_set_wrong_answer (&call, error), NULL;
  got->calls = terminate (got->arena, got->calls, got->n_calls);
  got->protocols = terminate (got->arena, got->protocols, got->n_protocols);
  got->indexes = terminate (got->arena, got->indexes, got->n_indexes);
  return g_steal_pointer (&got);
}

static gboolean
client_ping (TallFront *front, GError **error)
{
  TallIdlArgs args = { 0 };
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallClientCall call = tall_client_prepare (front, TALL_CALL (ping), &args, arena, NULL);
  return tall_client_call_run (&call, error);
}

/**
 * tall_client_set_timeout:
 * @milliseconds: of calls that have none of their own; usually 15 s
 *
 * To be set before the client is used.
 */
void
tall_client_set_timeout (TallClient *self, guint milliseconds)
{
  g_return_if_fail (TALL_IS_CLIENT (self) && milliseconds > 0);
  self->timeout = milliseconds;
}

/**
 * tall_client_use_tls:
 * @ca: (nullable): PEM file of the CAs that sign certificates of servers; NULL: those of the system
 * @certificate: (nullable): PEM file of the certificate that shows who this client is
 * @key: (nullable): PEM file of its key, which only its owner may be able to read
 *
 * Says whom a client of a `tls://` address trusts, and what it shows. The files are read now. To be
 * set before the client is used.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID, or %TALL_ERROR_UNAVAILABLE if a file cannot be read
 */
gboolean
tall_client_use_tls (
    TallClient *self, const char *ca, const char *certificate, const char *key, GError **error)
{
  g_return_val_if_fail (TALL_IS_CLIENT (self), FALSE);
  if (!self->is_tls)
    return tall_error_fail_invalid (
        error, "address", "Certificates are of use with an address that begins with tls:// alone");
  TallTlsSettings settings = { .ca = ca, .certificate = certificate, .key = key };
  TallTlsContext *tls = tall_tls_context_new_client (&settings, error);
  if (tls == NULL)
    return FALSE;
  g_clear_pointer (&self->pool->tls, tall_tls_context_unref);
  self->pool->tls = tls;
  return TRUE;
}

static void
tall_client_finalize (GObject *object)
{
  TallClient *self = TALL_CLIENT (object);
  tall_client_pool_free (self->pool);
  G_OBJECT_CLASS (tall_client_parent_class)->finalize (object);
}

static void
tall_client_class_init (TallClientClass *klass)
{
  TallFrontClass *front_class = TALL_FRONT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = tall_client_finalize;
  front_class->put_order = client_put_order;
  front_class->get_order = client_get_order;
  front_class->delete_order = client_delete_order;
  front_class->patch_order = client_patch_order;
  front_class->put_customer = client_put_customer;
  front_class->get_customer = client_get_customer;
  front_class->delete_customer = client_delete_customer;
  front_class->get_orders = tall_client_get_orders;
  front_class->put_orders = tall_client_put_orders;
  front_class->list_orders = tall_client_list_orders;
  front_class->list_customers = tall_client_list_customers;
  front_class->get_customer_orders = tall_client_get_customer_orders;
  front_class->describe = client_describe;
  front_class->ping = client_ping;
  front_class->verify_some = tall_client_verify_some;
  front_class->erase_some = tall_client_erase_some;
  front_class->find_orders = tall_client_find_orders;
}

static void
tall_client_init (TallClient *self)
{
  self->timeout = USUAL_TIMEOUT;
}

/**
 * tall_client_new:
 * @address: `host:port` or `[v6 address]:port` of a server; with `tls://` before it connections are
 *   encrypted, and the server has to show a certificate for that host, signed by a CA that the
 *   system trusts; tall_client_use_tls() names another one
 *
 * Connects when it is first used, and again whenever it must.
 *
 * Returns: (transfer full): a client; NULL with %TALL_ERROR_INVALID (the address)
 */
TallFront *
tall_client_new (const char *address, GError **error)
{
  g_autofree char *host = NULL;
  guint16 port = 0;
  const char *plain =
      g_str_has_prefix (address, TALL_CLIENT_TLS) ? address + strlen (TALL_CLIENT_TLS) : address;
  if (!tall_address_parse (plain, &host, &port, error))
    return NULL;

  g_autoptr (TallClient) self = g_object_new (TALL_TYPE_CLIENT, NULL);
  self->pool = tall_client_pool_new (plain);
  self->is_tls = plain != address;
  if (self->is_tls && !tall_client_use_tls (self, NULL, NULL, NULL, error))
    return NULL;
  return TALL_FRONT (g_steal_pointer (&self));
}
