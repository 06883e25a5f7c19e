/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "migrate/copy-claim.h"

static guint
hash_row (gconstpointer data)
{
  const GByteArray *row = data;
  guint hash = 5381;
  for (guint i = 0; i < row->len; i++)
    hash = hash * 33 + row->data[i];
  return hash;
}

static gboolean
is_same_row (gconstpointer a, gconstpointer b)
{
  return tall_slice_equal (tall_slice_array (a), tall_slice_array (b));
}

static char *
name_item (const TallCopyItem *item)
{
  return item->from.order_number != NULL
             ? g_strdup_printf ("order %s of %s", item->from.order_number,
                                item->from.customer_number)
             : g_strdup_printf ("customer %s", item->from.customer_number);
}

/* Each row of the target is that of the first one that this process would have there. What the
 * target has is not enough: a slower process may have written over what was copied. */
static void
claim (const TallCopier *copier, TallCopyItem *item)
{
  const TallOperation *to = &item->to;
  GError *error = NULL;
  if (copier->places == NULL || to->root_row == NULL
      || tall_copied_claim (copier->places, to->root_table, tall_slice_array (to->root_row),
                            item->table, item->row))
    return;
  item->there.stranger = g_strdup ("another one, which was copied before");
  if (!tall_root_check_owner (&item->there, to, &error))
    tall_copy_item_refuse (item, error);
}

/**
 * tall_copy_claim_equal:
 * @items: compared with the target
 *
 * Claims the rows of what the target has already, and refuses what has come too late.
 */
void
tall_copy_claim_equal (const TallCopier *copier, TallCopyItem *items, guint n_items)
{
  for (guint i = 0; i < n_items; i++)
    if (items[i].outcome == TALL_COPY_SAME)
      claim (copier, &items[i]);
}

/**
 * tall_copy_claim_open:
 * @items: those that are open have places in the target
 *
 * Claims the rows of what is to be written. Of two whose keys collide, the target keeps the first.
 */
void
tall_copy_claim_open (const TallCopier *copier, TallCopyItem *items, guint n_items)
{
  g_autoptr (GHashTable) rows = g_hash_table_new (hash_row, is_same_row);
  for (guint i = 0; i < n_items; i++)
    {
      TallCopyItem *item = &items[i];
      GError *error = NULL;
      if (item->outcome != TALL_COPY_OPEN)
        continue;
      const TallCopyItem *first = g_hash_table_lookup (rows, item->to.root_row);
      if (first == NULL)
        {
          g_hash_table_insert (rows, item->to.root_row, item);
          claim (copier, item);
          continue;
        }
      item->there.stranger = name_item (first);
      if (!tall_root_check_owner (&item->there, &item->to, &error))
        tall_copy_item_refuse (item, error);
    }
}
