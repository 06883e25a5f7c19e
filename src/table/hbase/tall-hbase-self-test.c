/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-self-test.h"

#include "tall-hbase-convert.h"
#include "tall-hbase-error.h"

/* A test under way, on a row of its own: many processes may be at it at once. */
typedef struct
{
  HbGatewayIf *client;
  const char *gateway;
  GByteArray *table;
  GByteArray *row;
  gint64 now;       /* milliseconds; timestamps count from here */
  TallBatch *batch; /* holds the mutations */
} SelfTest;

/* A conditional write of cell `s`, and what has to become of it. */
typedef struct
{
  const char *what;
  const char *expected; /* empty: it must not exist */
  const char *value;
  gboolean matches;
} Step;

/* The last one that matches wins: `s` is 2. */
static const Step steps[] = {
  { "a check for an absent cell does not hold where there is none", "", "1", TRUE },
  { "a check for an absent cell holds where there is one", "", "x", FALSE },
  { "a comparison with another value holds", "2", "x", FALSE },
  { "a comparison with the cell's value does not hold", "1", "2", TRUE },
};

/* What is put afterwards, one after the other; timestamps from now. */
typedef struct
{
  const char *qualifier;
  gint64 offset;
  const char *value;
} Put;

#define DELETED_AT 20

static const Put cells[] = {
  { "older", 5, "kept" },
  { "twice", 10, "first" },
  { "twice", 10, "second" },
  { "exact", DELETED_AT, "gone" },
};

/* What is there in the end, once the cells of one timestamp were deleted. */
static const struct
{
  const char *qualifier;
  const char *value; /* NULL: it must be gone */
  const char *what;
} ends[] = {
  { "s", "2", "a conditional write leaves something else than it wrote" },
  { "twice", "second", "of two puts at one timestamp the later one does not win" },
  { "exact", NULL, "a delete of one timestamp leaves its cells" },
  { "older", "kept", "a delete of one timestamp takes older cells along" },
};

static void
self_test_clear (SelfTest *self)
{
  g_clear_pointer (&self->table, g_byte_array_unref);
  g_clear_pointer (&self->row, g_byte_array_unref);
  g_clear_pointer (&self->batch, tall_batch_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SelfTest, self_test_clear)

static gboolean
fail (const SelfTest *self, GError *reason, const HbTIOError *io, GError **error)
{
  g_autoptr (GError) cause = reason;
  tall_hbase_error_set (error, cause, io, self->gateway);
  g_prefix_error (error, "Trying out what HBase does: ");
  return FALSE;
}

static gboolean
refuse (const SelfTest *self, const char *what, GError **error)
{
  g_set_error (
      error, TALL_ERROR, TALL_ERROR_UNSUPPORTED,
      "the gateway at %s is refused, as orders would not be safe: %s. Use HBase 2.2 or newer "
      "and its own \"hbase thrift2\"",
      self->gateway, what);
  return FALSE;
}

static TallMutation *
add_mutation (SelfTest *self)
{
  return tall_batch_add (self->batch, TALL_HBASE_SELF_TEST_TABLE, tall_slice_array (self->row));
}

static gboolean
run_step (SelfTest *self, const Step *step, gint64 timestamp, GError **error)
{
  g_autoptr (HbTIOError) io = NULL;
  GError *reason = NULL;
  gboolean matched = FALSE;
  TallMutation *mutation = add_mutation (self);
  tall_mutation_put (self->batch, mutation, tall_slice_str ("s"), timestamp,
                     tall_slice_str (step->value));
  g_autoptr (HbTRowMutations) mutations = tall_hbase_row_mutations_new (mutation);
  g_autoptr (GByteArray) family = tall_hbase_bytes (tall_slice_str (TALL_FAMILY));
  g_autoptr (GByteArray) qualifier = tall_hbase_bytes (tall_slice_str ("s"));
  g_autoptr (GByteArray) value = tall_hbase_bytes (tall_slice_str (step->expected));

  if (!hb_gateway_client_check_and_mutate (self->client, &matched, self->table, self->row, family,
                                           qualifier, HB_T_COMPARE_OP_EQUAL, value, mutations, &io,
                                           &reason))
    return fail (self, reason, io, error);
  return matched == step->matches || refuse (self, step->what, error);
}

static gboolean
run_steps (SelfTest *self, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    if (!run_step (self, &steps[i], self->now + i, error))
      return FALSE;
  return TRUE;
}

static gboolean
run_puts (SelfTest *self, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (cells); i++)
    {
      g_autoptr (HbTIOError) io = NULL;
      GError *reason = NULL;
      TallMutation *mutation = add_mutation (self);
      tall_mutation_put (self->batch, mutation, tall_slice_str (cells[i].qualifier),
                         self->now + cells[i].offset, tall_slice_str (cells[i].value));
      g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_object_unref);
      g_ptr_array_add (list, tall_hbase_put_new (mutation));
      if (!hb_gateway_client_put_multiple (self->client, self->table, list, &io, &reason))
        return fail (self, reason, io, error);
    }
  return TRUE;
}

static gboolean
run_delete (SelfTest *self, TallChangeKind kind, GError **error)
{
  g_autoptr (HbTIOError) io = NULL;
  GError *reason = NULL;
  TallMutation *mutation = add_mutation (self);
  if (kind == TALL_CHANGE_DELETE_AT)
    tall_mutation_delete_at (self->batch, mutation, self->now + DELETED_AT);
  else
    tall_mutation_delete_up_to (self->batch, mutation, self->now + DELETED_AT);

  g_autoptr (GPtrArray) failed = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_object_unref);
  g_ptr_array_add (list, tall_hbase_delete_new (mutation, kind));
  if (!hb_gateway_client_delete_multiple (self->client, &failed, self->table, list, &io, &reason))
    return fail (self, reason, io, error);
  return failed->len == 0 || refuse (self, "a delete fails", error);
}

static const HbTColumnValue *
find_cell (const HbTResult *result, const char *qualifier)
{
  for (guint i = 0; i < result->columnValues->len; i++)
    {
      const HbTColumnValue *cell = g_ptr_array_index (result->columnValues, i);
      if (tall_slice_equal (tall_slice_array (cell->qualifier), tall_slice_str (qualifier)))
        return cell;
    }
  return NULL;
}

static gboolean
check_end (const SelfTest *self, const HbTResult *result, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      const HbTColumnValue *cell = find_cell (result, ends[i].qualifier);
      gboolean right = (cell == NULL) == (ends[i].value == NULL);
      if (right && cell != NULL)
        right = tall_slice_equal (tall_slice_array (cell->value), tall_slice_str (ends[i].value));
      if (!right)
        return refuse (self, ends[i].what, error);
    }
  return TRUE;
}

static gboolean
run_end (SelfTest *self, GError **error)
{
  g_autoptr (HbTIOError) io = NULL;
  GError *reason = NULL;
  g_autoptr (HbTGet) get = g_object_new (HB_TYPE_T_GET, NULL);
  g_autoptr (HbTResult) result = g_object_new (HB_TYPE_T_RESULT, NULL);
  get->row = g_byte_array_ref (self->row);
  if (!hb_gateway_client_get (self->client, &result, self->table, get, &io, &reason))
    return fail (self, reason, io, error);
  return check_end (self, result, error);
}

static gboolean
has_table (const SelfTest *self, const TallHbaseNames *names, gboolean *exists, GError **error)
{
  g_autoptr (HbTIOError) io = NULL;
  GError *reason = NULL;
  g_autoptr (HbTTableName) name =
      tall_hbase_names_get_table_name (names, TALL_HBASE_SELF_TEST_TABLE);
  return hb_gateway_client_table_exists (self->client, exists, name, &io, &reason)
         || fail (self, reason, io, error);
}

/**
 * tall_hbase_self_test:
 * @deadline: of everything
 * @tested: (out): FALSE: there is no table yet on which to try
 *
 * Tries out whether the HBase behind a gateway does what the protocol of commits relies on: a check
 * that a cell must not exist, a comparison, puts at the same timestamp, and deletes of one
 * timestamp; in 11 small calls on a row of its own, which is removed.
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED if it does something else, or why it cannot be known
 */
gboolean
tall_hbase_self_test (TallHbaseLink *link,
                      const TallHbaseNames *names,
                      gint64 deadline,
                      gboolean *tested,
                      GError **error)
{
  g_autofree char *id = g_uuid_string_random ();
  g_autofree char *row = g_strconcat ("selftest/", id, NULL);
  g_auto (SelfTest) self = {
    .client = tall_hbase_link_get_client (link),
    .gateway = tall_connection_get_address (link->connection),
    .table = tall_hbase_names_get_table (names, TALL_HBASE_SELF_TEST_TABLE),
    .row = tall_hbase_bytes (tall_slice_str (row)),
    .now = g_get_real_time () / 1000,
    .batch = tall_batch_new (),
  };

  tall_connection_set_deadline (link->connection, deadline);
  if (!has_table (&self, names, tested, error))
    return FALSE;
  if (!*tested)
    return TRUE;

  gboolean ok = run_steps (&self, error) && run_puts (&self, error)
                && run_delete (&self, TALL_CHANGE_DELETE_AT, error) && run_end (&self, error);
  /* What was tried is removed in any case; why it failed counts more than that. */
  return run_delete (&self, TALL_CHANGE_DELETE_UP_TO, ok ? error : NULL) && ok;
}
