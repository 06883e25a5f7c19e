/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/canonical.h"
#include "model/check.h"
#include "tall-error.h"

/**
 * tall_address_new:
 *
 * Returns: (transfer none): an address without texts, for an order or customer whose arena it is
 */
TallAddress *
tall_address_new (TallArena *arena)
{
  return tall_model_new (&tall_model_address, arena);
}

/**
 * tall_attribute_new:
 * @key: (nullable): it is copied, as is @value
 *
 * Returns: (transfer none): an attribute in @arena
 */
TallAttribute *
tall_attribute_new (TallArena *arena, const char *key, const char *value)
{
  TallAttribute *self = tall_model_new (&tall_model_attribute, arena);
  self->key = tall_arena_strdup (arena, key);
  self->value = tall_arena_strdup (arena, value);
  return self;
}

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
  return tall_model_equal ((const ProtobufCMessage *)a, (const ProtobufCMessage *)b);
}

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  TallAttribute *const *const *left = a;
  TallAttribute *const *const *right = b;
  int order = strcmp ((**left)->key, (**right)->key);
  /* Equal keys by position, so that an error names them in the order given. */
  return order != 0 ? order : (*left > *right) - (*left < *right);
}

/**
 * tall_attributes_sort:
 *
 * Sorts @n attributes by the bytes of the key.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if a key is there twice; nothing has moved then
 */
gboolean
tall_attributes_sort (TallAttribute **items, gsize n, GError **error)
{
  gsize sorted = n == 0 ? 0 : 1;
  while (sorted < n && strcmp (items[sorted - 1]->key, items[sorted]->key) < 0)
    sorted++;
  if (sorted == n)
    return TRUE;

  g_autofree TallAttribute ***order = g_new (TallAttribute **, n);
  for (gsize i = 0; i < n; i++)
    order[i] = &items[i];
  qsort (order, n, sizeof *order, compare_keys);

  g_autofree TallAttribute **moved = g_new (TallAttribute *, n);
  for (gsize i = 0; i < n; i++)
    {
      TallCheck check = TALL_CHECK_INIT (error);
      check.parent = "attributes";
      check.index = order[i] - items;
      moved[i] = *order[i];
      if (i > 0 && strcmp (moved[i - 1]->key, moved[i]->key) == 0)
        return tall_check_fail (&check, "key", "attributes[%u] has the same key “%s”",
                                (guint)(order[i - 1] - items), moved[i]->key);
    }
  memcpy (items, moved, n * sizeof *items);
  return TRUE;
}
