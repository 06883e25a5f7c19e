/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/context.h"

/* The cells of a root row that the store itself writes. */
#define TALL_STATE_COLUMN "s"
#define TALL_SUMMARY_COLUMN "summary"
#define TALL_STATE_QUALIFIER tall_slice_str (TALL_STATE_COLUMN)
#define TALL_SUMMARY_QUALIFIER tall_slice_str (TALL_SUMMARY_COLUMN)

typedef struct _TallSent TallSent;

/**
 * TallOperation:
 *
 * One call on one order or one customer: its root row, and how long it may take. It may begin again
 * in other tables, see tall_follow(). A plain value of one thread.
 */
typedef struct
{
  const TallStoreContext *context;
  const char *customer_number;
  const char *order_number; /* NULL: it is about the customer */
  guint64 customer_id;      /* substituted; 0 if the key strategy needs none */
  TallOrderKey key;         /* this and the next two are set by tall_operation_identify() */
  const char *root_table;   /* static */
  GByteArray *root_row;     /* owned: key of the root row */
  gint64 deadline;          /* for calls of the table: microseconds of g_get_monotonic_time() */
  gint64 end;               /* the same moment by the monotonic clock of the hooks */
  guint n_overtaken;        /* how often a claim of ours was claimed over, or deleted under us */
  GArray *coming;           /* owned: of TallHint: those of what is to be committed; NULL: none */
  GArray *going;            /* owned: of TallHint: those that go with it; NULL: none */
  GArray *replaced;         /* owned: of TallHint: those of a version that was read; NULL: none */
  gint64 replaced_revision; /* of that */
  gint64 hinted;            /* revision of hints that were written by themselves; 0: none */

  /* For all tables in which it is tried. */
  gboolean writes;    /* it changes what is stored */
  gboolean is_tried;  /* tall_follow() has let it be tried, and not ended it yet */
  gboolean has_begun; /* it has been tried before; so that it does not guess what is there */
  gboolean is_behind; /* what it was given shows that other tables count */
  guint n_refused;    /* how often tables have refused it that nobody is moving from */
  gboolean has_token; /* the next one is set */
  guint8 token[TALL_TOKEN_SIZE]; /* of its commit */
  TallSent *sent;                /* owned: commits whose outcome is not known; NULL: none */
} TallOperation;

void tall_operation_init (TallOperation *self,
                          const TallStoreContext *context,
                          const char *customer_number,
                          const char *order_number,
                          guint timeout);
gboolean tall_operation_identify (TallOperation *self,
                                  gboolean assign,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_operation_set_not_found (const TallOperation *self, GError **error);
void tall_operation_move (TallOperation *self, const TallStoreContext *context);
void tall_operation_set_id (TallOperation *self, guint64 id);
void tall_operation_clear (TallOperation *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallOperation, tall_operation_clear)

gboolean tall_operation_has_children (const TallOperation *self);
gboolean tall_operation_has_room (const TallOperation *self, guint64 n_children);
gboolean tall_operation_is_root (const TallOperation *self, const char *table, TallSlice row);
gboolean tall_operation_is_over (const TallOperation *self);
gint64 tall_operation_patience (const TallOperation *self);
gint64 tall_operation_now_monotonic (const TallOperation *self);
gboolean tall_operation_has_looked_long (const TallOperation *self, gint64 begun);
TallReadResult *tall_operation_read (const TallOperation *self,
                                     const TallReadPlan *plan,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_operation_apply (const TallOperation *self,
                               const TallBatch *batch,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
gint64 tall_operation_now (const TallOperation *self);
