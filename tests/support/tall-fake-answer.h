/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

#include "tall-fake-gateway.h"
#include "tall-fake-table.h"
#include "tall-thrift.h"

G_BEGIN_DECLS

/**
 * TallFakeRequest:
 *
 * A request that was read.
 */
typedef struct
{
  char *name;
  gint32 seqid;
  gboolean writes;
  GPtrArray *rows; /* of GBytes: keys of gets, puts and deletes; for tableExists the name of the
                      table; for modifyTable the attributes, each followed by its value */
} TallFakeRequest;

gboolean
tall_fake_request_read (ThriftProtocol *protocol, TallFakeRequest *request, GError **error);
void tall_fake_request_clear (TallFakeRequest *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallFakeRequest, tall_fake_request_clear)

/**
 * TallFakeScript:
 *
 * The answers that the self-test of a client gets.
 */
typedef struct
{
  char *answers;    /* to conditional writes, "1" and "0"; nullable: yes */
  gsize n_answered; /* of @answers */
  char *cells;      /* nullable: of its row, "name=value name=value" */
  char *reason;     /* nullable: what a TALL_FAKE_ERROR says; NULL: that it hurts */

  TallFakeTable table;
} TallFakeScript;

gboolean tall_fake_answer_write (TallFakeScript *self,
                                 ThriftProtocol *protocol,
                                 const TallFakeRequest *request,
                                 TallFakeAnswer answer,
                                 GError **error);
void tall_fake_answer_send_spoilt (TallFakeScript *self,
                                   GSocket *socket,
                                   const TallFakeRequest *request,
                                   TallFakeAnswer answer);

G_END_DECLS
