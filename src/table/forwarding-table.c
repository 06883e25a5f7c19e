/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/forwarding-table.h"

typedef struct
{
  TallTable *table; /* what does the work */
} TallForwardingTablePrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (TallForwardingTable, tall_forwarding_table, TALL_TYPE_TABLE)

/**
 * tall_forwarding_table_wrap:
 * @table: (transfer none): the table that does the work from now on; no call may be running
 */
void
tall_forwarding_table_wrap (TallForwardingTable *self, TallTable *table)
{
  TallForwardingTablePrivate *priv = tall_forwarding_table_get_instance_private (self);
  g_return_if_fail (TALL_IS_TABLE (table));

  g_set_object (&priv->table, table);
}

/**
 * tall_forwarding_table_get_table:
 *
 * Returns: (transfer none): the table that does the work
 */
TallTable *
tall_forwarding_table_get_table (TallForwardingTable *self)
{
  TallForwardingTablePrivate *priv = tall_forwarding_table_get_instance_private (self);
  return priv->table;
}

static TallTable *
wrapped (TallTable *base)
{
  return tall_forwarding_table_get_table (TALL_FORWARDING_TABLE (base));
}

static const char *
get_suffix (TallTable *base, const char *name)
{
  TallForwardingTable *self = TALL_FORWARDING_TABLE (base);
  TallForwardingTableClass *klass = TALL_FORWARDING_TABLE_GET_CLASS (self);
  return klass->get_suffix != NULL ? klass->get_suffix (self, name) : NULL;
}

/* The name that a table has in the one that does the work. */
static char *
rename_table (TallTable *base, const char *name)
{
  return g_strconcat (name, get_suffix (base, name), NULL);
}

/* Keys and qualifiers stay where they are. */
static TallReadResult *
tall_forwarding_table_read (TallTable *base,
                            const TallReadPlan *plan,
                            gint64 deadline,
                            GError **error)
{
  if (TALL_FORWARDING_TABLE_GET_CLASS (base)->get_suffix == NULL)
    return tall_table_read (wrapped (base), plan, deadline, error);
  g_autoptr (TallReadPlan) renamed = tall_read_plan_new ();
  for (guint i = 0; i < plan->reads->len; i++)
    {
      TallRead *read = tall_arena_new0 (renamed->arena, TallRead);
      *read = *tall_read_plan_get (plan, i);
      const char *suffix = get_suffix (base, read->table);
      if (suffix != NULL)
        read->table = tall_arena_printf (renamed->arena, "%s%s", read->table, suffix);
      g_ptr_array_add (renamed->reads, read);
    }
  return tall_table_read (wrapped (base), renamed, deadline, error);
}

/* @arena: (out): owned: has what is returned, unless that is what was given
 *
 * Returns: mutations of the table that does the work */
static TallMutation *const *
rename_mutations (TallTable *base, TallMutation *const *mutations, guint n, TallArena **arena)
{
  const char *given = NULL;
  const char *name = NULL;
  if (TALL_FORWARDING_TABLE_GET_CLASS (base)->get_suffix == NULL)
    return mutations;
  *arena = tall_arena_new (1024);
  TallMutation **renamed = tall_arena_newa0 (*arena, TallMutation *, n);
  for (guint i = 0; i < n; i++)
    {
      renamed[i] = tall_arena_memdup (*arena, mutations[i], sizeof (TallMutation));
      if (given == NULL || !g_str_equal (given, mutations[i]->table))
        {
          const char *suffix = get_suffix (base, mutations[i]->table);
          given = name = mutations[i]->table;
          if (suffix != NULL)
            name = tall_arena_printf (*arena, "%s%s", given, suffix);
        }
      renamed[i]->table = name;
    }
  return renamed;
}

static gboolean
tall_forwarding_table_apply (TallTable *base,
                             TallMutation *const *mutations,
                             guint n,
                             TallDurability durability,
                             gint64 deadline,
                             GError **error)
{
  g_autoptr (TallArena) arena = NULL;
  return tall_table_apply (wrapped (base), rename_mutations (base, mutations, n, &arena), n,
                           durability, deadline, error);
}

static gboolean
tall_forwarding_table_apply_if (TallTable *base,
                                const TallConditionalWrite *write,
                                gboolean *matched,
                                GError **error)
{
  g_autoptr (TallArena) arena = NULL;
  TallConditionalWrite renamed = *write;
  renamed.mutations = rename_mutations (base, write->mutations, write->n, &arena);
  return tall_table_apply_if (wrapped (base), &renamed, matched, error);
}

static gboolean
tall_forwarding_table_increment (TallTable *base,
                                 const char *table,
                                 TallSlice row,
                                 TallSlice qualifier,
                                 gint64 delta,
                                 gint64 deadline,
                                 gint64 *value,
                                 GError **error)
{
  g_autofree char *name = rename_table (base, table);
  return tall_table_increment (wrapped (base), name, row, qualifier, delta, deadline, value, error);
}

static gboolean
tall_forwarding_table_create_table (TallTable *base,
                                    const TallTableSpec *spec,
                                    gint64 deadline,
                                    GError **error)
{
  g_autofree char *name = rename_table (base, spec->name);
  TallTableSpec renamed = *spec;
  renamed.name = name;
  return tall_table_create_table (wrapped (base), &renamed, deadline, error);
}

static gboolean
tall_forwarding_table_drop_table (TallTable *base,
                                  const char *table,
                                  gint64 deadline,
                                  GError **error)
{
  g_autofree char *name = rename_table (base, table);
  return tall_table_drop_table (wrapped (base), name, deadline, error);
}

static gboolean
tall_forwarding_table_set_access (TallTable *base,
                                  const char *table,
                                  TallTableAccess access,
                                  const char *seal,
                                  gint64 deadline,
                                  GError **error)
{
  g_autofree char *name = rename_table (base, table);
  return tall_table_set_access (wrapped (base), name, access, seal, deadline, error);
}

/* The description names the table as the caller does. */
static TallTableSpec *
tall_forwarding_table_describe_table (TallTable *base,
                                      const char *table,
                                      gint64 deadline,
                                      GError **error)
{
  g_autofree char *name = rename_table (base, table);
  TallTableSpec *spec = tall_table_describe_table (wrapped (base), name, deadline, error);
  if (spec != NULL && !g_str_equal (name, table))
    {
      g_free (spec->name);
      spec->name = g_strdup (table);
    }
  return spec;
}

static GStrv
tall_forwarding_table_list_tables (TallTable *base, gint64 deadline, GError **error)
{
  return tall_table_list_tables (wrapped (base), deadline, error);
}

static GStrv
tall_forwarding_table_list_deployments (TallTable *base,
                                        const char *table,
                                        gint64 deadline,
                                        GError **error)
{
  g_autofree char *name = rename_table (base, table);
  return tall_table_list_deployments (wrapped (base), name, deadline, error);
}

static void
tall_forwarding_table_get_info (TallTable *base, TallTableInfo *info)
{
  tall_table_get_info (wrapped (base), info);
}

static GStrv
tall_forwarding_table_list_losses (TallTable *base)
{
  return tall_table_list_losses (wrapped (base));
}

static gboolean
tall_forwarding_table_copy_to (TallTable *base, const char *directory, GError **error)
{
  return tall_table_copy_to (wrapped (base), directory, error);
}

static gboolean
tall_forwarding_table_compact (
    TallTable *base, gboolean alone, guint64 *ticket, gboolean *done, GError **error)
{
  return tall_table_compact (wrapped (base), alone, ticket, done, error);
}

static GPtrArray *
tall_forwarding_table_list_servers (TallTable *base, gint64 deadline)
{
  return tall_table_list_servers (wrapped (base), deadline);
}

static GArray *
tall_forwarding_table_list_measures (TallTable *base)
{
  return tall_table_list_measures (wrapped (base));
}

static void
tall_forwarding_table_init (TallForwardingTable *self G_GNUC_UNUSED)
{
}

static void
tall_forwarding_table_finalize (GObject *object)
{
  TallForwardingTablePrivate *priv =
      tall_forwarding_table_get_instance_private (TALL_FORWARDING_TABLE (object));
  g_clear_object (&priv->table);
  G_OBJECT_CLASS (tall_forwarding_table_parent_class)->finalize (object);
}

static void
tall_forwarding_table_class_init (TallForwardingTableClass *klass)
{
  TallTableClass *table = TALL_TABLE_CLASS (klass);
  table->read = tall_forwarding_table_read;
  table->apply = tall_forwarding_table_apply;
  table->apply_if = tall_forwarding_table_apply_if;
  table->increment = tall_forwarding_table_increment;
  table->create_table = tall_forwarding_table_create_table;
  table->drop_table = tall_forwarding_table_drop_table;
  table->set_access = tall_forwarding_table_set_access;
  table->describe_table = tall_forwarding_table_describe_table;
  table->list_tables = tall_forwarding_table_list_tables;
  table->get_info = tall_forwarding_table_get_info;
  table->list_servers = tall_forwarding_table_list_servers;
  table->list_measures = tall_forwarding_table_list_measures;
  table->list_deployments = tall_forwarding_table_list_deployments;
  table->list_losses = tall_forwarding_table_list_losses;
  table->copy_to = tall_forwarding_table_copy_to;
  table->compact = tall_forwarding_table_compact;
  G_OBJECT_CLASS (klass)->finalize = tall_forwarding_table_finalize;
}

struct _TallCountingTable
{
  TallForwardingTable parent_instance;

  GMutex mutex; /* for cost */
  TallCost cost;
};

G_DEFINE_FINAL_TYPE (TallCountingTable, tall_counting_table, TALL_TYPE_FORWARDING_TABLE)

#define PARENT TALL_TABLE_CLASS (tall_counting_table_parent_class)

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
                           GError **error)
{
  TallCountingTable *self = TALL_COUNTING_TABLE (base);
  TallCost cost = { .calls = 1, .durable = durability == TALL_DURABLE ? 1 : 0 };
  for (guint i = 0; i < n; i++)
    cost_add_mutation (&cost, mutations[i]);
  count (self, &cost);
  return PARENT->apply (base, mutations, n, durability, deadline, error);
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
