/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "key/strategy.h"

#include "tall-error.h"
#include "base/slots.h"

#define TALL_KEY_STRATEGY_ENTRY(name) &tall_key_##name,

static const TallKeyStrategy *const strategies[] = { TALL_KEY_STRATEGIES (
    TALL_KEY_STRATEGY_ENTRY) };

/**
 * tall_key_strategy_check:
 *
 * Ends the process if the strategy is not complete. All in the list are checked before the first
 * use.
 */
void
tall_key_strategy_check (const TallKeyStrategy *self)
{
  static const TallSlot slots[] = {
    TALL_SLOT (TallKeyStrategy, name),
    TALL_SLOT (TallKeyStrategy, summary),
    TALL_SLOT (TallKeyStrategy, append_customer),
    TALL_SLOT (TallKeyStrategy, append_order),
    TALL_SLOT (TallKeyStrategy, measure_customer),
    TALL_SLOT (TallKeyStrategy, measure_order),
    TALL_SLOT (TallKeyStrategy, append_splits),
    /* of strategies that need ids */
    TALL_SLOT (TallKeyStrategy, parse_id),
  };
  guint n = G_N_ELEMENTS (slots) - (self->needs_id ? 0 : 1);
  tall_slots_check (self->name, "TallKeyStrategy", self, slots, n);
}

/**
 * tall_key_strategies:
 * @n: (out): how many
 *
 * Returns: (transfer none): all key strategies, the default first
 */
const TallKeyStrategy *const *
tall_key_strategies (guint *n)
{
  static gsize checked;
  if (g_once_init_enter (&checked))
    {
      for (guint i = 0; i < G_N_ELEMENTS (strategies); i++)
        tall_key_strategy_check (strategies[i]);
      g_once_init_leave (&checked, 1);
    }
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
  guint n;
  const TallKeyStrategy *const *all = tall_key_strategies (&n);
  g_autoptr (GString) known = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    {
      if (g_strcmp0 (all[i]->name, name) == 0)
        return all[i];
      g_string_append_printf (known, "%s%s", i > 0 ? ", " : "", all[i]->name);
    }

  tall_error_set_invalid (error, "key_strategy", "There is no key strategy “%s”; choose one of: %s",
                          name, known->str);
  return NULL;
}

/**
 * tall_key_strategy_choose:
 * @name: (nullable): NULL: the default, which is the first of the list
 *
 * Returns: (transfer none): as tall_key_strategy_find()
 */
const TallKeyStrategy *
tall_key_strategy_choose (const char *name, GError **error)
{
  guint n;
  return name == NULL ? tall_key_strategies (&n)[0] : tall_key_strategy_find (name, error);
}
