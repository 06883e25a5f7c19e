/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-merged-plan.h"

/* Gets of one row each of one table, of which the same is wanted. */
typedef struct
{
  const TallRead *like; /* one of them */
  GArray *keys;         /* of TallSlice */
  GArray *reads;        /* of guint: which read of the asked ones each key is of */
} Group;

static void
group_free (gpointer data)
{
  Group *group = data;
  g_array_unref (group->keys);
  g_array_unref (group->reads);
  g_free (group);
}

/**
 * tall_merged_plan_new:
 *
 * Returns: (transfer full): an empty one; reads are added to its @asked
 */
TallMergedPlan *
tall_merged_plan_new (void)
{
  TallMergedPlan *self = g_new0 (TallMergedPlan, 1);
  self->asked = tall_read_plan_new ();
  return self;
}

void
tall_merged_plan_free (TallMergedPlan *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->sent, tall_read_plan_free);
  g_clear_pointer (&self->result, tall_read_result_free);
  tall_read_plan_free (self->asked);
  g_free (self->results);
  g_free (self);
}

/* Whether it wants nothing special but, perhaps, some qualifiers. One with a bound of memory keeps
 * it. */
static gboolean
can_merge (const TallRead *read)
{
  TallRead unqualified = *read;
  unqualified.n_qualifiers = 0;
  return read->kind == TALL_READ_GET && read->n_keys == 1 && tall_read_wants_all (&unqualified)
         && read->max_bytes == 0;
}

/* Whoever wants the same qualifiers has them from the same place. */
static gboolean
is_alike (const TallRead *read, const TallRead *other)
{
  return g_str_equal (read->table, other->table) && read->uncached == other->uncached
         && read->n_qualifiers == other->n_qualifiers
         && (read->n_qualifiers == 0 || read->qualifiers == other->qualifiers);
}

static Group *
find_group (GPtrArray *groups, const TallRead *read)
{
  for (guint i = 0; i < groups->len; i++)
    {
      Group *group = g_ptr_array_index (groups, i);
      if (is_alike (group->like, read))
        return group;
    }
  Group *group = g_new (Group, 1);
  group->like = read;
  group->keys = g_array_new (FALSE, FALSE, sizeof (TallSlice));
  group->reads = g_array_new (FALSE, FALSE, sizeof (guint));
  g_ptr_array_add (groups, group);
  return group;
}

/* The reads that stay as they are come first, then one for each group. */
static void
build (TallMergedPlan *self, GPtrArray *groups)
{
  self->sent = tall_read_plan_new ();
  for (guint i = 0; i < self->asked->reads->len; i++)
    {
      TallRead *read = tall_read_plan_get (self->asked, i);
      if (!can_merge (read))
        {
          g_ptr_array_add (self->sent->reads, read);
          continue;
        }
      Group *group = find_group (groups, read);
      g_array_append_val (group->keys, read->keys[0]);
      g_array_append_val (group->reads, i);
    }
  for (guint i = 0; i < groups->len; i++)
    {
      const Group *group = g_ptr_array_index (groups, i);
      TallRead *read = tall_read_plan_add_gets (self->sent, group->like->table,
                                                (const TallSlice *)(gpointer)group->keys->data,
                                                group->keys->len);
      read->qualifiers = group->like->qualifiers;
      read->n_qualifiers = group->like->n_qualifiers;
      read->uncached = group->like->uncached;
    }
}

/* Rows come in the order of the keys; those that are absent are left out. */
static void
take_rows (TallMergedPlan *self, const Group *group, const TallRows *found)
{
  for (guint i = 0, next = 0; i < group->keys->len && next < found->n_rows; i++)
    {
      TallSlice key = g_array_index (group->keys, TallSlice, i);
      if (tall_slice_equal (found->rows[next].key, key))
        self->results[g_array_index (group->reads, guint, i)] =
            (TallRows){ &found->rows[next++], 1 };
    }
}

/**
 * tall_merged_plan_read:
 *
 * Executes all reads together, once.
 *
 * Returns: FALSE with what the table says
 */
gboolean
tall_merged_plan_read (TallMergedPlan *self, TallTable *table, gint64 deadline, GError **error)
{
  g_autoptr (GPtrArray) groups = g_ptr_array_new_with_free_func (group_free);
  g_assert (self->sent == NULL);
  build (self, groups);
  self->result = tall_table_read (table, self->sent, deadline, error);
  if (self->result == NULL)
    return FALSE;

  guint next = 0;
  self->results = g_new0 (TallRows, self->asked->reads->len);
  for (guint i = 0; i < self->asked->reads->len; i++)
    if (!can_merge (tall_read_plan_get (self->asked, i)))
      self->results[i] = self->result->results[next++];
  for (guint i = 0; i < groups->len; i++)
    take_rows (self, g_ptr_array_index (groups, i), &self->result->results[next++]);
  return TRUE;
}
