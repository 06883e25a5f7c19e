/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "model/canonical.h"
#include "store/operation.h"
#include "tall-bytes.h"
#include "tall-front.h"

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

typedef enum
{
  TALL_RECORD_ORDER,
  TALL_RECORD_CUSTOMER,
} TallRecordKind;

/**
 * TallRecord:
 *
 * An order or a customer. A plain value; nothing is owned.
 */
typedef struct
{
  TallRecordKind kind;
  union
  {
    const TallOrder *order;
    const TallCustomer *customer;
  };
} TallRecord;

TallRecord tall_record_of_order (const TallOrder *order);
TallRecord tall_record_of_customer (const TallCustomer *customer);
const char *tall_record_get_customer_number (const TallRecord *self);
const char *tall_record_get_order_number (const TallRecord *self);

/**
 * TallContent:
 *
 * What is to be stored, with all that is derived from it once for all tries.
 */
typedef struct
{
  TallRecord record;
  TallArena *arena; /* owned: of the slices */
  TallSlice canonical;
  TallSlice summary;
  TallState state; /* what the content says of it; revision and tokens are 0 */
} TallContent;

gboolean
tall_content_init (TallContent *self, TallRecord record, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tall_content_clear (TallContent *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallContent, tall_content_clear)

void tall_content_append (const TallContent *self,
                          const TallOperation *operation,
                          gint64 revision,
                          TallBatch *batch,
                          TallMutation *root);

/**
 * TallRoot:
 *
 * What a root row says: its state cell, and its owner. All zero: there is no state cell. A plain
 * value, except for @stranger.
 */
typedef struct
{
  gboolean exists;
  gint64 timestamp; /* of the state cell */
  TallState state;
  guint8 bytes[TALL_STATE_SIZE]; /* the state cell as it is stored */
  gboolean has_summary;          /* that of the committed revision is there */
  char *stranger; /* owned: the numbers of the owner, if it is another order or customer */
} TallRoot;

void tall_root_clear (TallRoot *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallRoot, tall_root_clear)

void tall_root_take (TallRoot *self, TallRoot *from);
void tall_root_set_state (TallRoot *self, const TallState *state, gint64 timestamp);
gboolean tall_root_parse_state (TallRoot *self,
                                const TallRow *row,
                                TallSlice *summary,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_root_parse_numbers (TallSlice summary,
                                  gboolean of_order,
                                  TallArena *arena,
                                  const char **customer_number,
                                  const char **order_number,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_root_find_stranger (const TallOperation *operation,
                                  TallSlice summary,
                                  TallArena *arena,
                                  char **stranger,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_root_check_summary (const TallRoot *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_root_parse_order (const TallRoot *self,
                                TallSlice bytes,
                                TallArena *arena,
                                TallOrderSummary *summary,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
TallOrderEntry tall_state_make_entry (const TallState *self, const TallOrderSummary *summary);
void tall_root_narrow (TallRead *read);
void tall_root_narrow_to_state (TallRead *read);
gboolean tall_root_parse (TallRoot *self,
                          const TallOperation *operation,
                          const TallRow *row,
                          TallArena *arena,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_root_read (TallRoot *self,
                         const TallOperation *operation,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_root_is_live_order (const TallRoot *self, const TallStoreContext *context);
gboolean tall_root_is_live (const TallRoot *self, const TallOperation *operation);
gboolean tall_root_is_same (const TallRoot *self, const TallRoot *other);
gboolean tall_root_check_owner (const TallRoot *self,
                                const TallOperation *operation,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_root_has_leftovers (const TallRoot *self);
gint64 tall_root_find_dead (const TallRoot *self, gint64 revision);
gint64 tall_root_next_revision (const TallRoot *self, gint64 now);
