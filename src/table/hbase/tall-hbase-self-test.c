/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-hbase-self-test.h"

#include "tall-hbase-convert.h"
#include "tall-hbase-error.h"

/* All rows of self-tests, this one's and others': from the prefix up to this. */
#define PREFIX "selftest/"
#define PREFIX_END "selftest0"

/* A row whose newest cell is older has no owner any more: its process was killed, or its connection
 * broke. Clocks of clients may differ by that much. */
#define MAX_AGE (60 * 1000)

/* How many of these one test removes. */
#define MAX_LEFT 100

/* A test under way, on a row of its own: many processes may test at once. */
typedef struct
{
  TallHbaseLink *link;
  HbGatewayIf *client;
  const TallHbaseNames *names;
  const char *owner; /* begins the key of its row, and of rows that earlier tests left */
  GByteArray *table;
  GByteArray *row;
  gint64 now;         /* milliseconds; timestamps count from here */
  TallBatch *batch;   /* holds the mutations */
  GPtrArray *removed; /* of HbTDelete: what others left */
} SelfTest;

typedef struct
{
  const char *qualifier;
  gint64 offset; /* of its timestamp from now */
  const char *value;
} Put;

#define MAX_PUTS 4
#define DELETED_AT 20

/* A conditional write, as commits make them, and the result that it must have. */
typedef struct
{
  const char *what;
  const char *expected; /* of `s`; empty: it must not exist */
  gboolean matches;
  Put puts[MAX_PUTS];
} Step;

static const Step steps[] = {
  { "a check for an absent cell does not hold where there is none",
    "",
    TRUE,
    { { "s", 0, "1" },
      { "older", 5, "kept" },
      { "twice", 10, "first" },
      { "exact", 20, "gone" } } },
  { "a check for an absent cell holds where there is one", "", FALSE, { { "s", 1, "x" } } },
  { "a comparison with another value holds", "2", FALSE, { { "s", 2, "x" } } },
  { "a comparison with the cell's value does not hold",
    "1",
    TRUE,
    { { "s", 3, "2" }, { "twice", 10, "second" } } },
};

/* What must be there in the end, after the cells of one timestamp were deleted. */
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
  g_clear_pointer (&self->removed, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SelfTest, self_test_clear)

static const char *
get_address (const SelfTest *self)
{
  return tall_connection_get_address (self->link->connection);
}

static gboolean
fail (const SelfTest *self, GError *reason, const HbTIOError *io, GError **error)
{
  g_autoptr (GError) cause = reason;
  if (io == NULL)
    tall_connection_break (self->link->connection);
  tall_hbase_error_set (error, cause, io, get_address (self));
  g_prefix_error (error, "Trying out what HBase does: ");
  return FALSE;
}

static gboolean
refuse (const SelfTest *self, const char *what, GError **error)
{
  tall_error_set_detailed (
      error, TALL_ERROR_UNSUPPORTED, get_address (self),
      "the gateway is refused, as orders would not be safe: %s. Use HBase 2.2 or newer and its own "
      "\"hbase thrift2\"",
      what);
  return FALSE;
}

static TallMutation *
add_mutation (SelfTest *self)
{
  return tall_batch_add (self->batch, TALL_HBASE_SELF_TEST_TABLE, tall_slice_array (self->row));
}

static gboolean
run_step (SelfTest *self, const Step *step, GError **error)
{
  g_autoptr (HbTIOError) io = NULL;
  GError *reason = NULL;
  gboolean matched = FALSE;
  TallMutation *mutation = add_mutation (self);
  for (guint i = 0; i < MAX_PUTS && step->puts[i].qualifier != NULL; i++)
    tall_mutation_put (self->batch, mutation, tall_slice_str (step->puts[i].qualifier),
                       self->now + step->puts[i].offset, tall_slice_str (step->puts[i].value));
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
    if (!run_step (self, &steps[i], error))
      return FALSE;
  return TRUE;
}

/* @list: (transfer full): of HbTDelete */
static gboolean
run_deletes (SelfTest *self, GPtrArray *list, GError **error)
{
  g_autoptr (GPtrArray) deletes = list;
  g_autoptr (GPtrArray) failed = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (HbTIOError) io = NULL;
  GError *reason = NULL;
  if (!hb_gateway_client_delete_multiple (self->client, &failed, self->table, deletes, &io,
                                          &reason))
    return fail (self, reason, io, error);
  if (failed->len > 0)
    tall_error_set_detailed (error, TALL_ERROR_UNAVAILABLE, get_address (self),
                             "Trying out what HBase does: %u deletes in table %s failed",
                             failed->len, TALL_HBASE_SELF_TEST_TABLE);
  return failed->len == 0;
}

static gboolean
run_delete_at (SelfTest *self, GError **error)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (g_object_unref);
  TallMutation *mutation = add_mutation (self);
  tall_mutation_delete_at (self->batch, mutation, self->now + DELETED_AT);
  g_ptr_array_add (list, tall_hbase_delete_new (mutation, TALL_CHANGE_DELETE_AT));
  return run_deletes (self, list, error);
}

static HbTDelete *
removal_new (SelfTest *self, TallSlice row, gint64 newest)
{
  TallMutation *mutation = tall_batch_add (self->batch, TALL_HBASE_SELF_TEST_TABLE, row);
  tall_mutation_delete_up_to (self->batch, mutation, newest);
  return tall_hbase_delete_new (mutation, TALL_CHANGE_DELETE_UP_TO);
}

/* Removes this test's row and all rows that others left. */
static gboolean
run_removal (SelfTest *self, GError **error)
{
  g_ptr_array_add (self->removed,
                   removal_new (self, tall_slice_array (self->row), self->now + DELETED_AT));
  return run_deletes (self, g_steal_pointer (&self->removed), error);
}

/* A row that another test is using is left alone. */
static void
add_left (SelfTest *self, const HbTResult *result)
{
  if (result->row == NULL || result->columnValues == NULL)
    return;

  gint64 newest = 0;
  TallSlice row = tall_slice_array (result->row);
  for (guint i = 0; i < result->columnValues->len; i++)
    {
      const HbTColumnValue *cell = g_ptr_array_index (result->columnValues, i);
      newest = MAX (newest, cell->timestamp);
    }
  if (tall_slice_has_prefix (row, tall_slice_str (PREFIX))
      && (newest < self->now - MAX_AGE
          || tall_slice_has_prefix (row, tall_slice_str (self->owner))))
    g_ptr_array_add (self->removed, removal_new (self, row, newest));
}

static gboolean
has_table (const SelfTest *self, gboolean *exists, GError **error)
{
  g_autoptr (HbTIOError) io = NULL;
  GError *reason = NULL;
  g_autoptr (HbTTableName) name =
      tall_hbase_names_get_table_name (self->names, TALL_HBASE_SELF_TEST_TABLE);
  return hb_gateway_client_table_exists (self->client, exists, name, &io, &reason)
         || fail (self, reason, io, error);
}

/* Finds what unfinished tests left. */
static gboolean
find_left (SelfTest *self, gboolean *exists, GError **error)
{
  g_autoptr (HbTIOError) io = NULL;
  GError *reason = NULL;
  g_autoptr (HbTScan) scan = g_object_new (HB_TYPE_T_SCAN, NULL);
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);
  scan->startRow = tall_hbase_bytes (tall_slice_str (PREFIX));
  scan->__isset_startRow = TRUE;
  scan->stopRow = tall_hbase_bytes (tall_slice_str (PREFIX_END));
  scan->__isset_stopRow = TRUE;

  *exists = TRUE;
  if (hb_gateway_client_get_scanner_results (self->client, &rows, self->table, scan, MAX_LEFT, &io,
                                             &reason))
    {
      for (guint i = 0; i < rows->len; i++)
        add_left (self, g_ptr_array_index (rows, i));
      return TRUE;
    }
  /* Most of HBase's errors about an absent table do not say what is wrong. */
  if (io != NULL && !has_table (self, exists, error))
    {
      g_clear_error (&reason);
      return FALSE;
    }
  if (io != NULL && !*exists)
    {
      g_clear_error (&reason);
      return TRUE;
    }
  return fail (self, reason, io, error);
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

/* Runs the test on a new row. FALSE as tall_hbase_self_test() says. */
static gboolean
try_out (TallHbaseLink *link, const TallHbaseNames *names, const char *owner, GError **error)
{
  g_autofree char *id = g_uuid_string_random ();
  g_autofree char *prefix = g_strconcat (PREFIX, owner, "/", NULL);
  g_autofree char *row = g_strconcat (prefix, id, NULL);
  g_auto (SelfTest) self = {
    .link = link,
    .client = tall_hbase_link_get_client (link),
    .names = names,
    .owner = prefix,
    .table = tall_hbase_names_get_table (names, TALL_HBASE_SELF_TEST_TABLE),
    .row = tall_hbase_bytes (tall_slice_str (row)),
    .now = g_get_real_time () / 1000,
    .batch = tall_batch_new (),
    .removed = g_ptr_array_new_with_free_func (g_object_unref),
  };
  gboolean exists = FALSE;

  if (!find_left (&self, &exists, error))
    return FALSE;
  if (!exists)
    return TRUE;

  gboolean ok = run_steps (&self, error) && run_delete_at (&self, error) && run_end (&self, error);
  /* The row is removed in any case; why the test failed counts more than a failed removal. */
  gboolean can_remove = !tall_connection_is_broken (link->connection);
  return can_remove && run_removal (&self, ok ? error : NULL) && ok;
}

/**
 * tall_hbase_self_test:
 * @owner: this process and gateway: begins the keys of rows; no two tests of it run at once
 * @deadline: of everything
 *
 * Tests whether the HBase behind a gateway does what the protocol of commits relies on: a check
 * that a cell must not exist, a comparison, puts at the same timestamp, and deletes of one
 * timestamp. These are eight small calls on a row of its own. The row is removed, together with
 * rows of unfinished tests. If there is no table yet, nothing is tested. If the connection breaks,
 * the next test with the same @owner removes the row.
 *
 * If HBase does something else, the test runs once more. A gateway may have repeated a call whose
 * answer it lost, and found that a check no longer holds; or a process whose clock is ahead may
 * have taken the row for one that was left.
 *
 * Returns: FALSE with %TALL_ERROR_UNSUPPORTED if it does something else, or why it cannot be known
 */
gboolean
tall_hbase_self_test (TallHbaseLink *link,
                      const TallHbaseNames *names,
                      const char *owner,
                      gint64 deadline,
                      GError **error)
{
  g_autoptr (GError) first = NULL;
  tall_connection_set_deadline (link->connection, deadline);
  if (try_out (link, names, owner, &first))
    return TRUE;
  /* If the connection broke in the second test, that is the error, and nothing is known. */
  if (g_error_matches (first, TALL_ERROR, TALL_ERROR_UNSUPPORTED))
    return try_out (link, names, owner, error);
  g_propagate_error (error, g_steal_pointer (&first));
  return FALSE;
}
