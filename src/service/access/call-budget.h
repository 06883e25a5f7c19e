/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "service/calls/idl.h"

G_BEGIN_DECLS

/* The most that all items of one reply have together, unless there is only one item. Our client
 * keeps to the same in its requests. */
#define TALL_CALL_BYTES (8 * 1024 * 1024)
#define TALL_CALL_LINES 100000

/* Milliseconds after which a call on many begins nothing more. Together with the time of one read
 * of the store this is less than a client waits. */
#define TALL_CALL_TIME 3000

/**
 * TallCallBudget:
 *
 * The room that a message has left, so that no message has a thousand orders of 1 MiB each. The
 * first item always has room. It also counts the memory that the items take.
 */
typedef struct
{
  gsize bytes;          /* left, in the binary protocol */
  guint n_lines;        /* left: lines and locations */
  guint n_items;        /* in the message */
  gsize memory;         /* bytes that the items take, until they are sent */
  gint64 until;         /* microseconds of g_get_monotonic_time() */
  TallTransport *scale; /* measures items */
} TallCallBudget;

void tall_call_budget_init (TallCallBudget *self);
void tall_call_budget_clear (TallCallBudget *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallCallBudget, tall_call_budget_clear)

gboolean tall_call_budget_take (TallCallBudget *self,
                                const TallStructType *type,
                                gconstpointer item,
                                const TallOrder *order);
gboolean tall_call_budget_is_late (const TallCallBudget *self);

G_END_DECLS
