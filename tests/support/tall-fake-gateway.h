/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * TallFakeAnswer:
 *
 * What a fake gateway does with a request that it has read.
 */
typedef enum
{
  TALL_FAKE_ANSWER,       /* answers: yes, no rows, regions from the start and from B; gets: rows
                             whose keys begin with "row-" have a cell with the key as value */
  TALL_FAKE_NO,           /* answers: no; to what changes a table: done, and has not */
  TALL_FAKE_CLOSE,        /* closes the connection instead */
  TALL_FAKE_SILENT,       /* never answers */
  TALL_FAKE_LATE,         /* answers once tall_fake_gateway_send_late() says so */
  TALL_FAKE_ERROR,        /* answers with a TIOError that may be retried */
  TALL_FAKE_BUSY,         /* answers with a TIOError that HBase has too much to do */
  TALL_FAKE_ERROR_BYTES,  /* as TALL_FAKE_ERROR; with TALL_FAKE_REASON */
  TALL_FAKE_OTHER_ROW,    /* gets: answers with rows that were not asked for */
  TALL_FAKE_TOGETHER,     /* answers when three requests of the method wait */
  TALL_FAKE_THRIFT1,      /* getThriftServerType: says that it is the older interface */
  TALL_FAKE_UNKNOWN,      /* says that it has no such method, and TALL_FAKE_REASON */
  TALL_FAKE_BROKEN,       /* says that the method has failed inside */
  TALL_FAKE_FAILED,       /* deleteMultiple: names a delete that failed */
  TALL_FAKE_CUT,          /* sends half of the answer and closes the connection */
  TALL_FAKE_GARBLED,      /* sends an answer with bytes changed */
  TALL_FAKE_OTHER_CALL,   /* sends the answer to an earlier call of the same method */
  TALL_FAKE_OTHER_METHOD, /* sends the answer to another method */
} TallFakeAnswer;

/* A reason as HBase writes it, with a row key in it that is not text; and how it is shown. */
#define TALL_FAKE_REASON "row 'A\0B\xff\x1b[31m\nC' on table 't' is lost"
#define TALL_FAKE_REASON_SHOWN "row 'A\\x00B\xef\xbf\xbd\\x1b[31m C' on table 't' is lost"

/**
 * TallFakeGateway:
 *
 * Listens on a port of its own and answers like HBase's gateway, well enough to test what a client
 * does when things go wrong. It keeps no rows. It has one table, which can be described, changed,
 * enabled and disabled.
 */
typedef struct _TallFakeGateway TallFakeGateway;

TallFakeGateway *tall_fake_gateway_new (gboolean framed, gboolean compact);
TallFakeGateway *tall_fake_gateway_new_v6 (void);
void tall_fake_gateway_free (TallFakeGateway *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallFakeGateway, tall_fake_gateway_free)

const char *tall_fake_gateway_get_address (TallFakeGateway *self);
void tall_fake_gateway_set_answer (TallFakeGateway *self,
                                   const char *method,
                                   TallFakeAnswer answer,
                                   guint times);
void tall_fake_gateway_set_answer_after (TallFakeGateway *self,
                                         const char *method,
                                         TallFakeAnswer answer);
void tall_fake_gateway_set_reason (TallFakeGateway *self, const char *reason);
void
tall_fake_gateway_set_self_test (TallFakeGateway *self, const char *answers, const char *cells);
void tall_fake_gateway_set_served (TallFakeGateway *self, guint n);
void tall_fake_gateway_set_attributes (TallFakeGateway *self, const char *attributes);
char *tall_fake_gateway_describe (TallFakeGateway *self);
void tall_fake_gateway_send_late (TallFakeGateway *self);
void tall_fake_gateway_close_connections (TallFakeGateway *self);
guint tall_fake_gateway_get_calls (TallFakeGateway *self, const char *method);
gboolean tall_fake_gateway_has_row (TallFakeGateway *self, const char *method, const char *key);
void tall_fake_gateway_wait_for_calls (TallFakeGateway *self, const char *method, guint n);
guint tall_fake_gateway_get_connections (TallFakeGateway *self);
gboolean tall_fake_gateway_keeps_back (guint16 port);

G_END_DECLS
