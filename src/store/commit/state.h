/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-bytes.h"
#include "model/canonical.h"
#include "tall-front.h"

G_BEGIN_DECLS

/**
 * TallState:
 *
 * The state cell `s` of a root row, the one truth about an order or a customer. Stored as 84 bytes,
 * integers big-endian (see layout/FORMAT.md):
 *
 *      0        1       2        4           8       12         20
 *     +--------+-------+--------+-----------+-------+----------+----------+
 *     | format | flags | schema | locations | lines | date     | revision |
 *     | 1      | 1     | 2      | 4         | 4     | 8        | 8        |
 *     +--------+-------+--------+-----------+-------+----------+----------+
 *      28         44         52               68         84
 *     +----------+----------+----------------+----------+
 *     | token    | pending  | pending token  | digest   |
 *     | 16       | 8        | 16             | 16       |
 *     +----------+----------+----------------+----------+
 */
#define TALL_STATE_SIZE 84
#define TALL_STATE_FORMAT 1
#define TALL_NO_DATE G_MININT64

/* Far beyond every clock, and so far from the end that there is always a next one. */
#define TALL_LATEST_REVISION (G_MAXINT64 / 2)

typedef struct
{
  gboolean live;                         /* FALSE: deleted, or never committed */
  guint16 schema;                        /* of the content committed */
  guint32 n_locations;                   /* committed */
  guint32 n_lines;                       /* committed */
  gint64 sales_date;                     /* committed; TALL_NO_DATE if the order has none */
  gint64 revision;                       /* committed; 0 if nothing ever was */
  guint8 token[TALL_TOKEN_SIZE];         /* of the commit */
  gint64 pending;                        /* revision claimed; 0 if there is no claim */
  guint8 pending_token[TALL_TOKEN_SIZE]; /* of the claim, or of the last claim given up; after a
                                            commit: who made the row, 8 bytes, and the revision
                                            that was replaced, 8 bytes */
  guint8 digest[TALL_DIGEST_SIZE];       /* of the content committed */
} TallState;

void tall_state_write (const TallState *self, guint8 bytes[TALL_STATE_SIZE]);
TallSlice tall_state_encode (const TallState *self, TallArena *arena);
gboolean
tall_state_decode (TallSlice bytes, TallState *state, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
