/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "backup/runner.h"
#include "migrate/migrate-runner.h"
#include "service/access/memory.h"
#include "service/calls/calls.h"

/**
 * TallRequest:
 *
 * One call of a server, from its arguments to its result.
 */
struct _TallRequest
{
  TallFront *front;
  TallMigrateRunner *moves;  /* nullable; not owned */
  TallBackupRunner *backups; /* the same */
  TallCallMemory *memory;    /* not owned */
  const TallIdlCall *call;
  gboolean shows_details; /* to a client that gets all of the answer: see TallIdlCall */
  TallArena *arena;       /* of arguments and result */
  TallIdlArgs args;
  TallWriteOptions options; /* of @args */
  TallIdlResult result;
};

void tall_request_init (TallRequest *self,
                        TallFront *front,
                        TallCallMemory *memory,
                        const TallIdlCall *call);
void tall_request_clear (TallRequest *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallRequest, tall_request_clear)

void tall_request_fill_absent (TallRequest *self);
gboolean tall_request_own (TallRequest *self, gpointer data, GDestroyNotify destroy);
gboolean tall_request_run (TallRequest *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Calls on one order or one customer. */
gboolean tall_request_put_order (TallRequest *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_request_get_order (TallRequest *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_request_delete_order (TallRequest *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_request_patch_order (TallRequest *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_request_put_customer (TallRequest *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_request_get_customer (TallRequest *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_request_delete_customer (TallRequest *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Calls on many. */
gboolean tall_request_get_orders (TallRequest *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_request_put_orders (TallRequest *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_request_list_orders (TallRequest *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_request_list_customers (TallRequest *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_request_get_customer_orders (TallRequest *self,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_request_find_orders (TallRequest *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean tall_request_verify (TallRequest *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_request_erase (TallRequest *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_request_start_migration (TallRequest *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_request_get_migration (TallRequest *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_request_start_backup (TallRequest *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_request_get_backup (TallRequest *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
