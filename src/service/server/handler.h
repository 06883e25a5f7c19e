/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "backup/runner.h"
#include "service/access/memory.h"
#include "service/calls/call-stats.h"
#include "tall-front.h"
#include "service/server/gate.h"
#include "migrate/migrate-runner.h"
#include "wire/transport.h"

G_BEGIN_DECLS

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
TallAnswer tall_handler_refuse (const TallHandler *self,
                                const char *reason,
                                TallTransport *transport,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
