/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "model/canonical.h"
#include "store/verify/verify.h"

G_BEGIN_DECLS

/**
 * TallSuspectSearch:
 * @TALL_SUSPECT_UNSEARCHED: nothing has been looked for
 * @TALL_SUSPECT_SEARCHING: the rows before @place do not contradict it
 * @TALL_SUSPECT_SEARCHED: no row does
 *
 * Whether a half id is the only one of its number and of its id.
 */
typedef enum
{
  TALL_SUSPECT_UNSEARCHED,
  TALL_SUSPECT_SEARCHING,
  TALL_SUSPECT_SEARCHED,
  TALL_N_SUSPECT_SEARCHES,
} TallSuspectSearch;

guint64 tall_verify_mark (const TallStoreContext *context);

/**
 * TallSuspect:
 *
 * What looked wrong. It is wrong if it looks the same after the patience. Between two parts of a
 * verification it is bytes:
 *
 *     u8 format, u64 mark of the tables, u8 what (0: rows, 1: a hint, 2: an id),
 *     u8 n_looks, u8 search, u32 kinds, u32 certain, fingerprint,
 *     u16 length, key, u16 length, order, u16 length, place
 */
typedef struct
{
  const TallVerifyPair *pair; /* NULL: an order or a customer */
  TallSlice key;              /* of the row of a pair, or the customer part */
  TallSlice order;            /* the order part; empty: a pair or a customer */
  guint32 kinds;              /* that were found, a bit each */
  guint32 certain;            /* of them: those that it has been decided to mend. From then on one
                               * that is gone is reported as mended, even if nobody heard of it */
  guint8 fingerprint[TALL_MD5_SIZE];
  guint8 n_looks;
  TallSuspectSearch search;
  TallSlice place; /* in the table of ids */
} TallSuspect;

G_END_DECLS
