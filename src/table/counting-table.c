/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/counting-table.h"

struct _TallCountingTable
{
  TallForwardingTable parent_instance;

  GMutex mutex; /* for cost */
  TallCost cost;
};

G_DEFINE_FINAL_TYPE (TallCountingTable, tall_counting_table, TALL_TYPE_FORWARDING_TABLE)

#define PARENT TALL_TABLE_CLASS (tall_counting_table_parent_class)

/**
 * tall_cost_add:
 *
 * Adds @other to @self.
 */
void
tall_cost_add (TallCost *self, const TallCost *other)
{
  self->calls += other->calls;
  self->rows_read += other->rows_read;
  self->cells_read += other->cells_read;
  self->bytes_read += other->bytes_read;
  self->rows_written += other->rows_written;
  self->cells_written += other->cells_written;
  self->bytes_written += other->bytes_written;
  self->deletes += other->deletes;
  self->durable += other->durable;
}

static void
count (TallCountingTable *self, const TallCost *cost)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  tall_cost_add (&self->cost, cost);
}

static void
cost_add_rows (TallCost *cost, const TallRows *rows)
{
  cost->rows_read += rows->n_rows;
  for (guint i = 0; i < rows->n_rows; i++)
    {
      const TallRow *row = &rows->rows[i];
      cost->bytes_read += row->key.len;
      cost->cells_read += row->n_cells;
      for (guint j = 0; j < row->n_cells; j++)
        cost->bytes_read += row->cells[j].qualifier.len + row->cells[j].value.len;
    }
}

static void
cost_add_mutation (TallCost *cost, const TallMutation *mutation)
{
  cost->rows_written++;
  cost->bytes_written += mutation->row.len;
  for (guint i = 0; i < mutation->n_changes; i++)
    {
      const TallChange *change = &mutation->changes[i];
      if (change->kind != TALL_CHANGE_PUT)
        {
          cost->deletes++;
          continue;
        }
      cost->cells_written++;
      cost->bytes_written += change->qualifier.len + change->value.len;
    }
}

static TallReadResult *
tall_counting_table_read (TallTable *base,
                          const TallReadPlan *plan,
                          gint64 deadline,
                          GError **error)
{
  TallCountingTable *self = TALL_COUNTING_TABLE (base);
  TallCost cost = { .calls = plan->reads->len };

  TallReadResult *result = PARENT->read (base, plan, deadline, error);
  for (guint i = 0; result != NULL && i < result->n_results; i++)
    cost_add_rows (&cost, &result->results[i]);
  count (self, &cost);
  return result;
}

static gboolean
tall_counting_table_apply (TallTable *base,
                           TallMutation *const *mutations,
                           guint n,
                           TallDurability durability,
                           gint64 deadline,
                           TallDone *done,
                           GError **error)
{
  TallCountingTable *self = TALL_COUNTING_TABLE (base);
  TallCost cost = { .calls = 1, .durable = durability == TALL_DURABLE ? 1 : 0 };
  for (guint i = 0; i < n; i++)
    cost_add_mutation (&cost, mutations[i]);
  count (self, &cost);
  return PARENT->apply (base, mutations, n, durability, deadline, done, error);
}

static gboolean
tall_counting_table_apply_if (TallTable *base,
                              const TallConditionalWrite *write,
                              gboolean *matched,
                              GError **error)
{
  TallCountingTable *self = TALL_COUNTING_TABLE (base);
  TallCost cost = { .calls = 1 };

  gboolean answered = PARENT->apply_if (base, write, matched, error);
  if (answered && *matched)
    {
      for (guint i = 0; i < write->n; i++)
        cost_add_mutation (&cost, write->mutations[i]);
      cost.durable = write->durability == TALL_DURABLE ? 1 : 0;
    }
  count (self, &cost);
  return answered;
}

static gboolean
tall_counting_table_increment (TallTable *base,
                               const char *table,
                               TallSlice row,
                               TallSlice qualifier,
                               gint64 delta,
                               gint64 deadline,
                               gint64 *value,
                               GError **error)
{
  TallCountingTable *self = TALL_COUNTING_TABLE (base);
  TallCost cost = {
    .calls = 1,
    .rows_written = 1,
    .cells_written = 1,
    .bytes_written = row.len + qualifier.len + sizeof (gint64),
    .durable = 1,
  };
  count (self, &cost);
  return PARENT->increment (base, table, row, qualifier, delta, deadline, value, error);
}

static void
tall_counting_table_init (TallCountingTable *self)
{
  g_mutex_init (&self->mutex);
}

static void
tall_counting_table_finalize (GObject *object)
{
  TallCountingTable *self = TALL_COUNTING_TABLE (object);
  g_mutex_clear (&self->mutex);
  G_OBJECT_CLASS (tall_counting_table_parent_class)->finalize (object);
}

static void
tall_counting_table_class_init (TallCountingTableClass *klass)
{
  TallTableClass *table = TALL_TABLE_CLASS (klass);
  table->read = tall_counting_table_read;
  table->apply = tall_counting_table_apply;
  table->apply_if = tall_counting_table_apply_if;
  table->increment = tall_counting_table_increment;
  G_OBJECT_CLASS (klass)->finalize = tall_counting_table_finalize;
}

/**
 * tall_counting_table_new:
 * @table: (transfer none): the table that does the work
 *
 * Wraps a table and counts what goes through, whether it succeeds or not. A conditional write whose
 * condition does not hold counts as a call that writes nothing.
 *
 * Returns: (transfer full): the wrapper, which keeps a reference to @table
 */
TallTable *
tall_counting_table_new (TallTable *table)
{
  g_return_val_if_fail (TALL_IS_TABLE (table), NULL);

  TallCountingTable *self = g_object_new (TALL_TYPE_COUNTING_TABLE, NULL);
  tall_forwarding_table_wrap (TALL_FORWARDING_TABLE (self), table);
  return TALL_TABLE (self);
}

/**
 * tall_counting_table_get_cost:
 * @cost: (out caller-allocates): what went through since the start or the last reset
 */
void
tall_counting_table_get_cost (TallCountingTable *self, TallCost *cost)
{
  g_return_if_fail (TALL_IS_COUNTING_TABLE (self));

  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  *cost = self->cost;
}

void
tall_counting_table_reset (TallCountingTable *self)
{
  g_return_if_fail (TALL_IS_COUNTING_TABLE (self));

  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->mutex);
  self->cost = (TallCost){ 0 };
}
