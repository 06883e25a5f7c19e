/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-layout.h"
#include "tall-error.h"

/* The default first. */
static const TallLayout *const layouts[] = {
  &tall_layout_blob,         &tall_layout_record_type, &tall_layout_normalized,
  &tall_layout_denormalized, &tall_layout_wide,
};

/**
 * tall_layouts:
 * @n: (out): how many
 *
 * Returns: (transfer none): all layouts, the default first
 */
const TallLayout *const *
tall_layouts (guint *n)
{
  *n = G_N_ELEMENTS (layouts);
  return layouts;
}

/**
 * tall_layout_find:
 *
 * Returns: (transfer none): the layout of that name; NULL with %TALL_ERROR_INVALID, listing those
 *   that exist, if there is none
 */
const TallLayout *
tall_layout_find (const char *name, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    {
      if (g_strcmp0 (layouts[i]->name, name) == 0)
        return layouts[i];
      g_string_append_printf (known, "%s%s", i > 0 ? ", " : "", layouts[i]->name);
    }

  tall_error_set_invalid (error, "layout", "There is no layout “%s”; choose one of: %s", name,
                          known->str);
  return NULL;
}
