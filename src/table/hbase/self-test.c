/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/hbase/pool.h"

#include "base/fail.h"
#include "table/hbase/writer.h"
#include "table/hbase/convert.h"
#include "table/hbase/reply.h"

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
  const char *address;
  const TallHbaseNames *names;
  const char *owner; /* begins the key of its row, and of rows that earlier tests left */
  TallSlice table;   /* with its name in HBase */
  TallSlice row;
  gint64 now;       /* milliseconds; timestamps count from here */
  TallBatch *batch; /* holds the mutations */
  TallArena *arena; /* of what is sent and received */
  GArray *removed;  /* of TallHbaseTDelete: what others left */
} SelfTest;

typedef struct
{
  const char *qualifier;
  gint64 offset; /* of its timestamp from now */
  const char *value;
} Put;

#define MAX_PUTS 4
#define DELETED_AT 20

/* A conditional write, as commits make them, and the result that it must have. One that deletes,
 * too, is another call of the gateway than one that only puts. */
typedef struct
{
  gboolean deletes;
  const char *qualifier; /* of the cell that is compared */
  const char *expected;  /* of it; empty: it must not exist */
  gboolean matches;
  Put puts[MAX_PUTS];
} Step;

/* In the order in which they run. */
static const Step steps[] = {
  { TRUE,
    "s",
    "",
    TRUE,
    { { "s", 0, "1" },
      { "older", 5, "kept" },
      { "twice", 10, "first" },
      { "exact", 20, "gone" } } },
  { TRUE, "s", "", FALSE, { { "s", 1, "x" } } },
  { TRUE, "s", "2", FALSE, { { "s", 2, "x" } } },
  { TRUE, "s", "1", TRUE, { { "s", 3, "2" }, { "twice", 10, "second" } } },
  { FALSE, "p", "", TRUE, { { "p", 0, "1" } } },
  { FALSE, "p", "", FALSE, { { "p", 1, "x" } } },
  { FALSE, "p", "2", FALSE, { { "p", 2, "x" } } },
  { FALSE, "p", "1", TRUE, { { "p", 3, "2" } } },
};

/* What it means if a step has another result. */
static const char *
explain (const Step *step)
{
  if (step->expected[0] == '\0')
    return step->matches ? "a check for an absent cell does not hold where there is none"
                         : "a check for an absent cell holds where there is one";
  return step->matches ? "a comparison with the cell's value does not hold"
                       : "a comparison with another value holds";
}

/* What must be there in the end, after the cells of one timestamp were deleted. */
static const struct
{
  const char *qualifier;
  const char *value; /* NULL: it must be gone */
  const char *what;
} ends[] = {
  { "s", "2", "a conditional write leaves something else than it wrote" },
  { "p", "2", "a conditional put leaves something else than it wrote" },
  { "twice", "second", "of two puts at one timestamp the later one does not win" },
  { "exact", NULL, "a delete of one timestamp leaves its cells" },
  { "older", "kept", "a delete of one timestamp takes older cells along" },
};

static void
self_test_clear (SelfTest *self)
{
  g_clear_pointer (&self->batch, tall_batch_free);
  g_clear_pointer (&self->arena, tall_arena_free);
  g_clear_pointer (&self->removed, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SelfTest, self_test_clear)

static gboolean
fail (const SelfTest *self, GError *reason, const TallHbaseTIOError *io, GError **error)
{
  g_autoptr (GError) cause = reason;
  if (io == NULL)
    tall_transport_break (self->link->connection);
  tall_hbase_error_set (error, cause, io, self->address);
  g_prefix_error (error, "Trying out what HBase does: ");
  return FALSE;
}

static gboolean
refuse (const SelfTest *self, const char *what, GError **error)
{
  return tall_error_fail_detailed (error, TALL_ERROR_UNSUPPORTED, self->address,
                                   "the gateway is refused, as orders would not be safe: %s. Use "
                                   "HBase 2.2 or newer and its own \"hbase thrift2\"",
                                   what);
}

static gboolean
run_step (SelfTest *self, const Step *step, GError **error)
{
  TallSlice expected = tall_slice_str (step->expected);
  TallMutation *mutation = tall_batch_add (self->batch, TALL_HBASE_SELF_TEST_TABLE, self->row);
  if (step->deletes)
    tall_mutation_delete_up_to (self->batch, mutation, self->now - 1);
  for (guint i = 0; i < MAX_PUTS && step->puts[i].qualifier != NULL; i++)
    tall_mutation_put (self->batch, mutation, tall_slice_str (step->puts[i].qualifier),
                       self->now + step->puts[i].offset, tall_slice_str (step->puts[i].value));
  const TallConditionalWrite write = {
    .mutations = &mutation,
    .n = 1,
    .qualifier = tall_slice_str (step->qualifier),
    .expected = expected.len > 0 ? &expected : NULL,
  };
  TallHbaseReceiver receiver = { self->arena, NULL, NULL };
  TallHbaseArgs args;
  TallHbaseResult result;
  GError *reason = NULL;
  TallHbaseMethodId method = tall_hbase_make_apply_if (&write, &args, self->arena);
  args.table = self->table;
  if (!tall_hbase_exchange (self->link->connection, method, &args, &receiver, &result, &reason))
    return fail (self, reason, result.io, error);
  return result.yes == step->matches || refuse (self, explain (step), error);
}

static gboolean
count_failed (TallStructReader *reader,
              const TallStructType *type G_GNUC_UNUSED,
              gconstpointer element G_GNUC_UNUSED,
              GError **error G_GNUC_UNUSED)
{
  (*(guint *)reader->sink)++;
  return TRUE;
}

static gboolean
run_deletes (SelfTest *self, const TallHbaseTDelete *deletes, guint n, GError **error)
{
  static const TallStructHandler handler = { NULL, count_failed };
  guint n_failed = 0;
  TallHbaseReceiver receiver = { self->arena, &handler, &n_failed };
  TallHbaseArgs args = { .table = self->table, .deletes = deletes, .n_deletes = n };
  TallHbaseResult result;
  GError *reason = NULL;
  if (!tall_hbase_exchange (self->link->connection, TALL_HBASE_DELETE_MULTIPLE, &args, &receiver,
                            &result, &reason))
    return fail (self, reason, result.io, error);
  if (n_failed > 0)
    tall_error_set_detailed (error, TALL_ERROR_UNAVAILABLE, self->address,
                             "Trying out what HBase does: %u deletes in table %s failed", n_failed,
                             TALL_HBASE_SELF_TEST_TABLE);
  return n_failed == 0;
}

/* Deletes at a timestamp, or up to it. */
static TallHbaseTDelete
make_delete (SelfTest *self, TallSlice row, TallChangeKind kind, gint64 timestamp)
{
  TallHbaseTDelete delete;
  TallMutation *mutation = tall_batch_add (self->batch, TALL_HBASE_SELF_TEST_TABLE, row);
  if (kind == TALL_CHANGE_DELETE_AT)
    tall_mutation_delete_at (self->batch, mutation, timestamp);
  else
    tall_mutation_delete_up_to (self->batch, mutation, timestamp);
  tall_hbase_t_delete_init (&delete, mutation, kind, self->arena);
  return delete;
}

static void
add_removal (SelfTest *self, TallSlice row, gint64 newest)
{
  TallHbaseTDelete delete = make_delete (self, row, TALL_CHANGE_DELETE_UP_TO, newest);
  g_array_append_val (self->removed, delete);
}

/* A row that another test is using is left alone. */
static void
add_left (SelfTest *self, const TallRow *row)
{
  gint64 newest = 0;
  for (guint i = 0; i < row->n_cells; i++)
    newest = MAX (newest, row->cells[i].timestamp);
  if (tall_slice_has_prefix (row->key, tall_slice_str (PREFIX))
      && (newest < self->now - MAX_AGE
          || tall_slice_has_prefix (row->key, tall_slice_str (self->owner))))
    add_removal (self, row->key, newest);
}

/* Finds what unfinished tests left. Most of HBase's errors about an absent table do not say what is
 * wrong, so HBase is asked. */
static gboolean
find_left (SelfTest *self, gboolean *exists, GError **error)
{
  const TallHbaseTScan scan = { .start_row = tall_slice_str (PREFIX),
                                .stop_row = tall_slice_str (PREFIX_END),
                                .max_versions = 1,
                                .limit = MAX_LEFT };
  TallHbaseArgs args = { .table = self->table, .scan = &scan, .n_rows = MAX_LEFT };
  g_auto (TallHbaseReply) rows;
  TallHbaseTIOError *io = NULL;
  GError *reason = NULL;

  *exists = TRUE;
  tall_hbase_reply_init (&rows, self->arena);
  if (tall_hbase_send (self->link->connection, TALL_HBASE_GET_SCANNER_RESULTS, &args, &reason)
      && tall_hbase_reply_read (&rows, self->link->connection, TALL_HBASE_GET_SCANNER_RESULTS,
                                MAX_LEFT, &io, &reason))
    {
      for (guint i = 0; i < rows.rows->len; i++)
        add_left (self, tall_hbase_reply_get_row (&rows, i));
      return TRUE;
    }
  if (io != NULL
      && !tall_hbase_link_ask (self->link, TALL_HBASE_TABLE_EXISTS, self->names,
                               TALL_HBASE_SELF_TEST_TABLE, exists, &reason)
      && reason != NULL)
    return fail (self, reason, NULL, error);
  return !*exists || fail (self, reason, io, error);
}

/* Reads what is there in the end. */
static gboolean
check_end (SelfTest *self, GError **error)
{
  const TallHbaseTGet get = { .row = self->row, .max_versions = 1 };
  TallHbaseArgs args = { .table = self->table, .get = &get };
  g_auto (TallHbaseReply) reply;
  TallHbaseTIOError *io = NULL;
  GError *reason = NULL;

  tall_hbase_reply_init (&reply, self->arena);
  if (!tall_hbase_send (self->link->connection, TALL_HBASE_GET, &args, &reason)
      || !tall_hbase_reply_read (&reply, self->link->connection, TALL_HBASE_GET, 1, &io, &reason))
    return fail (self, reason, io, error);
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      const TallCell *cell = tall_row_find_latest (tall_hbase_reply_get_row (&reply, 0),
                                                   tall_slice_str (ends[i].qualifier));
      const char *value = ends[i].value;
      if ((cell == NULL) != (value == NULL)
          || (cell != NULL && !tall_slice_equal (cell->value, tall_slice_str (value))))
        return refuse (self, ends[i].what, error);
    }
  return TRUE;
}

static gboolean
run_all (SelfTest *self, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    if (!run_step (self, &steps[i], error))
      return FALSE;
  TallHbaseTDelete delete =
      make_delete (self, self->row, TALL_CHANGE_DELETE_AT, self->now + DELETED_AT);
  return run_deletes (self, &delete, 1, error) && check_end (self, error);
}

/* Runs the test on a new row. FALSE as tall_hbase_self_test() says. */
static gboolean
try_out (TallHbaseLink *link, const TallHbaseNames *names, const char *owner, GError **error)
{
  g_autofree char *id = g_uuid_string_random ();
  g_autofree char *prefix = g_strconcat (PREFIX, owner, "/", NULL);
  g_autofree char *row = g_strconcat (prefix, id, NULL);
  TallArena *arena = tall_arena_new (0);
  g_auto (SelfTest) self = {
    .link = link,
    .address = tall_transport_get_peer (link->connection),
    .names = names,
    .owner = prefix,
    .table = tall_hbase_names_get_table (names, TALL_HBASE_SELF_TEST_TABLE, arena),
    .row = tall_slice_str (row),
    .now = g_get_real_time () / 1000,
    .batch = tall_batch_new (),
    .arena = arena,
    .removed = g_array_new (FALSE, FALSE, sizeof (TallHbaseTDelete)),
  };
  gboolean exists = FALSE;

  if (!find_left (&self, &exists, error))
    return FALSE;
  if (!exists)
    return TRUE;

  gboolean ok = run_all (&self, error);
  /* The row is removed in any case; why the test failed counts more than a failed removal. */
  gboolean can_remove = !tall_transport_is_broken (link->connection);
  add_removal (&self, self.row, self.now + DELETED_AT);
  return can_remove
         && run_deletes (&self, (const TallHbaseTDelete *)self.removed->data, self.removed->len,
                         ok ? error : NULL)
         && ok;
}

/**
 * tall_hbase_self_test:
 * @owner: this process and gateway: begins the keys of rows; no two tests of it run at once
 * @deadline: of everything
 *
 * Tests whether the HBase behind a gateway does what the protocol of commits relies on: a check
 * that a cell must not exist, a comparison, puts at the same timestamp, and deletes of one
 * timestamp. These are twelve small calls on a row of its own. The row is removed, together with
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
  tall_transport_set_deadline (link->connection, deadline);
  if (try_out (link, names, owner, &first))
    return TRUE;
  /* If the connection broke in the second test, that is the error, and nothing is known. */
  if (g_error_matches (first, TALL_ERROR, TALL_ERROR_UNSUPPORTED))
    return try_out (link, names, owner, error);
  g_propagate_error (error, g_steal_pointer (&first));
  return FALSE;
}
