/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "backup/runner.h"
#include "migrate/migrate-runner.h"
#include "service/access/memory.h"
#include "service/access/places.h"
#include "service/calls/call-stats.h"
#include "service/server/listen.h"
#include "tall-front.h"
#include "wire/transport.h"

/**
 * TallAnswer:
 * @TALL_ANSWER_GIVEN: the reply was written, and the request read to its end
 * @TALL_ANSWER_RESET: the reply was written, but the request not read to its end: the rest of its
 *   frame must be thrown away
 * @TALL_ANSWER_NONE: the bytes are not a call, or the reply could not be written: close
 */
typedef enum
{
  TALL_ANSWER_GIVEN,
  TALL_ANSWER_RESET,
  TALL_ANSWER_NONE,
} TallAnswer;

/**
 * TallHandler:
 *
 * What calls are answered with. Nothing is owned.
 */
typedef struct
{
  TallFront *front;          /* what keeps the orders; called on the thread of the call */
  TallMigrateRunner *moves;  /* nullable: moves what the front shows to other tables */
  TallBackupRunner *backups; /* nullable: makes backups of the store */
  TallVisitor *visitor;      /* the client */
  TallCallStats *stats;      /* nullable: counts the calls that are answered */
  gint64 slow;               /* microseconds from which a call is logged; 0: never */
} TallHandler;

TallAnswer tall_handler_answer (const TallHandler *self,
                                TallCallMemory *memory,
                                TallTransport *transport,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * TallSession:
 *
 * One connection of a server, on one thread: frames come, are answered in their order, until one
 * side ends it.
 */
typedef struct
{
  TallHandler handler;      /* but for the visitor */
  TallGate *gate;           /* of the server */
  gboolean is_local;        /* the client is on this machine */
  const char *refusal;      /* not NULL: one call is answered by %TALL_ERROR_OVERLOADED with that */
  TallTransport *transport; /* made by tall_session_open() */
  TallPlace *place;         /* is kept up to date */
  TallMemory *memory;       /* of all calls of the server */
  gsize least_memory;       /* bytes of it, beside those of an order, that there must be */
  guint memory_wait;        /* milliseconds */
  guint idle_timeout;       /* milliseconds */
  guint transfer_timeout;   /* milliseconds */
  guint handshake_timeout;  /* milliseconds */
  const gint *stopping;     /* atomic; not zero: end after the call under way */
} TallSession;

TallTransport *tall_session_open (GSocket *socket, gsize max_request);
gboolean tall_session_run (const TallSession *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
