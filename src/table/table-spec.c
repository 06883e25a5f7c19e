/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/table.h"

/**
 * tall_table_spec_new:
 * @name: short name of the table: letters, digits, `_` and `-`
 *
 * Returns: (transfer full): a spec that leaves everything else to the store
 */
TallTableSpec *
tall_table_spec_new (const char *name)
{
  TallTableSpec *self = g_new0 (TallTableSpec, 1);
  self->name = g_strdup (name);
  return self;
}

/**
 * tall_table_spec_copy:
 *
 * Returns: (transfer full): a copy, its split points are shared
 */
TallTableSpec *
tall_table_spec_copy (const TallTableSpec *self)
{
  TallTableSpec *copy = tall_table_spec_new (self->name);
  copy->max_versions = self->max_versions;
  copy->ttl = self->ttl;
  copy->compression = g_strdup (self->compression);
  copy->bloom_filter = g_strdup (self->bloom_filter);
  copy->block_encoding = g_strdup (self->block_encoding);
  copy->access = self->access;
  copy->seal = g_strdup (self->seal);
  if (self->splits == NULL)
    return copy;

  copy->splits = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  for (guint i = 0; i < self->splits->len; i++)
    g_ptr_array_add (copy->splits, g_bytes_ref (g_ptr_array_index (self->splits, i)));
  return copy;
}

void
tall_table_spec_free (TallTableSpec *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_free (self->compression);
  g_free (self->bloom_filter);
  g_free (self->block_encoding);
  g_free (self->seal);
  g_clear_pointer (&self->splits, g_ptr_array_unref);
  g_free (self);
}
