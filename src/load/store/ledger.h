/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "load/store/item.h"

G_BEGIN_DECLS

/**
 * TallLoadEnd:
 * @TALL_LOAD_STORED: it is stored; and, of a count that is reported, safe from a crash
 * @TALL_LOAD_UNCHANGED: the same was stored before
 * @TALL_LOAD_SKIPPED: another content was stored before, and was left
 * @TALL_LOAD_OVERTAKEN: another program has written it at the same time
 *
 * What becomes of an order or a customer that is not rejected.
 */
typedef enum
{
  TALL_LOAD_STORED,
  TALL_LOAD_UNCHANGED,
  TALL_LOAD_SKIPPED,
  TALL_LOAD_OVERTAKEN,
  TALL_LOAD_N_ENDS
} TallLoadEnd;

/**
 * TallLoadTally:
 *
 * Orders, or customers, that had one end.
 */
typedef struct
{
  guint64 items;
  guint64 rows;  /* of all files, of these */
  guint64 lines; /* of these orders */
} TallLoadTally;

/**
 * TallLoadLedger:
 *
 * Counts orders or customers by their end, and their rows also by their file. Not thread-safe.
 */
typedef struct
{
  TallLoadTally ends[TALL_LOAD_N_ENDS];
  GArray *files; /* of guint64[TALL_LOAD_N_ENDS]: rows, by number of the file; perhaps not of all */
} TallLoadLedger;

void tall_load_ledger_init (TallLoadLedger *self);
void tall_load_ledger_clear (TallLoadLedger *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TallLoadLedger, tall_load_ledger_clear)

void tall_load_ledger_add (TallLoadLedger *self, const TallLoadItem *item, TallLoadEnd end);
void tall_load_ledger_move (TallLoadLedger *self, TallLoadLedger *from);
guint64 tall_load_ledger_count_rows (const TallLoadLedger *self, guint file, TallLoadEnd end);

G_END_DECLS
