/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/record/indexes.h"

#define BY_DATE "customer rtime(sales_date)?"

static void
index_free (gpointer data)
{
  TallIndex *self = data;
  g_free (self->name);
  tall_key_template_free (self->template);
  g_free (self);
}

/**
 * tall_indexes_new:
 *
 * Returns: (transfer full) (element-type TallIndex): the indexes of a deployment of that kind
 */
GPtrArray *
tall_indexes_new (TallIndexKind kind)
{
  GPtrArray *self = g_ptr_array_new_with_free_func (index_free);
  if (kind != TALL_INDEX_BY_DATE)
    return self;
  TallIndex *index = g_new0 (TallIndex, 1);
  index->name = g_strdup (tall_index_kind_get_name (kind));
  index->table = TALL_INDEX_TABLE;
  index->template = tall_key_template_parse (BY_DATE, NULL);
  g_ptr_array_add (self, index);
  return self;
}
