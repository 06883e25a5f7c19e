/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/slots.h"

/**
 * tall_slots_check:
 * @implementation: what it is called, such as `TallMemoryTable`
 * @contract: the type of @functions, such as `TallTableClass`
 * @functions: its table of functions
 * @slots: @n of them: those that it must have
 *
 * Ends the process if a slot is empty, because that is a mistake in the program. A contract calls
 * this where each of its implementations passes before it is used.
 */
void
tall_slots_check (const char *implementation,
                  const char *contract,
                  gconstpointer functions,
                  const TallSlot *slots,
                  guint n)
{
  for (guint i = 0; i < n; i++)
    if (G_STRUCT_MEMBER (gpointer, functions, slots[i].offset) == NULL)
      g_error ("%s does not implement every slot of %s: %s is missing", implementation, contract,
               slots[i].name);
}
