/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/condition.h"

#include "table/hbase/convert.h"
#include "table/hbase/reply.h"

/* The gateway does less for a row that is only put. */
static TallHbaseMethodId
find_method (const TallMutation *mutation)
{
  gboolean deletes = tall_hbase_mutation_has (mutation, TALL_CHANGE_DELETE_UP_TO)
                     || tall_hbase_mutation_has (mutation, TALL_CHANGE_DELETE_AT);
  return deletes ? TALL_HBASE_CHECK_AND_MUTATE : TALL_HBASE_CHECK_AND_PUT;
}

/**
 * tall_hbase_send_apply_if:
 * @table: with its name in HBase
 *
 * Sends a `checkAndPut` if @mutation only puts, else a `checkAndMutate`.
 */
gboolean
tall_hbase_send_apply_if (TallTransport *transport,
                          const char *table,
                          const TallMutation *mutation,
                          const TallHbaseCondition *condition,
                          GError **error)
{
  const TallSlice *expected = condition->expected;
  TallHbaseMethodId method = find_method (mutation);
  TallHbaseTPut put;
  g_autoptr (TallArena) arena = tall_arena_new (0);
  TallHbaseArgs args = {
    .table = tall_slice_str (table),
    .row = mutation->row,
    .family = tall_slice_str (TALL_FAMILY),
    .qualifier = condition->qualifier,
    .compare_op = TALL_HBASE_EQUAL,
    /* The empty value means "must not exist"; an absent one is an error of `checkAndMutate`. */
    .value = expected == NULL ? (TallSlice)TALL_SLICE_INIT : *expected,
  };
  if (method == TALL_HBASE_CHECK_AND_PUT)
    {
      tall_hbase_t_put_init (&put, mutation, arena);
      args.puts = &put;
    }
  else
    args.mutations = tall_hbase_t_row_mutations_new (mutation, arena);
  return tall_hbase_send (transport, method, &args, error);
}

/**
 * tall_hbase_receive_apply_if:
 * @mutation: that was sent
 * @arena: of the reply
 * @io: (out) (nullable): what the gateway says if it failed
 */
gboolean
tall_hbase_receive_apply_if (TallTransport *transport,
                             const TallMutation *mutation,
                             TallArena *arena,
                             gboolean *matched,
                             TallHbaseTIOError **io,
                             GError **error)
{
  TallHbaseReceiver receiver = { arena, NULL, NULL };
  TallHbaseResult result;
  gboolean ok = tall_hbase_receive (transport, find_method (mutation), &receiver, &result, error);
  *io = result.io;
  *matched = result.yes;
  return ok;
}
