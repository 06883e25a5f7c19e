/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "cell/mutation.h"

TallBatch *
tall_batch_new (void)
{
  TallBatch *self = g_new (TallBatch, 1);
  self->arena = tall_arena_new (0);
  self->mutations = g_ptr_array_new ();
  return self;
}

void
tall_batch_free (TallBatch *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->mutations);
  tall_arena_free (self->arena);
  g_free (self);
}

/**
 * tall_batch_add:
 * @table: short name of the table, a static string
 * @row: the row key, copied
 *
 * Returns: (transfer none): a new, empty mutation of that row, owned by the batch. A row must not
 *   be added twice: the order in which two mutations of a batch happen is not defined.
 */
TallMutation *
tall_batch_add (TallBatch *self, const char *table, TallSlice row)
{
  TallMutation *mutation = tall_arena_new0 (self->arena, TallMutation);
  mutation->table = table;
  mutation->row = tall_slice_dup (self->arena, row);
  g_ptr_array_add (self->mutations, mutation);
  return mutation;
}

static TallChange *
mutation_grow (TallBatch *batch, TallMutation *self)
{
  if (self->n_changes == self->n_allocated)
    {
      guint room = self->n_allocated == 0 ? 8 : self->n_allocated * 2;
      TallChange *changes = tall_arena_newa0 (batch->arena, TallChange, room);
      if (self->n_changes > 0)
        memcpy (changes, self->changes, self->n_changes * sizeof (TallChange));
      self->changes = changes;
      self->n_allocated = room;
    }
  return &self->changes[self->n_changes++];
}

/**
 * tall_mutation_put:
 * @batch: the batch of @self
 * @qualifier: not copied: it must live as long as @batch (static, or in its arena)
 * @value: not copied, like @qualifier
 */
void
tall_mutation_put (
    TallBatch *batch, TallMutation *self, TallSlice qualifier, gint64 timestamp, TallSlice value)
{
  *mutation_grow (batch, self) = (TallChange){
    .kind = TALL_CHANGE_PUT,
    .timestamp = timestamp,
    .qualifier = qualifier,
    .value = value,
  };
}

void
tall_mutation_delete_up_to (TallBatch *batch, TallMutation *self, gint64 timestamp)
{
  *mutation_grow (batch, self) =
      (TallChange){ .kind = TALL_CHANGE_DELETE_UP_TO, .timestamp = timestamp };
}

/**
 * tall_mutation_delete_at:
 *
 * Deletes the cells with this timestamp, and leaves what stands below them. A timestamp that is
 * deleted already is not deleted again, so that this may be called for each cell of a row.
 */
void
tall_mutation_delete_at (TallBatch *batch, TallMutation *self, gint64 timestamp)
{
  for (guint i = 0; i < self->n_changes; i++)
    if (self->changes[i].kind == TALL_CHANGE_DELETE_AT && self->changes[i].timestamp == timestamp)
      return;
  *mutation_grow (batch, self) =
      (TallChange){ .kind = TALL_CHANGE_DELETE_AT, .timestamp = timestamp };
}

/**
 * tall_mutation_get_size:
 *
 * Returns: bytes of keys, qualifiers and values, plus 16 for each change. Batches are split by this
 *   size
 */
gsize
tall_mutation_get_size (const TallMutation *self)
{
  gsize size = self->row.len;
  for (guint i = 0; i < self->n_changes; i++)
    size += self->changes[i].qualifier.len + self->changes[i].value.len + 16;
  return size;
}
