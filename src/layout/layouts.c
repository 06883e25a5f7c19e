/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "layout/layout.h"

#include "tall-error.h"
#include "base/slots.h"

#define TALL_LAYOUT_ENTRY(name) &tall_layout_##name,

static const TallLayout *const layouts[] = { TALL_LAYOUTS (TALL_LAYOUT_ENTRY) };

/**
 * tall_layout_check:
 *
 * Ends the process if the layout is not complete. All in the list are checked before the first use.
 */
void
tall_layout_check (const TallLayout *self)
{
  static const TallSlot slots[] = {
    TALL_SLOT (TallLayout, name),
    TALL_SLOT (TallLayout, summary),
    TALL_SLOT (TallLayout, tables),
    TALL_SLOT (TallLayout, locate_order),
    TALL_SLOT (TallLayout, append_root),
    TALL_SLOT (TallLayout, plan_order),
    TALL_SLOT (TallLayout, decode_order),
    TALL_SLOT (TallLayout, locate_customer),
    TALL_SLOT (TallLayout, append_customer),
    TALL_SLOT (TallLayout, decode_customer),
    TALL_SLOT (TallLayout, name_parts),
    /* of orders with other rows than the root row */
    TALL_SLOT (TallLayout, append_children),
    TALL_SLOT (TallLayout, plan_children),
  };
  guint n = G_N_ELEMENTS (slots) - (self->single_row ? 2 : 0);
  tall_slots_check (self->name, "TallLayout", self, slots, n);
  if (self->most_memory == 0)
    g_error ("%s does not say how much memory an order takes (most_memory)", self->name);
}

/**
 * tall_layouts:
 * @n: (out): how many
 *
 * Returns: (transfer none): all layouts, the default first
 */
const TallLayout *const *
tall_layouts (guint *n)
{
  static gsize checked;
  if (g_once_init_enter (&checked))
    {
      for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
        tall_layout_check (layouts[i]);
      g_once_init_leave (&checked, 1);
    }
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
  guint n;
  const TallLayout *const *all = tall_layouts (&n);
  g_autoptr (GString) known = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    {
      if (g_strcmp0 (all[i]->name, name) == 0)
        return all[i];
      g_string_append_printf (known, "%s%s", i > 0 ? ", " : "", all[i]->name);
    }

  tall_error_set_invalid (error, "layout", "There is no layout “%s”; choose one of: %s", name,
                          known->str);
  return NULL;
}

/**
 * tall_layout_choose:
 * @name: (nullable): NULL: the default, which is the first of the list
 *
 * Returns: (transfer none): as tall_layout_find()
 */
const TallLayout *
tall_layout_choose (const char *name, GError **error)
{
  guint n;
  return name == NULL ? tall_layouts (&n)[0] : tall_layout_find (name, error);
}

/* The table that a slot names does not depend on the key. */
static const char *
find_table (const char *(*locate) (const TallOrderKey *key, GByteArray *row))
{
  static const guint8 any[] = { 0 };
  g_autoptr (GByteArray) row = g_byte_array_new ();
  g_auto (TallOrderKey) key = { 0 };
  tall_order_key_init_from_parts (&key, tall_slice (any, 1), tall_slice (any, 1));
  return locate (&key, row);
}

/**
 * tall_layout_get_order_table:
 *
 * Returns: (transfer none): the name of the table with the root rows of orders
 */
const char *
tall_layout_get_order_table (const TallLayout *self)
{
  return find_table (self->locate_order);
}

/**
 * tall_layout_get_customer_table:
 *
 * Returns: (transfer none): the name of the table with the rows of customers
 */
const char *
tall_layout_get_customer_table (const TallLayout *self)
{
  return find_table (self->locate_customer);
}
