/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-failing-table.h"

#include "tall-error.h"

/* What set_access is to do. */
typedef struct
{
  const char *table;
  TallTableAccess access;
  const char *seal; /* nullable */
} Access;

/* A write that is still on its way, although its caller got the error that its answer is lost. */
typedef struct
{
  TallCallKind kind; /* apply, apply_if or set_access */
  TallBatch *batch;
  TallSlice qualifier; /* of apply_if; in the batch's arena, like expected */
  const TallSlice *expected;
  guint n_alike;
  Access access; /* of set_access; its texts in the batch's arena */
} Late;

struct _TallFailingTable
{
  TallTable parent_instance;

  TallTable *table;
  TallFailingInfo info;
  GMutex mutex; /* for everything below; not held during calls and hooks */
  guint n_calls;
  GHashTable *failures; /* index of a call → TallFailure */
  TallBeforeCall before;
  TallAfterCall after;
  gpointer hook_data;
  GPtrArray *late; /* of Late */
};

G_DEFINE_FINAL_TYPE (TallFailingTable, tall_failing_table, TALL_TYPE_TABLE)

static void
late_free (gpointer data)
{
  Late *late = data;
  tall_batch_free (late->batch);
  g_free (late);
}

static void
batch_copy_mutation (TallBatch *batch, const TallMutation *mutation)
{
  const char *table = tall_arena_strdup (batch->arena, mutation->table);
  TallMutation *copy = tall_batch_add (batch, table, mutation->row);
  for (guint i = 0; i < mutation->n_changes; i++)
    {
      const TallChange *change = &mutation->changes[i];
      if (change->kind == TALL_CHANGE_PUT)
        tall_mutation_put (batch, copy, tall_slice_dup (batch->arena, change->qualifier),
                           change->timestamp, tall_slice_dup (batch->arena, change->value));
      else if (change->kind == TALL_CHANGE_DELETE_UP_TO)
        tall_mutation_delete_up_to (batch, copy, change->timestamp);
      else
        tall_mutation_delete_at (batch, copy, change->timestamp);
    }
}

static Late *
late_new (const TallCall *call)
{
  Late *late = g_new0 (Late, 1);
  late->kind = call->kind;
  late->batch = tall_batch_new ();
  return late;
}

static void
add_late (TallFailingTable *self, Late *late)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  g_ptr_array_add (self->late, late);
}

static void
keep_late_access (TallFailingTable *self, const TallCall *call, const Access *access)
{
  Late *late = late_new (call);
  late->access = *access;
  late->access.table = tall_arena_strdup (late->batch->arena, access->table);
  if (access->seal != NULL)
    late->access.seal = tall_arena_strdup (late->batch->arena, access->seal);
  add_late (self, late);
}

static void
keep_late (TallFailingTable *self, const TallCall *call, const TallConditionalWrite *write)
{
  Late *late = late_new (call);
  for (guint i = 0; i < call->n_mutations; i++)
    batch_copy_mutation (late->batch, call->mutations[i]);

  if (write != NULL)
    {
      late->qualifier = tall_slice_dup (late->batch->arena, write->qualifier);
      late->n_alike = write->n_alike;
    }
  if (write != NULL && write->expected != NULL)
    {
      TallSlice *copy = tall_arena_new0 (late->batch->arena, TallSlice);
      *copy = tall_slice_dup (late->batch->arena, *write->expected);
      late->expected = copy;
    }
  add_late (self, late);
}

static void
set_not_done (const TallCall *call, GError **error)
{
  g_set_error (error, TALL_ERROR, TALL_ERROR_UNAVAILABLE, "Call %u fails for a test", call->index);
}

/* Counts the call, and decides how it fails. Returns: whether something of it is done at all */
static gboolean
begin (TallFailingTable *self, TallCall *call, GError **error)
{
  g_mutex_lock (&self->mutex);
  call->index = self->n_calls++;
  gpointer index = GUINT_TO_POINTER (call->index);
  call->failure = GPOINTER_TO_INT (g_hash_table_lookup (self->failures, index));
  TallBeforeCall before = self->before;
  gpointer data = self->hook_data;
  g_mutex_unlock (&self->mutex);

  TallFailure wanted = before == NULL ? TALL_FAILURE_NONE : before (self, call, data);
  if (wanted != TALL_FAILURE_NONE)
    call->failure = wanted;
  if (call->failure == TALL_FAILURE_BEFORE
      || (call->failure == TALL_FAILURE_PARTLY && call->kind != TALL_CALL_APPLY))
    {
      set_not_done (call, error);
      return FALSE;
    }
  return TRUE;
}

/* Turns the success of a call into a lost answer; real failures stay as they are. */
static gboolean
lose_answer (const TallCall *call, gboolean succeeded, GError **error)
{
  if (!succeeded || (call->failure != TALL_FAILURE_LOST && call->failure != TALL_FAILURE_LATE))
    return succeeded;

  gboolean unknown = call->kind == TALL_CALL_APPLY_IF || call->kind == TALL_CALL_INCREMENT
                     || call->kind == TALL_CALL_SET_ACCESS;
  g_set_error (error, TALL_ERROR, unknown ? TALL_ERROR_OUTCOME_UNKNOWN : TALL_ERROR_TIMED_OUT,
               "The answer of call %u is lost for a test", call->index);
  return FALSE;
}

/* Returns: whether the caller learns that it has succeeded */
static gboolean
end (TallFailingTable *self, TallCall *call, gboolean succeeded, GError **error)
{
  g_mutex_lock (&self->mutex);
  TallAfterCall after = self->after;
  gpointer data = self->hook_data;
  g_mutex_unlock (&self->mutex);

  call->succeeded = lose_answer (call, succeeded, error);
  call->matched = call->matched && call->succeeded;
  if (after != NULL)
    after (self, call, data);
  return call->succeeded;
}

static TallReadResult *
tall_failing_table_read (TallTable *base, const TallReadPlan *plan, gint64 deadline, GError **error)
{
  TallFailingTable *self = TALL_FAILING_TABLE (base);
  TallCall call = { .kind = TALL_CALL_READ, .plan = plan, .deadline = deadline };
  if (plan->reads->len > 0)
    call.table = tall_read_plan_get (plan, 0)->table;

  g_autoptr (TallReadResult) result = NULL;
  if (begin (self, &call, error))
    result = tall_table_read (self->table, plan, deadline, error);
  return end (self, &call, result != NULL, error) ? g_steal_pointer (&result) : NULL;
}

static gboolean
apply_half (TallFailingTable *self,
            const TallCall *call,
            TallDurability durability,
            gint64 deadline,
            GError **error)
{
  if (!tall_table_apply (self->table, call->mutations, call->n_mutations / 2, durability, deadline,
                         error))
    return FALSE;
  set_not_done (call, error);
  return FALSE;
}

static gboolean
tall_failing_table_apply (TallTable *base,
                          TallMutation *const *mutations,
                          guint n,
                          TallDurability durability,
                          gint64 deadline,
                          GError **error)
{
  TallFailingTable *self = TALL_FAILING_TABLE (base);
  TallCall call = {
    .kind = TALL_CALL_APPLY,
    .mutations = mutations,
    .n_mutations = n,
    .table = mutations[0]->table,
    .deadline = deadline,
  };
  gboolean succeeded = begin (self, &call, error);
  if (succeeded && call.failure == TALL_FAILURE_PARTLY)
    succeeded = apply_half (self, &call, durability, deadline, error);
  else if (succeeded && call.failure == TALL_FAILURE_LATE)
    keep_late (self, &call, NULL);
  else if (succeeded)
    succeeded = tall_table_apply (self->table, mutations, n, durability, deadline, error);

  return end (self, &call, succeeded, error);
}

static gboolean
tall_failing_table_apply_if (TallTable *base,
                             const TallConditionalWrite *write,
                             gboolean *matched,
                             GError **error)
{
  TallFailingTable *self = TALL_FAILING_TABLE (base);
  TallCall call = {
    .kind = TALL_CALL_APPLY_IF,
    .mutations = write->mutations,
    .n_mutations = write->n,
    .table = write->mutations[0]->table,
    .deadline = write->deadline,
  };
  gboolean succeeded = begin (self, &call, error);
  if (succeeded && call.failure == TALL_FAILURE_LATE)
    keep_late (self, &call, write);
  else if (succeeded)
    succeeded = tall_table_apply_if (self->table, write, matched, error);

  if (call.failure != TALL_FAILURE_NONE)
    *matched = FALSE;
  call.matched = succeeded && *matched;
  return end (self, &call, succeeded, error);
}

static gboolean
tall_failing_table_increment (TallTable *base,
                              const char *table,
                              TallSlice row,
                              TallSlice qualifier,
                              gint64 delta,
                              gint64 deadline,
                              gint64 *value,
                              GError **error)
{
  TallFailingTable *self = TALL_FAILING_TABLE (base);
  TallCall call = { .kind = TALL_CALL_INCREMENT, .table = table };
  gboolean succeeded =
      begin (self, &call, error)
      && tall_table_increment (self->table, table, row, qualifier, delta, deadline, value, error);
  return end (self, &call, succeeded, error);
}

static gboolean
tall_failing_table_create_table (TallTable *base,
                                 const TallTableSpec *spec,
                                 gint64 deadline,
                                 GError **error)
{
  TallFailingTable *self = TALL_FAILING_TABLE (base);
  TallCall call = { .kind = TALL_CALL_CREATE_TABLE, .table = spec->name };
  gboolean succeeded =
      begin (self, &call, error) && tall_table_create_table (self->table, spec, deadline, error);
  return end (self, &call, succeeded, error);
}

static gboolean
tall_failing_table_drop_table (TallTable *base, const char *table, gint64 deadline, GError **error)
{
  TallFailingTable *self = TALL_FAILING_TABLE (base);
  TallCall call = { .kind = TALL_CALL_DROP_TABLE, .table = table };
  gboolean succeeded =
      begin (self, &call, error) && tall_table_drop_table (self->table, table, deadline, error);
  return end (self, &call, succeeded, error);
}

static gboolean
set_access (TallFailingTable *self, const Access *to, gint64 deadline, GError **error)
{
  return tall_table_set_access (self->table, to->table, to->access, to->seal, deadline, error);
}

static gboolean
tall_failing_table_set_access (TallTable *base,
                               const char *table,
                               TallTableAccess access,
                               const char *seal,
                               gint64 deadline,
                               GError **error)
{
  TallFailingTable *self = TALL_FAILING_TABLE (base);
  TallCall call = { .kind = TALL_CALL_SET_ACCESS, .table = table };
  const Access to = { table, access, seal };
  gboolean succeeded = begin (self, &call, error);
  if (succeeded && call.failure == TALL_FAILURE_LATE)
    keep_late_access (self, &call, &to);
  else if (succeeded)
    succeeded = set_access (self, &to, deadline, error);
  return end (self, &call, succeeded, error);
}

static TallTableSpec *
tall_failing_table_describe_table (TallTable *base,
                                   const char *table,
                                   gint64 deadline,
                                   GError **error)
{
  TallFailingTable *self = TALL_FAILING_TABLE (base);
  TallCall call = { .kind = TALL_CALL_DESCRIBE_TABLE, .table = table };
  g_autoptr (TallTableSpec) spec = NULL;

  if (begin (self, &call, error))
    spec = tall_table_describe_table (self->table, table, deadline, error);
  return end (self, &call, spec != NULL, error) ? g_steal_pointer (&spec) : NULL;
}

static GStrv
tall_failing_table_list_tables (TallTable *base, gint64 deadline, GError **error)
{
  TallFailingTable *self = TALL_FAILING_TABLE (base);
  TallCall call = { .kind = TALL_CALL_LIST_TABLES };
  g_auto (GStrv) names = NULL;

  if (begin (self, &call, error))
    names = tall_table_list_tables (self->table, deadline, error);
  return end (self, &call, names != NULL, error) ? g_steal_pointer (&names) : NULL;
}

/* It can tell lies: TALL_FAILURE_FALSE. */
static void
tall_failing_table_get_info (TallTable *base, TallTableInfo *info)
{
  const TallFailingTable *self = TALL_FAILING_TABLE (base);
  tall_table_get_info (self->table, info);
  info->false_is_final = info->false_is_final && self->info == TALL_FAILING_EMBEDDED;
  info->is_exclusive = info->is_exclusive && self->info != TALL_FAILING_SHARED;
}

static void
tall_failing_table_init (TallFailingTable *self)
{
  g_mutex_init (&self->mutex);
  self->failures = g_hash_table_new (NULL, NULL);
  self->late = g_ptr_array_new_with_free_func (late_free);
}

static void
tall_failing_table_finalize (GObject *object)
{
  TallFailingTable *self = TALL_FAILING_TABLE (object);
  g_clear_object (&self->table);
  g_hash_table_unref (self->failures);
  g_ptr_array_unref (self->late);
  g_mutex_clear (&self->mutex);
  G_OBJECT_CLASS (tall_failing_table_parent_class)->finalize (object);
}

static void
tall_failing_table_class_init (TallFailingTableClass *klass)
{
  TallTableClass *table = TALL_TABLE_CLASS (klass);
  table->read = tall_failing_table_read;
  table->apply = tall_failing_table_apply;
  table->apply_if = tall_failing_table_apply_if;
  table->increment = tall_failing_table_increment;
  table->create_table = tall_failing_table_create_table;
  table->drop_table = tall_failing_table_drop_table;
  table->set_access = tall_failing_table_set_access;
  table->describe_table = tall_failing_table_describe_table;
  table->list_tables = tall_failing_table_list_tables;
  table->get_info = tall_failing_table_get_info;
  G_OBJECT_CLASS (klass)->finalize = tall_failing_table_finalize;
}

void
tall_failing_table_set_info (TallFailingTable *self, TallFailingInfo info)
{
  self->info = info;
}

/**
 * tall_failing_table_new:
 * @table: (transfer none): the table that does the work
 *
 * Wraps a table for a test. Each user of the table should have its own wrapper, so that calls are
 * counted, and fail, for that user only.
 *
 * Returns: (transfer full): the wrapper, which keeps a reference to @table
 */
TallTable *
tall_failing_table_new (TallTable *table)
{
  TallFailingTable *self = g_object_new (TALL_TYPE_FAILING_TABLE, NULL);
  self->table = g_object_ref (table);
  return TALL_TABLE (self);
}

/**
 * tall_failing_table_get_table:
 *
 * Returns: (transfer none): the wrapped table, for a hook that does something meanwhile
 */
TallTable *
tall_failing_table_get_table (TallFailingTable *self)
{
  return self->table;
}

/**
 * tall_failing_table_fail_at:
 * @index: of the call, from 0, counted since the start or the last reset
 *
 * May be called for several calls. A hook that returns a failure has precedence.
 */
void
tall_failing_table_fail_at (TallFailingTable *self, guint index, TallFailure failure)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  g_hash_table_insert (self->failures, GUINT_TO_POINTER (index), GINT_TO_POINTER (failure));
}

/**
 * tall_failing_table_set_hooks:
 * @before: (nullable): runs before each call, and may let it fail
 * @after: (nullable): runs after each call
 *
 * A hook runs in the thread of the call, with no lock held: it may call any table, this one too.
 */
void
tall_failing_table_set_hooks (TallFailingTable *self,
                              TallBeforeCall before,
                              TallAfterCall after,
                              gpointer data)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  self->before = before;
  self->after = after;
  self->hook_data = data;
}

guint
tall_failing_table_count_calls (TallFailingTable *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  return self->n_calls;
}

/**
 * tall_failing_table_reset:
 *
 * Counts from 0 again, with no failures planned and no late writes on their way. Hooks stay.
 */
void
tall_failing_table_reset (TallFailingTable *self)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  self->n_calls = 0;
  g_hash_table_remove_all (self->failures);
  g_ptr_array_set_size (self->late, 0);
}

/* A table that was sealed, closed or dropped meanwhile refuses what comes late. */
static gboolean
deliver (TallFailingTable *self, const Late *late)
{
  g_autoptr (GError) error = NULL;
  TallMutation *const *mutations = (TallMutation *const *)late->batch->mutations->pdata;
  const TallConditionalWrite write = {
    .mutations = mutations,
    .n = late->batch->mutations->len,
    .n_alike = late->n_alike,
    .qualifier = late->qualifier,
    .expected = late->expected,
    .durability = TALL_DURABLE,
    .deadline = TALL_NO_DEADLINE,
  };
  gboolean applied = FALSE;

  if (late->kind == TALL_CALL_SET_ACCESS)
    applied = set_access (self, &late->access, TALL_NO_DEADLINE, &error);
  else if (late->kind == TALL_CALL_APPLY)
    applied = tall_table_apply (self->table, mutations, late->batch->mutations->len, TALL_DURABLE,
                                TALL_NO_DEADLINE, &error);
  else if (!tall_table_apply_if (self->table, &write, &applied, &error))
    applied = FALSE;
  if (!g_error_matches (error, TALL_ERROR, TALL_ERROR_SHUT) && !tall_error_is_not_done (error))
    g_assert_no_error (error);
  return applied;
}

/**
 * tall_failing_table_deliver_late:
 *
 * Lets the late writes arrive now, in the order in which they were made.
 *
 * Returns: how many had an effect: a conditional one has none if its condition does not hold now,
 *   and none has where the table is shut by now
 */
guint
tall_failing_table_deliver_late (TallFailingTable *self)
{
  g_mutex_lock (&self->mutex);
  g_autoptr (GPtrArray) late = g_steal_pointer (&self->late);
  self->late = g_ptr_array_new_with_free_func (late_free);
  g_mutex_unlock (&self->mutex);

  guint n_applied = 0;
  for (guint i = 0; i < late->len; i++)
    if (deliver (self, g_ptr_array_index (late, i)))
      n_applied++;
  return n_applied;
}
