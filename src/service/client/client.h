/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "backup/runner.h"
#include "migrate/migrate-runner.h"
#include "service/calls/calls.h"
#include "tall-client.h"
#include "wire/connection.h"

/**
 * TallClientPool:
 *
 * Connections to one server that are kept for the next call. Any thread may use it.
 */
typedef struct
{
  char *address;       /* host:port */
  TallTlsContext *tls; /* NULL: nothing is encrypted; set before any connection is opened */
  GMutex mutex;        /* of what follows */
  GQueue kept;         /* of TallTransport, owned; the one used last comes first */
} TallClientPool;

TallClientPool *tall_client_pool_new (const char *address);
void tall_client_pool_free (TallClientPool *self);

/**
 * TallClientCall:
 *
 * One call of a client, with the tries that it takes.
 */
typedef struct
{
  TallClientPool *pool;
  const TallIdlCall *call;
  const TallIdlArgs *args;
  const char *operation; /* what messages begin with; NULL: what the call does */
  gboolean is_write;     /* has a token; a lost answer leaves the outcome unknown */
  gboolean repeatable;   /* a write that does no harm if it is sent again after it was done */
  gint64 deadline;       /* microseconds of g_get_monotonic_time() */
  TallArena *arena;      /* of the result */
  gpointer success;      /* what a success is read into; NULL: there is nothing to read */
  TallIdlResult result;  /* filled */
  gboolean maybe_done;   /* a try has left whose answer did not come */
} TallClientCall;

gboolean tall_client_call_run (TallClientCall *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_client_call_take_failure (const TallClientCall *self,
                                    const char *operation,
                                    const TallIdlFailure *failure,
                                    GError **error);

TallMigrateState *tall_client_start_migration (TallClient *self,
                                               const TallMigrateWish *wish,
                                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallMigrateState *tall_client_get_migration (TallClient *self,
                                             const char *id,
                                             guint seen,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

TallBackupState *tall_client_start_backup (TallClient *self,
                                           const char *name,
                                           guint rate,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallBackupState *
tall_client_get_backup (TallClient *self, const char *id, GError **error) G_GNUC_WARN_UNUSED_RESULT;

struct _TallClient
{
  TallFront parent_instance;

  TallClientPool *pool;
  guint timeout;   /* milliseconds; of calls that have none of their own */
  gboolean is_tls; /* connections are encrypted */
};

/* What the calls of a client share. */
TallClientCall tall_client_prepare (TallFront *front,
                                    const TallIdlCall *call,
                                    const TallIdlArgs *args,
                                    TallArena *arena,
                                    gpointer success);
TallWriteOptions tall_client_with_token (const TallWriteOptions *given);
gboolean tall_client_is_repeatable (const TallWriteOptions *options);
void tall_client_init_options (TallIdlOptions *wire, const TallWriteOptions *options);
gboolean tall_client_set_wrong_answer (const TallClientCall *call, GError **error);

/* Slots of #TallFrontClass. */
gboolean tall_client_get_orders (TallFront *front,
                                 const TallOrderId *ids,
                                 guint n,
                                 const TallOrderPart *part,
                                 TallOutcome *outcomes,
                                 GError **error);
gboolean tall_client_put_orders (TallFront *front,
                                 TallOrder *const *orders,
                                 const TallWriteOptions *options,
                                 guint n,
                                 TallOutcome *outcomes,
                                 GError **error);
TallOrderList *tall_client_list_orders (TallFront *front,
                                        const char *customer_number,
                                        const TallListOptions *options,
                                        GError **error);
TallCustomerList *
tall_client_list_customers (TallFront *front, const TallListOptions *options, GError **error);
TallCustomerOrders *tall_client_get_customer_orders (TallFront *front,
                                                     const char *number,
                                                     const TallListOptions *options,
                                                     GError **error);
TallFound *
tall_client_find_orders (TallFront *front, const TallFindOptions *options, GError **error);
TallVerifyPart *
tall_client_verify_some (TallFront *front, const TallVerifyRequest *request, GError **error);
TallErasePart *
tall_client_erase_some (TallFront *front, const TallEraseRequest *request, GError **error);
