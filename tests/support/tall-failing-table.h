/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "table/table.h"

G_BEGIN_DECLS

/**
 * TallCallKind:
 *
 * The slots of a table.
 */
typedef enum
{
  TALL_CALL_READ,
  TALL_CALL_APPLY,
  TALL_CALL_APPLY_IF,
  TALL_CALL_INCREMENT,
  TALL_CALL_CREATE_TABLE,
  TALL_CALL_DROP_TABLE,
  TALL_CALL_SET_ACCESS,
  TALL_CALL_DESCRIBE_TABLE,
  TALL_CALL_LIST_TABLES,
} TallCallKind;

/**
 * TallFailure:
 * @TALL_FAILURE_NONE: the call goes through
 * @TALL_FAILURE_BEFORE: nothing is done: %TALL_ERROR_UNAVAILABLE
 * @TALL_FAILURE_PARTLY: apply: the first half of the mutations is done, then
 *   %TALL_ERROR_UNAVAILABLE; other calls: like @TALL_FAILURE_BEFORE
 * @TALL_FAILURE_LOST: it is done, but its answer is lost: %TALL_ERROR_OUTCOME_UNKNOWN for apply_if,
 *   increment and set_access, %TALL_ERROR_TIMED_OUT for the others
 * @TALL_FAILURE_LATE: like @TALL_FAILURE_LOST, but apply, apply_if and set_access are not done now:
 *   they wait until tall_failing_table_deliver_late()
 * @TALL_FAILURE_FALSE: apply_if is done, and says that it did not match (a gateway that repeated
 *   it); other calls go through
 */
typedef enum
{
  TALL_FAILURE_NONE,
  TALL_FAILURE_BEFORE,
  TALL_FAILURE_PARTLY,
  TALL_FAILURE_LOST,
  TALL_FAILURE_LATE,
  TALL_FAILURE_FALSE,
} TallFailure;

/**
 * TallCall:
 *
 * One call as a hook sees it. Valid during the hook.
 */
typedef struct
{
  guint index; /* counts all calls, from 0 */
  TallCallKind kind;
  const TallReadPlan *plan;       /* read; else NULL */
  TallMutation *const *mutations; /* apply and apply_if: n_mutations of them; else NULL */
  guint n_mutations;
  const char *table; /* name of the (first) table; NULL for list and an empty plan */
  gint64 deadline;   /* of read, apply and apply_if; else 0 */

  /* For the hook that runs after the call. */
  TallFailure failure; /* that it has had */
  gboolean succeeded;  /* the caller sees success */
  gboolean matched;    /* apply_if: what the caller sees */
} TallCall;

/**
 * TallFailingInfo:
 * @TALL_FAILING_USUAL: "did not match" is not final
 * @TALL_FAILING_EMBEDDED: what the table around which it is says
 * @TALL_FAILING_SHARED: as usual, and other processes may work on the tables
 *
 * What it says of itself.
 */
typedef enum
{
  TALL_FAILING_USUAL,
  TALL_FAILING_EMBEDDED,
  TALL_FAILING_SHARED,
} TallFailingInfo;

#define TALL_TYPE_FAILING_TABLE (tall_failing_table_get_type ())
G_DECLARE_FINAL_TYPE (TallFailingTable, tall_failing_table, TALL, FAILING_TABLE, TallTable)

/* Returns: the failure that this call shall have. */
typedef TallFailure (*TallBeforeCall) (TallFailingTable *self, const TallCall *call, gpointer data);
typedef void (*TallAfterCall) (TallFailingTable *self, const TallCall *call, gpointer data);

TallTable *tall_failing_table_new (TallTable *table);
/* Before anybody asks. */
void tall_failing_table_set_info (TallFailingTable *self, TallFailingInfo info);
TallTable *tall_failing_table_get_table (TallFailingTable *self);
void tall_failing_table_fail_at (TallFailingTable *self, guint index, TallFailure failure);
void tall_failing_table_set_hooks (TallFailingTable *self,
                                   TallBeforeCall before,
                                   TallAfterCall after,
                                   gpointer data);
guint tall_failing_table_count_calls (TallFailingTable *self);
void tall_failing_table_reset (TallFailingTable *self);
guint tall_failing_table_deliver_late (TallFailingTable *self);

G_END_DECLS
