/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/table-access.h"

#include "tall-error.h"

/**
 * tall_table_access_name:
 *
 * Returns: (transfer none): an access in one word, as people and JSON see it
 */
const char *
tall_table_access_name (TallTableAccess access)
{
  static const char *const names[] = {
    [TALL_ACCESS_OPEN] = "open",
    [TALL_ACCESS_SEALED] = "sealed",
    [TALL_ACCESS_CLOSED] = "closed",
  };
  g_return_val_if_fail ((guint)access < G_N_ELEMENTS (names), "unknown");

  return names[access];
}

/**
 * tall_table_shutter_apply:
 * @spec: a table whose seals have tokens; its access and its seal are changed
 *
 * Changes the seal or the close, and leaves the other.
 */
void
tall_table_shutter_apply (const TallTableShutter *self, TallTableSpec *spec)
{
  gboolean closed = spec->access == TALL_ACCESS_CLOSED;
  if (self->access == TALL_ACCESS_CLOSED || self->access == TALL_ACCESS_UNCLOSED)
    closed = self->access == TALL_ACCESS_CLOSED;
  else
    {
      g_free (spec->seal);
      spec->seal = g_strdup (self->seal);
    }
  spec->access = closed               ? TALL_ACCESS_CLOSED
                 : spec->seal != NULL ? TALL_ACCESS_SEALED
                                      : TALL_ACCESS_OPEN;
}

/**
 * tall_table_access_admits:
 * @table: the table's short name, for the message
 * @writes: whether the call writes
 *
 * Returns: FALSE with %TALL_ERROR_SHUT if the access forbids the call
 */
gboolean
tall_table_access_admits (TallTableAccess self, const char *table, gboolean writes, GError **error)
{
  if (self == TALL_ACCESS_OPEN || (self == TALL_ACCESS_SEALED && !writes))
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_SHUT, "Table %s is %s; nothing was %s", table,
               tall_table_access_name (self), writes ? "written" : "read");
  return FALSE;
}
