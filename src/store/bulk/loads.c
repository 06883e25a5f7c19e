/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/bulk/loads.h"

#include "base/fail.h"
#include "store/record/deployment.h"
#include "store/commit/root.h"
#include "store/record/tables.h"

/* Revisions that are taken at once. */
#define TAKEN_AT_ONCE 4096

#define TIME (10 * G_USEC_PER_SEC)

/* Between tries to take them, when others take some at the same time. Microseconds. */
#define FIRST_WAIT 1000
#define LONGEST_WAIT 100000
#define MAX_UNKNOWN 3 /* answers in a row that are lost */

#define COLUMN_LAST tall_slice_str (TALL_COLUMN_BULK_REVISION)

#define ROW_PREFIX "load/"
#define COLUMN_NAME tall_slice_str ("name")
#define COLUMN_BEGUN tall_slice_str ("begun")
#define COLUMN_STORED tall_slice_str ("stored")

/* A timestamp, also by a clock that stands at the beginning of time. */
static gint64
find_now (const TallLoads *self)
{
  const TallStoreHooks *hooks = &self->context->hooks;
  return MAX (hooks->now (hooks->data), 1);
}

void
tall_load_revisions_init (TallLoadRevisions *self)
{
  *self = (TallLoadRevisions){ 0 };
  g_mutex_init (&self->mutex);
}

void
tall_load_revisions_clear (TallLoadRevisions *self)
{
  g_mutex_clear (&self->mutex);
}

/**
 * tall_loads_init:
 * @context: must outlive @self, as must @revisions
 * @revisions: of all loads of the store
 * @name: (nullable): what is loaded
 */
void
tall_loads_init (TallLoads *self,
                 const TallStoreContext *context,
                 TallLoadRevisions *revisions,
                 const char *name)
{
  *self = (TallLoads){ .context = context,
                       .revisions = revisions,
                       .name = g_strdup (name),
                       .made = g_get_monotonic_time () };
  g_mutex_init (&self->mutex);
}

void
tall_loads_clear (TallLoads *self)
{
  g_free (self->name);
  g_mutex_clear (&self->mutex);
}

/* What the record says was taken last. @cell: (out): of the record, in @arena; NULL: there is none
 */
static gboolean
read_last (const TallLoads *self,
           TallArena *arena,
           const TallCell **cell,
           gint64 *last,
           gint64 deadline,
           GError **error)
{
  const TallSlice columns[] = { COLUMN_LAST };
  guint64 number = 0;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  TallRead *read = tall_read_plan_add_get (plan, TALL_META_TABLE, TALL_RECORD_ROW);
  read->qualifiers = columns;
  read->n_qualifiers = G_N_ELEMENTS (columns);
  TallReadResult *result = tall_table_read (self->context->table, plan, deadline, error);
  if (result == NULL)
    return FALSE;
  tall_arena_own (arena, result, (GDestroyNotify)tall_read_result_free);

  *cell = result->results[0].n_rows == 0
              ? NULL
              : tall_row_find_latest (&result->results[0].rows[0], COLUMN_LAST);
  if (*cell != NULL
      && !tall_record_parse_number ((*cell)->value, TALL_COLUMN_BULK_REVISION, TALL_FIRST_REVISION,
                                    &number, error))
    return FALSE;
  *last = (gint64)number;
  return TRUE;
}

/* Takes revisions once. If the answer was lost, they are never used, and @unknown says why. */
static gboolean
try_take (const TallLoads *self, gint64 deadline, gboolean *taken, GError **unknown, GError **error)
{
  TallLoadRevisions *revisions = self->revisions;
  gint64 begun = g_get_monotonic_time ();
  g_autoptr (TallBatch) batch = tall_batch_new ();
  const TallCell *cell;
  gint64 last;
  if (!read_last (self, batch->arena, &cell, &last, deadline, error))
    return FALSE;
  if (last > TALL_FIRST_REVISION - 1 - TAKEN_AT_ONCE)
    return tall_error_fail (error, TALL_ERROR_UNSUPPORTED,
                            "all revisions of loads are used up; put the orders without a load");

  TallMutation *record = tall_batch_add (batch, TALL_META_TABLE, TALL_RECORD_ROW);
  gint64 timestamp = MAX (find_now (self), cell != NULL ? cell->timestamp + 1 : 1);
  g_autofree char *text = tall_record_print_number ((guint64)(last + TAKEN_AT_ONCE));
  tall_mutation_put (batch, record, COLUMN_LAST, timestamp, tall_slice_str (text));
  g_autoptr (GError) cause = NULL;
  const TallConditionalWrite write = {
    .mutations = &record,
    .n = 1,
    .qualifier = COLUMN_LAST,
    .expected = cell != NULL ? &cell->value : NULL,
    .durability = TALL_DURABLE,
    .deadline = deadline,
  };
  if (!tall_table_apply_if (self->context->table, &write, taken, &cause)
      && !g_error_matches (cause, TALL_ERROR, TALL_ERROR_OUTCOME_UNKNOWN))
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
  g_clear_error (unknown);
  *unknown = g_steal_pointer (&cause);
  if (*taken)
    {
      revisions->next = last + 1;
      revisions->end = last + 1 + TAKEN_AT_ONCE;
      revisions->taken = begun;
    }
  return TRUE;
}

/* Takes revisions, and gives way to others until the time is over. A store that never says how it
 * ended is one that cannot be written, such as one whose disk is full. */
static gboolean
take_more (const TallLoads *self, gint64 deadline, GError **error)
{
  const TallStoreHooks *hooks = &self->context->hooks;
  gint64 end = hooks->monotonic (hooks->data) + TIME;
  gboolean taken = FALSE;
  guint n_unknown = 0;
  g_autoptr (GError) unknown = NULL;
  for (gint64 longest = FIRST_WAIT;; longest = MIN (2 * longest, LONGEST_WAIT))
    {
      if (!try_take (self, deadline, &taken, &unknown, error))
        return FALSE;
      if (taken)
        return TRUE;
      n_unknown = unknown == NULL ? 0 : n_unknown + 1;
      if (n_unknown == MAX_UNKNOWN)
        {
          unknown->code = TALL_ERROR_UNAVAILABLE;
          g_propagate_error (error, g_steal_pointer (&unknown));
          return FALSE;
        }
      if (hooks->monotonic (hooks->data) >= end)
        break;
      hooks->sleep (g_random_int_range ((gint32)(longest / 2), (gint32)longest + 1), hooks->data);
    }
  return tall_error_fail (error, TALL_ERROR_OVERLOADED,
                          "other loads were faster until the time was over; try again");
}

/* One for this load. What was taken before it was begun is not for it: who has taken more since has
 * stored what smaller ones must not hide, not even by a late call. */
static gint64
take_one (const TallLoads *self, gint64 deadline, GError **error)
{
  TallLoadRevisions *revisions = self->revisions;
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&revisions->mutex);
  if ((revisions->next == revisions->end || revisions->taken <= self->made)
      && !take_more (self, deadline, error))
    {
      g_prefix_error (error, "Taking revisions for a load: ");
      return 0;
    }
  return revisions->next++;
}

static char *
make_row (TallArena *arena, gint64 first)
{
  return tall_arena_printf (arena, ROW_PREFIX "%020" G_GINT64_FORMAT, first);
}

/* Writes the row of the load, or writes it again. */
static gboolean
write_row (TallLoads *self, guint64 stored, GError **error)
{
  g_autoptr (TallBatch) batch = tall_batch_new ();
  TallMutation *row = tall_batch_add (batch, TALL_META_TABLE,
                                      tall_slice_str (make_row (batch->arena, self->first)));
  gint64 now = find_now (self);
  if (self->name != NULL && self->name[0] != '\0')
    tall_mutation_put (batch, row, COLUMN_NAME, now, tall_slice_str (self->name));
  tall_mutation_put (batch, row, COLUMN_BEGUN, now,
                     tall_slice_str (
                         tall_arena_printf (batch->arena, "%" G_GINT64_FORMAT, self->begun)));
  tall_mutation_put (batch, row, COLUMN_STORED, now,
                     tall_slice_str (
                         tall_arena_printf (batch->arena, "%" G_GUINT64_FORMAT, stored)));
  return tall_table_apply (self->context->table, &row, 1, TALL_DURABLE,
                           g_get_monotonic_time () + TIME, error);
}

/* The row of the load comes before anything that the load writes. */
static gboolean
begin_row (TallLoads *self, gint64 revision, GError **error)
{
  if (self->first != 0)
    return TRUE;
  self->first = revision;
  self->begun = find_now (self);
  if (write_row (self, 0, error))
    return TRUE;
  self->first = 0;
  return FALSE;
}

/**
 * tall_loads_take:
 *
 * Returns: a revision that nobody else ever has; 0 with @error set if there is none
 */
gint64
tall_loads_take (TallLoads *self, GError **error)
{
  gint64 deadline = g_get_monotonic_time () + TIME; /* also of waiting for others of the process */
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  gint64 revision = take_one (self, deadline, error);
  return revision != 0 && begin_row (self, revision, error) ? revision : 0;
}

/**
 * tall_loads_note:
 * @stored: orders and customers that the load has stored so far
 *
 * Keeps that beside the record, by a durable write: everything that the load has written before is
 * durable with it.
 */
gboolean
tall_loads_note (TallLoads *self, guint64 stored, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  return self->first == 0 || write_row (self, stored, error);
}

static gint64
find_latest (const TallRow *row)
{
  gint64 latest = 0;
  for (guint i = 0; i < row->n_cells; i++)
    latest = MAX (latest, row->cells[i].timestamp);
  return latest;
}

/* Whether a row is of a load that this one has finished: itself, or one of the same name. */
static gboolean
is_finished (const TallLoads *self, const TallRow *row, const char *own)
{
  const TallCell *name = tall_row_find_latest (row, COLUMN_NAME);
  return tall_slice_equal (row->key, tall_slice_str (own))
         || (self->name != NULL && name != NULL
             && tall_slice_equal (name->value, tall_slice_str (self->name)));
}

/* The rows of all loads. */
static TallReadResult *
read_rows (const TallStoreContext *context, gint64 deadline, GError **error)
{
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_prefix_scan (plan, TALL_META_TABLE, tall_slice_str (ROW_PREFIX));
  return tall_table_read (context->table, plan, deadline, error);
}

/**
 * tall_loads_end:
 *
 * Removes the row of the load, and those of earlier loads of the same name: they were cut short,
 * and are finished by this one. A row that stays, or comes back by a late call, misleads people and
 * nobody else.
 */
gboolean
tall_loads_end (TallLoads *self, GError **error)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  if (self->first == 0)
    return TRUE;
  gint64 deadline = g_get_monotonic_time () + TIME;
  g_autoptr (TallBatch) batch = tall_batch_new ();
  g_autoptr (TallReadResult) result = read_rows (self->context, deadline, error);
  if (result == NULL)
    return FALSE;
  const char *own = make_row (batch->arena, self->first);
  for (guint i = 0; i < result->results[0].n_rows; i++)
    {
      const TallRow *row = &result->results[0].rows[i];
      if (is_finished (self, row, own))
        tall_mutation_delete_up_to (batch, tall_batch_add (batch, TALL_META_TABLE, row->key),
                                    find_latest (row));
    }
  return tall_table_apply (self->context->table, (TallMutation *const *)batch->mutations->pdata,
                           batch->mutations->len, TALL_DURABLE, deadline, error);
}

void
tall_unfinished_load_free (TallUnfinishedLoad *self)
{
  g_free (self->name);
  g_free (self);
}

/* What a column says; NULL: nothing. */
static char *
copy_text (const TallRow *row, TallSlice column)
{
  const TallCell *cell = tall_row_find_latest (row, column);
  return cell != NULL ? g_strndup ((const char *)cell->value.data, cell->value.len) : NULL;
}

/* A number that cannot be read is 0: it is for people. */
static gint64
read_number (const TallRow *row, TallSlice column)
{
  g_autofree char *text = copy_text (row, column);
  return text != NULL ? g_ascii_strtoll (text, NULL, 10) : 0;
}

/**
 * tall_loads_list:
 *
 * Returns: (transfer full): of #TallUnfinishedLoad, the oldest first
 */
GPtrArray *
tall_loads_list (const TallStoreContext *context, GError **error)
{
  g_autoptr (TallReadResult) result = read_rows (context, g_get_monotonic_time () + TIME, error);
  if (result == NULL)
    {
      g_prefix_error (error, "Listing loads: ");
      return NULL;
    }
  GPtrArray *loads = g_ptr_array_new_with_free_func ((GDestroyNotify)tall_unfinished_load_free);
  for (guint i = 0; i < result->results[0].n_rows; i++)
    {
      const TallRow *row = &result->results[0].rows[i];
      TallUnfinishedLoad *load = g_new0 (TallUnfinishedLoad, 1);
      load->name = copy_text (row, COLUMN_NAME);
      load->begun = read_number (row, COLUMN_BEGUN);
      load->stored = read_number (row, COLUMN_STORED);
      g_ptr_array_add (loads, load);
    }
  return loads;
}
