/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-key-strategy.h"
#include "tall-error.h"

/* The default first. */
static const TallKeyStrategy *const strategies[] = {
  &tall_key_hashed, &tall_key_raw, &tall_key_salted, &tall_key_reversed, &tall_key_numeric,
};

/**
 * tall_key_strategies:
 * @n: (out): how many
 *
 * Returns: (transfer none): all key strategies, the default first
 */
const TallKeyStrategy *const *
tall_key_strategies (guint *n)
{
  *n = G_N_ELEMENTS (strategies);
  return strategies;
}

/**
 * tall_key_strategy_find:
 *
 * Returns: (transfer none): the strategy of that name; NULL with %TALL_ERROR_INVALID, listing those
 *   that exist, if there is none
 */
const TallKeyStrategy *
tall_key_strategy_find (const char *name, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (strategies); i++)
    {
      if (g_strcmp0 (strategies[i]->name, name) == 0)
        return strategies[i];
      g_string_append_printf (known, "%s%s", i > 0 ? ", " : "", strategies[i]->name);
    }

  tall_error_set_invalid (error, "key_strategy", "There is no key strategy “%s”; choose one of: %s",
                          name, known->str);
  return NULL;
}
