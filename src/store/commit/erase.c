/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/fail.h"
#include "store/commit/children.h"
#include "store/commit/put.h"
#include "store/follow.h"
#include "store/read/index.h"
#include "store/verify/verify.h"
#include "tall-limits.h"

#define PART_TIME G_USEC_PER_SEC
#define PAGE_ROWS 256
#define PAGE_BYTES (1 << 20)

/* Milliseconds in which calls that were under way come to their end: of this process alone, and of
 * others, behind gateways that may still do what was given up. */
#define OWN_PATIENCE (TALL_VERIFY_PATIENCE / 1000)
#define PATIENCE 60000

/* So often new orders are looked for. */
#define MOST_ROUNDS 5

/* A cursor, behind its seal:
 *
 *     u8 Phase, u8 flags, u8 round, u64 value, place
 */
#define CURSOR "erase 3"

typedef enum
{
  PHASE_DELETE, /* tombstones that still say whose they are, so that a migration copies them */
  PHASE_WAIT,   /* value: until when, in milliseconds since the epoch */
  PHASE_REMOVE, /* tombstones that say nothing, and all other rows */
  PHASE_HINTS,
  PHASE_ENTRIES, /* all of the table, as nobody knows how the customer's entries begin */
  PHASE_IDS,
  PHASE_COMPACT, /* value: the ticket */
  PHASE_END,
} Phase;

enum
{
  FLAG_FOUND = 1,     /* something was stored under the number */
  FLAG_AGAIN = 2,     /* something new was stored meanwhile */
  FLAG_LEFT = 4,      /* something cannot be read, and stays */
  FLAG_COMPACTED = 8, /* so nothing of it is in files any more */
  FLAG_EARLY = 16,    /* nothing was found that had to be waited for */
};

/* One part of an erase on its way. */
typedef struct
{
  const TallStoreContext *context;
  const TallEraseRequest *request;
  TallErasePart *part;
  TallOperation operation; /* on the customer */
  guint8 phase;
  guint8 flags;
  guint8 round;
  guint64 value;
  gint64 until; /* g_get_monotonic_time() */
} Erase;

static void
erase_clear (Erase *self)
{
  tall_operation_clear (&self->operation);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Erase, erase_clear)

/* An order, or the customer: all of its rows, and what its root row says. */
typedef struct
{
  const TallVerifyGroup *group;
  TallArena *arena;        /* owned */
  TallOperation operation; /* without the number of an order whose rows do not say it */
  TallRoot root;
  const TallRow *row; /* the root row; NULL: there is none */
  gboolean is_known;  /* the row says whose it is */
  gboolean is_others;
  gint64 latest; /* timestamp in all that is there */
} Target;

static void
target_clear (Target *self)
{
  tall_operation_clear (&self->operation);
  tall_root_clear (&self->root);
  tall_arena_free (self->arena);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Target, target_clear)

/* A migration that begins between the look at the record and a write finds tombstones, or nothing.
 * One that runs may have copied an order, and would not learn from an empty tombstone that it is
 * gone. */
static gboolean
check_settled (const Erase *self, GError **error)
{
  TallFollower *follower = self->context->follower;
  if (follower == NULL)
    return TRUE;
  g_autoptr (TallDeployment) record =
      tall_follower_read_record (follower, tall_verify_deadline (), error);
  if (record == NULL)
    return FALSE;
  if (record->migration.phase == TALL_MIGRATION_NONE
      && record->migration.generation == self->context->generation)
    return TRUE;
  return tall_error_fail_conflict (error, 0,
                                   "a migration is under way, or has moved everything meanwhile; "
                                   "when it has ended, or was aborted, erase again");
}

static void
find_root (Target *self, const Erase *erase, const TallVerifyGroup *group)
{
  TallOperation *operation = &self->operation;
  tall_operation_init (operation, erase->context, erase->request->customer_number,
                       group->order.len > 0 ? "" : NULL, 0);
  operation->deadline = tall_verify_deadline ();
  tall_order_key_init_from_parts (&operation->key, group->customer, group->order);
  operation->root_row = g_byte_array_new ();
  const TallLayout *layout = erase->context->layout;
  operation->root_table = group->order.len > 0
                              ? layout->locate_order (&operation->key, operation->root_row)
                              : layout->locate_customer (&operation->key, operation->root_row);
  for (guint i = 0; i < group->n_tables; i++)
    for (guint j = 0; j < group->rows[i]->len; j++)
      {
        const TallRow *row = &g_array_index (group->rows[i], TallRow, j);
        self->latest = MAX (self->latest, tall_repair_find_latest (row));
        if (tall_operation_is_root (operation, group->tables[i], row->key))
          self->row = row;
      }
}

static gboolean
read_numbers (Target *self, TallSlice summary, GError **error)
{
  const char *customer_number;
  if (!tall_root_parse_numbers (summary, self->operation.order_number != NULL, self->arena,
                                &customer_number, &self->operation.order_number, error))
    return FALSE;
  self->is_known = TRUE;
  self->is_others = !g_str_equal (customer_number, self->operation.customer_number);
  return TRUE;
}

/* FALSE if the root row cannot be read. What says nothing of its owner is the customer's, as its
 * row key is. */
static gboolean
target_init (Target *self, const Erase *erase, const TallVerifyGroup *group, GError **error)
{
  TallSlice summary;
  *self = (Target){ .group = group, .arena = tall_arena_new (0) };
  find_root (self, erase, group);
  return tall_root_parse_state (&self->root, self->row, &summary, error)
         && (summary.len == 0 || read_numbers (self, summary, error));
}

/* Whether there is a tombstone, later than all that is there; @emptied: and nothing else. */
static gboolean
is_buried (const Target *self, gboolean emptied)
{
  const TallRoot *root = &self->root;
  return root->exists && !root->state.live && root->state.revision > 0 && root->state.pending == 0
         && root->timestamp == root->state.revision && self->latest <= root->state.revision
         && (!emptied || self->row->n_cells == 1);
}

static void
count (Erase *self, const Target *target, gboolean was_live)
{
  TallEraseCounts *counts = &self->part->counts;
  if (was_live && target->operation.order_number != NULL)
    counts->n_orders++;
  else if (was_live)
    counts->n_customers++;
  else if (self->phase != PHASE_DELETE)
    counts->n_marks++;
}

/* Makes the root row a tombstone, later than all that is there, so that nobody commits any more
 * what was begun before. What is live is never emptied at once: the next round does that, when no
 * migration can have copied it. @dead: (out): up to which revision nothing counts; 0: another
 * writer came first */
static gboolean
bury (Erase *self, Target *target, gint64 *dead, GError **error)
{
  const TallStoreHooks *hooks = &self->context->hooks;
  TallState wanted = { .schema = TALL_FIRST_SCHEMA, .sales_date = TALL_NO_DATE };
  gboolean is_first = self->phase == PHASE_DELETE;
  gboolean was_live = target->root.exists && target->root.state.live;
  g_autoptr (TallBatch) batch = tall_batch_new ();

  gint64 after = MAX (tall_operation_now (&target->operation), target->latest + 1);
  wanted.revision = tall_root_next_revision (&target->root, after);
  if (target->latest >= TALL_LATEST_REVISION || wanted.revision > TALL_LATEST_REVISION)
    {
      self->flags |= FLAG_LEFT;
      return TRUE;
    }
  if (!is_first && !check_settled (self, error))
    return FALSE;
  GError *cause = NULL;
  hooks->make_token (wanted.token, hooks->data);
  tall_state_set_lineage (&wanted, &target->operation, &target->root);
  tall_tombstone_append (&target->operation, &wanted, target->is_known && (is_first || was_live),
                         batch);
  switch (tall_children_commit (&target->operation, &target->root, NULL, &wanted, batch, &cause))
    {
    case TALL_STEP_DONE:
      *dead = wanted.revision;
      self->part->counts.n_rows += batch->mutations->len - 1;
      count (self, target, was_live);
      if (!is_first && was_live)
        self->flags |= FLAG_AGAIN;
      return TRUE;
    case TALL_STEP_AGAIN:
      self->flags |= FLAG_AGAIN;
      return TRUE;
    case TALL_STEP_FAILED:
    default:
      break;
    }
  if (!tall_error_is_unreadable (cause))
    {
      g_propagate_error (error, cause);
      return FALSE;
    }
  g_error_free (cause); /* the root row is among those that cannot be read */
  self->flags |= FLAG_LEFT;
  return TRUE;
}

static gboolean
apply (const Erase *self, const TallBatch *batch, GError **error)
{
  return batch->mutations->len == 0
         || tall_table_apply (self->context->table, (TallMutation *const *)batch->mutations->pdata,
                              batch->mutations->len, TALL_DURABLE, tall_verify_deadline (), error);
}

static gboolean
remove_children (Erase *self, const Target *target, gint64 dead, GError **error)
{
  const TallVerifyGroup *group = target->group;
  g_autoptr (TallBatch) batch = tall_batch_new ();
  for (guint i = 0; i < group->n_tables; i++)
    for (guint j = 0; j < group->rows[i]->len; j++)
      {
        const TallRow *row = &g_array_index (group->rows[i], TallRow, j);
        if (!tall_operation_is_root (&target->operation, group->tables[i], row->key))
          tall_mutation_delete_up_to (batch, tall_batch_add (batch, group->tables[i], row->key),
                                      dead);
      }
  self->part->counts.n_rows += batch->mutations->len;
  return apply (self, batch, error);
}

/* @latest: of what leads to these rows
 * @dead: (out): up to which revision nothing of them counts; 0: they stay */
static gboolean
take_group (Erase *self, const TallVerifyGroup *group, gint64 latest, gint64 *dead, GError **error)
{
  g_auto (Target) target = { 0 };
  *dead = 0;
  if (!target_init (&target, self, group, NULL))
    {
      self->flags |= FLAG_FOUND | FLAG_LEFT;
      return TRUE;
    }
  if (target.is_others)
    return TRUE;
  self->flags |= FLAG_FOUND;
  target.latest = MAX (target.latest, latest);
  if (is_buried (&target, self->phase != PHASE_DELETE))
    *dead = target.root.state.revision;
  else if (!bury (self, &target, dead, error))
    return FALSE;
  return *dead == 0 || remove_children (self, &target, *dead, error);
}

static gboolean
is_over (const Erase *self)
{
  return g_get_monotonic_time () >= self->until;
}

/* Rows of no order stay: they may be anybody's. So do those that cannot be read. */
static void
pass_strays (Erase *self, const GArray *strays)
{
  for (guint i = 0; i < strays->len; i++)
    self->flags |= g_array_index (strays, TallVerifyStray, i).cause != NULL ? FLAG_FOUND | FLAG_LEFT
                                                                            : FLAG_LEFT;
}

/* All of the customer, in all tables of the layout. */
static gboolean
walk_rows (Erase *self, TallReader *place, GByteArray *next, GError **error)
{
  TallSlice customer = self->operation.key.customer;
  g_autoptr (TallVerifyScan) scan = tall_verify_scan_new (self->context, customer);
  if (place->rest.len > 0)
    tall_verify_scan_go_to (scan, place);
  for (;;)
    {
      gint64 dead;
      g_autoptr (GError) cause = NULL;
      const TallVerifyGroup *group = tall_verify_scan_next (scan, &cause);
      if (cause != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&cause));
          return FALSE;
        }
      if (group == NULL)
        break;
      pass_strays (self, group->strays);
      if (group->customer.len == 0)
        continue;
      if (!take_group (self, group, 0, &dead, error))
        return FALSE;
      if (is_over (self))
        {
          tall_verify_scan_append_place (scan, next);
          break;
        }
    }
  return TRUE;
}

/* Whether the hint is of the customer. Nobody knows that of an entry that names nobody. */
static gboolean
is_of_customer (const Erase *self, const TallVerifySubject *pair, const TallRow *row)
{
  g_autofree char *customer = NULL;
  g_autofree char *order = NULL;
  return pair->of_customers
         || (tall_template_split_key (row->key, &customer, &order)
             && g_str_equal (customer, self->request->customer_number));
}

static gboolean
take_hint (Erase *self,
           const TallVerifySubject *pair,
           const TallRow *row,
           TallBatch *batch,
           GError **error)
{
  gint64 dead;
  const TallVerifyGroup *group;
  g_auto (TallOrderKey) key = { 0 };
  g_autoptr (GError) cause = NULL;
  if (!is_of_customer (self, pair, row))
    return TRUE;
  if (!pair->find_order (self->context, row->key, &key, &cause) && cause == NULL)
    {
      self->flags |= FLAG_LEFT;
      return TRUE;
    }
  g_autoptr (TallVerifyScan) scan =
      cause == NULL ? tall_verify_scan_read (self->context, key.customer, key.order, &group, &cause)
                    : NULL;
  if (scan == NULL && !tall_error_is_unreadable (cause))
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  if (scan == NULL)
    {
      self->flags |= FLAG_LEFT;
      return TRUE;
    }
  if (!take_group (self, group, tall_repair_find_latest (row), &dead, error))
    return FALSE;
  if (dead > 0)
    tall_mutation_delete_up_to (batch, tall_batch_add (batch, pair->table, row->key), dead);
  return TRUE;
}

static gboolean
take_hints (Erase *self, const TallVerifySubject *pair, const TallRows *rows, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  for (guint i = 0; i < rows->n_rows; i++)
    if (!take_hint (self, pair, &rows->rows[i], batch, error))
      return FALSE;
  self->part->counts.n_rows += batch->mutations->len;
  return apply (self, batch, error);
}

static gboolean
walk_hints (
    Erase *self, const TallVerifySubject *pair, TallReader *place, GByteArray *next, GError **error)
{
  TallSlice customer = tall_slice (NULL, 0);
  g_autoptr (TallArena) arena = tall_arena_new (0);
  g_auto (TallVerifyPages) pages = { .in = self->context->table, .table = pair->table };
  if (!pair->is_there (self->context))
    return TRUE;
  if (pair->of_customers)
    {
      customer = self->operation.key.customer;
      pages.stop = tall_slice_after_prefix (arena, customer);
    }
  pages.limit = PAGE_ROWS;
  pages.next = g_byte_array_new ();
  tall_bytes_set (pages.next, place->rest.len > 0 ? place->rest : customer);
  while (!pages.ended)
    {
      g_auto (TallVerifyStray) gap = { 0 };
      g_autoptr (TallReadResult) result = tall_verify_pages_read (&pages, &gap, error);
      if (gap.cause != NULL)
        self->flags |= FLAG_FOUND | FLAG_LEFT;
      else if (result == NULL || !take_hints (self, pair, &result->results[0], error))
        return FALSE;
      if (!pages.ended && is_over (self))
        {
          tall_bytes_append (next, tall_slice_array (pages.next));
          break;
        }
    }
  return TRUE;
}

static void
get_info (const Erase *self, TallTableInfo *info)
{
  tall_table_get_info (self->context->table, info);
}

static gboolean
is_alone (const Erase *self)
{
  TallTableInfo info = { 0 };
  get_info (self, &info);
  return self->request->alone && info.is_exclusive;
}

static guint64
now (const Erase *self)
{
  return (guint64)tall_operation_now (&self->operation);
}

static void
begin_wait (Erase *self)
{
  TallTableInfo info = { 0 };
  get_info (self, &info);
  guint64 patience = info.is_exclusive ? OWN_PATIENCE : PATIENCE;
  self->phase = PHASE_WAIT;
  self->value = now (self) + (is_alone (self) ? 0 : patience);
}

/* What was stored again meanwhile is erased, too; but not for ever. */
static gboolean
end_round (Erase *self, GError **error)
{
  gboolean was_early = (self->flags & FLAG_EARLY) != 0 && (self->flags & FLAG_FOUND) != 0;
  self->phase = PHASE_IDS;
  self->value = 0;
  if ((self->flags & FLAG_AGAIN) == 0 && !was_early)
    return TRUE;
  self->flags &= (guint8) ~(FLAG_AGAIN | FLAG_EARLY);
  begin_wait (self);
  if (++self->round < MOST_ROUNDS)
    return TRUE;
  return tall_error_fail_conflict (
      error, 0,
      "orders of the customer are still being stored; stop what stores them, then erase again");
}

static gboolean
compact (Erase *self, gboolean *waits, GError **error)
{
  gboolean done = TRUE;
  if (self->request->compact
      && !tall_table_compact (self->context->table, is_alone (self), &self->value, &done, error))
    return FALSE;
  *waits = !done;
  if (done && self->request->compact && self->value != 0)
    self->flags |= FLAG_COMPACTED;
  if (done)
    self->phase = PHASE_END;
  else
    self->part->wait = is_alone (self) ? 100 : 1000;
  return TRUE;
}

static gboolean
begin_ids (const Erase *self, GError **error)
{
  return self->context->ids == NULL
         || tall_ids_begin_erase (self->context->ids, self->request->customer_number,
                                  self->operation.customer_id, tall_verify_deadline (), error);
}

static gboolean
walk_ids (Erase *self, TallReader *place, GByteArray *next, GError **error)
{
  TallIds *ids = self->context->ids;
  const char *number = self->request->customer_number;
  gboolean ended = FALSE;
  if (!tall_ids_erase (ids, number, &self->part->counts.n_rows, tall_verify_deadline (), error))
    return FALSE;
  tall_bytes_set (next, place->rest);
  do
    if (!tall_ids_erase_ways_back (ids, number, next, &ended, tall_verify_deadline (), error))
      return FALSE;
  while (!ended && !is_over (self));
  if (ended)
    g_byte_array_set_size (next, 0);
  return TRUE;
}

/* One phase, or a part of it. @next: where it goes on */
static gboolean
run_phase (Erase *self, TallReader *place, GByteArray *next, gboolean *waits, GError **error)
{
  guint64 moment = now (self);
  switch ((Phase)self->phase)
    {
    case PHASE_DELETE:
      if ((place->rest.len == 0 && !begin_ids (self, error))
          || !walk_rows (self, place, next, error))
        return FALSE;
      self->flags &= (guint8)~FLAG_AGAIN; /* the next phase meets it */
      if (next->len == 0 && (self->flags & FLAG_FOUND) != 0)
        begin_wait (self);
      else if (next->len == 0)
        {
          self->flags |= FLAG_EARLY;
          self->phase = PHASE_HINTS;
        }
      return TRUE;
    case PHASE_WAIT:
      *waits = moment < self->value;
      self->part->wait = *waits ? (guint)MIN (self->value - moment, PATIENCE) : 0;
      if (!*waits)
        self->phase = PHASE_REMOVE;
      return TRUE;
    case PHASE_REMOVE:
      if (!walk_rows (self, place, next, error))
        return FALSE;
      if (next->len == 0)
        self->phase = PHASE_HINTS;
      return TRUE;
    case PHASE_HINTS:
      if (!walk_hints (self, &tall_verify_hints, place, next, error))
        return FALSE;
      if (next->len == 0)
        self->phase = PHASE_ENTRIES;
      return TRUE;
    case PHASE_ENTRIES:
      return walk_hints (self, &tall_verify_entries, place, next, error)
             && (next->len > 0 || end_round (self, error));
    case PHASE_IDS:
      if (self->context->ids != NULL && !walk_ids (self, place, next, error))
        return FALSE;
      if (next->len == 0)
        self->phase = PHASE_COMPACT;
      return TRUE;
    case PHASE_COMPACT:
      return compact (self, waits, error);
    case PHASE_END:
    default:
      return TRUE;
    }
}

static gboolean
read_cursor (Erase *self, TallReader *cursor, GError **error)
{
  if (cursor->rest.len == 0)
    return TRUE;
  if (!tall_cursor_open (self->context, CURSOR, self->request->customer_number, cursor))
    return tall_error_fail_invalid (error, "cursor",
                                    "this cursor is not of an erase of this customer in the tables "
                                    "that count now; begin again");
  self->phase = tall_reader_u8 (cursor);
  self->flags = tall_reader_u8 (cursor);
  self->round = tall_reader_u8 (cursor);
  self->value = tall_reader_u64 (cursor);
  return TRUE;
}

static void
write_cursor (Erase *self, TallSlice place)
{
  g_autoptr (GByteArray) cursor = g_byte_array_new ();
  tall_bytes_append_u8 (cursor, self->phase);
  tall_bytes_append_u8 (cursor, self->flags);
  tall_bytes_append_u8 (cursor, self->round);
  tall_bytes_append_u64 (cursor, self->value);
  tall_bytes_append (cursor, place);
  self->part->cursor = tall_cursor_seal (self->context, CURSOR, self->request->customer_number,
                                         tall_slice_array (cursor), self->part->arena);
}

static TallEraseStage
get_stage (const Erase *self)
{
  static const TallEraseStage stages[] = {
    [PHASE_DELETE] = TALL_ERASE_DELETING,    [PHASE_WAIT] = TALL_ERASE_WAITING,
    [PHASE_REMOVE] = TALL_ERASE_REMOVING,    [PHASE_HINTS] = TALL_ERASE_REMOVING,
    [PHASE_ENTRIES] = TALL_ERASE_REMOVING,   [PHASE_IDS] = TALL_ERASE_REMOVING,
    [PHASE_COMPACT] = TALL_ERASE_COMPACTING, [PHASE_END] = TALL_ERASE_DONE,
  };
  return stages[self->phase];
}

/* Whether the row keys have the number in them, as it is or backwards. */
static gboolean
keys_have_number (const Erase *self)
{
  const char *number = self->request->customer_number;
  TallSlice part = self->operation.key.customer;
  gsize len = strlen (number);
  g_autofree char *backwards = g_strdup (number);
  for (gsize i = 0; i < len; i++)
    backwards[i] = number[len - 1 - i];
  return memmem (part.data, part.len, number, len) != NULL
         || memmem (part.data, part.len, backwards, len) != NULL;
}

/* What is left, and where. */
static void
describe_left (Erase *self)
{
  TallTableInfo info = { 0 };
  g_autoptr (GPtrArray) left = g_ptr_array_new_with_free_func (g_free);
  guint n_unused = tall_verify_count_unused (self->context);
  get_info (self, &info);
  if (n_unused > 0)
    g_ptr_array_add (left, g_strdup_printf ("%u tables that a migration has left still have all of "
                                            "it: `tallorder migrate --drop-source` removes them",
                                            n_unused));
  g_ptr_array_add (
      left,
      g_strdup (
          keys_have_number (self)
              ? "A mark of each order that was deleted stays, so that no late call brings it back; "
                "its row key has the numbers of customer and order. They go with a migration"
              : "A mark of each order that was deleted stays, so that no late call brings it back; "
                "it has no number and no text, but its row key is made of MD5s of the numbers, or "
                "of an id"));
  const char *keeps =
      (self->flags & FLAG_COMPACTED) != 0 ? info.keeps_compacted : info.keeps_deleted;
  if (keeps != NULL)
    g_ptr_array_add (left, g_strdup (keeps));
  g_ptr_array_add (left, g_strdup ("Backups, snapshots, exports, files that were loaded, their "
                                   "rejected rows, and logs are yours to look through"));
  self->part->n_left = left->len;
  self->part->left = tall_arena_newa0 (self->part->arena, char *, left->len);
  for (guint i = 0; i < left->len; i++)
    self->part->left[i] = tall_arena_strdup (self->part->arena, g_ptr_array_index (left, i));
}

static gboolean
finish (Erase *self, GError **error)
{
  if ((self->flags & FLAG_FOUND) == 0)
    return tall_operation_set_not_found (&self->operation, error);
  if ((self->flags & FLAG_LEFT) == 0)
    {
      describe_left (self);
      return TRUE;
    }
  return tall_error_fail (error, TALL_ERROR_DAMAGED,
                          "rows that cannot be read stay, all else is erased; `tallorder verify "
                          "--customer` names them: mend them, then erase again");
}

static gboolean
run (Erase *self, GError **error)
{
  TallReader place = tall_reader (self->request->cursor);
  g_autoptr (GByteArray) next = g_byte_array_new ();
  gboolean waits = FALSE;
  if (!read_cursor (self, &place, error) || !check_settled (self, error))
    return FALSE;
  /* From here on, so that every part comes further. */
  self->until = g_get_monotonic_time () + PART_TIME;
  while (self->phase != PHASE_END && !waits && next->len == 0)
    {
      if (!run_phase (self, &place, next, &waits, error))
        return FALSE;
      place = tall_reader ((TallSlice)TALL_SLICE_INIT);
    }
  self->part->stage = get_stage (self);
  if (self->phase == PHASE_END)
    return finish (self, error);
  write_cursor (self, tall_slice_array (next));
  return TRUE;
}

/**
 * tall_erase_part:
 * @request: checked by tall_front_erase_some()
 *
 * Does one part of an erase. First everything is deleted as usual. When calls that were under way
 * have ended, tombstones lose their text, and all else goes that they and such calls have left. In
 * between, nothing that is live is ever without a tombstone that says whose it was, so that a
 * migration which begins meanwhile takes nothing over.
 *
 * Returns: (transfer full): what it has done; NULL with %TALL_ERROR_NOT_FOUND if nothing is there
 *   under the number, not even a tombstone, %TALL_ERROR_CONFLICT if a migration is under way or
 * orders are still being stored, %TALL_ERROR_INVALID (the cursor), %TALL_ERROR_DAMAGED at the end
 * if something stays, or with what the table says: it may be asked for again then
 */
TallErasePart *
tall_erase_part (const TallStoreContext *context, const TallEraseRequest *request, GError **error)
{
  g_autoptr (TallErasePart) part = g_new0 (TallErasePart, 1);
  part->arena = tall_arena_new (0);
  g_auto (Erase) self = { .context = context, .request = request, .part = part };
  tall_operation_init (&self.operation, context, request->customer_number, NULL, 0);
  self.operation.deadline = tall_verify_deadline ();
  if (!tall_operation_identify (&self.operation, FALSE, error) || !run (&self, error))
    return NULL;
  return g_steal_pointer (&part);
}
