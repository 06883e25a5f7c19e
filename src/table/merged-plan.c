/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/merged-plan.h"

#include "base/fail.h"

/* Reads that become one: gets of one row each of one table, of which the same is wanted, or scans
 * of a table of which each begins at or after the end of the one before. */
typedef struct
{
  const TallRead *first;
  const TallRead *last;
  GArray *keys;  /* of TallSlice: of gets */
  GArray *reads; /* of guint: the positions of the asked ones */
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
can_merge (const TallMergedPlan *self, const TallRead *read)
{
  TallRead unqualified = *read;
  unqualified.n_qualifiers = 0;
  if (!tall_read_wants_all (&unqualified) || read->max_bytes > 0)
    return FALSE;
  return read->kind == TALL_READ_GET ? read->n_keys == 1
                                     : self->joined_bytes > 0 && read->limit == 0;
}

/* Whoever wants the same qualifiers has them from the same place. */
static gboolean
is_alike (const TallRead *read, const TallRead *other)
{
  return read->kind == other->kind && g_str_equal (read->table, other->table)
         && read->uncached == other->uncached && read->n_qualifiers == other->n_qualifiers
         && (read->n_qualifiers == 0 || read->qualifiers == other->qualifiers);
}

static gboolean
takes (const Group *group, const TallRead *read)
{
  TallSlice stop = group->last->stop;
  return is_alike (group->first, read)
         && (read->kind == TALL_READ_GET
             || (stop.len > 0 && tall_slice_compare (stop, read->start) <= 0));
}

static Group *
find_group (GPtrArray *groups, const TallRead *read)
{
  for (guint i = 0; i < groups->len; i++)
    {
      Group *group = g_ptr_array_index (groups, i);
      if (takes (group, read))
        return group;
    }
  Group *group = g_new (Group, 1);
  group->first = read;
  group->keys = g_array_new (FALSE, FALSE, sizeof (TallSlice));
  group->reads = g_array_new (FALSE, FALSE, sizeof (guint));
  g_ptr_array_add (groups, group);
  return group;
}

static TallRead *
add_gets (TallReadPlan *plan, const Group *group)
{
  return tall_read_plan_add_gets (plan, group->first->table,
                                  (const TallSlice *)(gpointer)group->keys->data, group->keys->len);
}

/* One scan from the beginning of the first to the end of the last. */
static TallRead *
add_scan (const TallMergedPlan *self, const Group *group)
{
  TallRead *read = tall_read_plan_add_scan (self->sent, group->first->table, group->first->start,
                                            group->last->stop);
  read->max_bytes = group->first != group->last ? self->joined_bytes : 0;
  return read;
}

static void
add_to_group (Group *group, const TallRead *read, guint position)
{
  group->last = read;
  g_array_append_val (group->reads, position);
  if (read->kind == TALL_READ_GET)
    g_array_append_val (group->keys, read->keys[0]);
}

/* The reads that stay as they are come first, then one for each group. */
static void
build (TallMergedPlan *self, GPtrArray *groups)
{
  self->sent = tall_read_plan_new ();
  for (guint i = 0; i < self->asked->reads->len; i++)
    {
      TallRead *read = tall_read_plan_get (self->asked, i);
      if (can_merge (self, read))
        add_to_group (find_group (groups, read), read, i);
      else
        g_ptr_array_add (self->sent->reads, read);
    }
  for (guint i = 0; i < groups->len; i++)
    {
      const Group *group = g_ptr_array_index (groups, i);
      TallRead *read = group->first->kind == TALL_READ_GET ? add_gets (self->sent, group)
                                                           : add_scan (self, group);
      read->qualifiers = group->first->qualifiers;
      read->n_qualifiers = group->first->n_qualifiers;
      read->uncached = group->first->uncached;
    }
}

/* Moves @next to the first row at or after @key. */
static void
skip_to (const TallRows *rows, TallSlice key, guint *next)
{
  while (*next < rows->n_rows && tall_slice_compare (rows->rows[*next].key, key) < 0)
    (*next)++;
}

/* The rows that a read of a group would have found, from @next on, behind which it moves. */
static TallRows
take_rows (const TallRead *read, const TallRows *found, guint *next)
{
  TallRows rows = { 0 };
  if (read->kind == TALL_READ_GET)
    {
      /* They come in the order of the keys; those that are absent are left out. */
      if (*next < found->n_rows && tall_slice_equal (found->rows[*next].key, read->keys[0]))
        rows = (TallRows){ &found->rows[(*next)++], 1 };
      return rows;
    }
  skip_to (found, read->start, next);
  rows.rows = found->rows + *next;
  guint first = *next;
  if (read->stop.len > 0)
    skip_to (found, read->stop, next);
  else
    *next = found->n_rows;
  rows.n_rows = *next - first;
  return rows;
}

static gboolean
share_out (TallMergedPlan *self, const Group *group, const TallRows *found, GError **error)
{
  guint next = 0;
  if (found->cut)
    return tall_error_fail (error, TALL_ERROR_TOO_LARGE,
                            "Table %s: the rows of %u scans have more than %" G_GSIZE_FORMAT
                            " bytes",
                            group->first->table, group->reads->len, self->joined_bytes);
  for (guint i = 0; i < group->reads->len; i++)
    {
      guint position = g_array_index (group->reads, guint, i);
      self->results[position] =
          take_rows (tall_read_plan_get (self->asked, position), found, &next);
    }
  return TRUE;
}

/**
 * tall_merged_plan_read:
 *
 * Executes all reads together, once.
 *
 * Returns: FALSE with what the table says, or %TALL_ERROR_TOO_LARGE if joined scans find more than
 *   they may
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
    if (!can_merge (self, tall_read_plan_get (self->asked, i)))
      self->results[i] = self->result->results[next++];
  for (guint i = 0; i < groups->len; i++)
    if (!share_out (self, g_ptr_array_index (groups, i), &self->result->results[next++], error))
      return FALSE;
  return TRUE;
}
