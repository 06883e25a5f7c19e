/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "service/access/roles.h"
#include "service/calls/idl.h"

typedef struct _TallRequest TallRequest;

/**
 * TallIdlCall:
 *
 * All that server and client know of one call of `idl/tallorder.thrift`. The table in
 * service/calls/calls.c has an entry for each.
 *
 * @operation and @item_operation say what is done, as the beginning of messages. A name in braces
 * stands for the field of that name in the IDL, wherever it is in the struct that they speak of:
 * for a text, or for the number of elements of a list.
 */
typedef struct
{
  const char *name;             /* as in the IDL */
  TallRole role;                /* the least that a client needs for it */
  TallRole details;             /* the least that gets all of the answer; %TALL_ROLE_NONE: each */
  const char *operation;        /* with fields of @args */
  gsize slot;                   /* of #TallFrontClass: what the server runs and the client offers;
                                 * 0: it is not about the front */
  const TallStructType *args;   /* of TallIdlArgs */
  const TallStructType *result; /* of TallIdlResult */
  gboolean (*run) (TallRequest *request, GError **error); /* runs it on the server's front */
  gboolean own_memory; /* @run takes what memory it needs; else that of one order is taken before */

  /* Of a call on many. */
  const TallStructType *item;  /* one of its answers; NULL: a call on one */
  const TallStructType *asked; /* what each answer is to; NULL: it has no list of them */
  const char *item_operation;  /* with fields of @asked; NULL likewise */
} TallIdlCall;

char *tall_idl_call_describe (const TallIdlCall *self, const TallIdlArgs *args);
char *tall_idl_call_describe_item (const TallIdlCall *self, gconstpointer asked);
const TallStructLimits *tall_idl_call_get_limits (const TallIdlCall *self);

/* The call of a slot of #TallFrontClass, such as `TALL_CALL (put_order)`. */
#define TALL_CALL(slot) tall_calls_get (G_STRUCT_OFFSET (TallFrontClass, slot))

const TallIdlCall *tall_calls_get (gsize slot);
const TallIdlCall *tall_calls_find (const char *name);
guint tall_calls_count (void);
const TallIdlCall *tall_calls_get_nth (guint index);
guint tall_calls_get_index (const TallIdlCall *call);
GStrv tall_calls_list_names (void);
