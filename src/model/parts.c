/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/check.h"
#include "tall-error.h"
#include "model/model-type.h"

/**
 * tall_address_equal:
 * @a: (nullable):
 * @b: (nullable):
 *
 * Returns: TRUE if both are absent, or every text is equal; an absent text is not an empty one
 */
gboolean
tall_address_equal (const TallAddress *a, const TallAddress *b)
{
  return tall_model_equal (&tall_model_address, a, b);
}

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  const TallAttribute *const *left = a;
  const TallAttribute *const *right = b;
  int order = strcmp ((*left)->key, (*right)->key);
  /* Equal keys by position, so that an error names them in the order given. */
  return order != 0 ? order : (*left > *right) - (*left < *right);
}

/**
 * tall_attributes_sort:
 *
 * Sorts by the bytes of the key.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if a key is there twice; nothing has moved then
 */
gboolean
tall_attributes_sort (TallAttributes *self, TallArena *arena, GError **error)
{
  guint n = self->n_items;
  guint sorted = n == 0 ? 0 : 1;
  while (sorted < n && strcmp (self->items[sorted - 1].key, self->items[sorted].key) < 0)
    sorted++;
  if (sorted == n)
    return TRUE;

  g_autofree const TallAttribute **order = g_new (const TallAttribute *, n);
  for (guint i = 0; i < n; i++)
    order[i] = &self->items[i];
  qsort (order, n, sizeof *order, compare_keys);

  TallAttribute *items = tall_arena_newa0 (arena, TallAttribute, n);
  for (guint i = 0; i < n; i++)
    {
      TallCheck check = TALL_CHECK_INIT (error);
      check.parent = "attributes";
      check.index = order[i] - self->items;
      if (i > 0 && strcmp (order[i - 1]->key, order[i]->key) == 0)
        return tall_check_fail (&check, "key", "attributes[%u] has the same key “%s”",
                                (guint)(order[i - 1] - self->items), order[i]->key);
      items[i] = *order[i];
    }
  self->items = items;
  return TRUE;
}
