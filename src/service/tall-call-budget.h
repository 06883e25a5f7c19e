/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-idl.h"

G_BEGIN_DECLS

/* What the items of one reply may have together, unless it is one item alone; a client keeps to the
 * same in its requests. */
#define TALL_CALL_BYTES (8 * 1024 * 1024)
#define TALL_CALL_LINES 100000

/* Milliseconds after which a call on many begins nothing more. With the time of one read of the
 * store it stays below that of a client. */
#define TALL_CALL_TIME 3000

/**
 * TallCallBudget:
 *
 * How much more a message may take, so that one with a thousand orders of 1 MiB each cannot come
 * about. The first item always has room. It counts what memory the items take, too.
 */
typedef struct
{
  gsize bytes;   /* left, in the binary protocol */
  guint n_lines; /* left: lines and locations */
  guint n_items; /* that are in */
  gsize memory;  /* bytes that the items take, until they are sent */
  gint64 until;  /* microseconds of g_get_monotonic_time() */
} TallCallBudget;

void tall_call_budget_init (TallCallBudget *self);
gboolean tall_call_budget_take (TallCallBudget *self,
                                const TallStructType *type,
                                gconstpointer item,
                                const TallOrder *order);
gboolean tall_call_budget_is_late (const TallCallBudget *self);

G_END_DECLS
