/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/advice-private.h"

static void
advice_free (gpointer data)
{
  TallAdvice *self = data;
  g_free (self->value);
  g_free (self->reason);
  g_free (self->overturned);
  g_free (self);
}

/**
 * tall_advice_list_new:
 *
 * Returns: (transfer full) (element-type TallAdvice): empty
 */
GPtrArray *
tall_advice_list_new (void)
{
  return g_ptr_array_new_with_free_func (advice_free);
}

/**
 * tall_advice_add:
 * @value: its texts are taken over from it
 * @reason: (transfer full) and @overturned: (transfer full): the rest of it
 */
void
tall_advice_add (GPtrArray *advice, const TallAdvice *value, char *reason, char *overturned)
{
  TallAdvice *added = g_memdup2 (value, sizeof *value);
  added->reason = reason;
  added->overturned = overturned;
  g_ptr_array_add (advice, added);
}

/**
 * tall_advice_find:
 *
 * Returns: (nullable): what is recommended under this name
 */
const TallAdvice *
tall_advice_find (const GPtrArray *advice, const char *name)
{
  for (guint i = 0; i < advice->len; i++)
    if (g_str_equal (((TallAdvice *)g_ptr_array_index (advice, i))->name, name))
      return g_ptr_array_index (advice, i);
  return NULL;
}

/* How often the mix has operations of this name. */
guint
tall_advice_count_parts (const TallBenchMix *mix, const char *name)
{
  for (guint i = 0; i < mix->n_parts; i++)
    if (g_str_equal (mix->parts[i]->name, name))
      return mix->weights[i];
  return 0;
}
