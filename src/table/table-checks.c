/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/table-checks.h"

#include "table/table.h"
#include "base/fail.h"

#include <stdlib.h>

#define USUAL_TABLES 8 /* of one call, at most */

/**
 * tall_table_check_row:
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if @row cannot be a row key
 */
gboolean
tall_table_check_row (const char *table, TallSlice row, GError **error)
{
  if (row.len > 0 && row.len <= TALL_MAX_ROW_KEY)
    return TRUE;
  return tall_error_fail_invalid (error, NULL,
                                  "Table %s: a row key of %" G_GSIZE_FORMAT
                                  " bytes; it needs 1 to %d",
                                  table, row.len, TALL_MAX_ROW_KEY);
}

/**
 * tall_table_check_qualifier:
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if @qualifier cannot be one
 */
gboolean
tall_table_check_qualifier (const char *table, TallSlice qualifier, GError **error)
{
  if (qualifier.len > 0 && qualifier.len <= TALL_MAX_QUALIFIER)
    return TRUE;
  return tall_error_fail_invalid (error, NULL,
                                  "Table %s: a qualifier of %" G_GSIZE_FORMAT
                                  " bytes; it needs 1 to %d",
                                  table, qualifier.len, TALL_MAX_QUALIFIER);
}

static gboolean
is_same_table (const TallMutation *a, const TallMutation *b)
{
  return a->table == b->table || strcmp (a->table, b->table) == 0;
}

static int
compare_mutations (gconstpointer a, gconstpointer b)
{
  const TallMutation *x = *(const TallMutation *const *)a;
  const TallMutation *y = *(const TallMutation *const *)b;
  int order = x->table == y->table ? 0 : strcmp (x->table, y->table);
  return order != 0 ? order : tall_slice_compare (x->row, y->row);
}

/* Whether the rows of each table come in ascending order. FALSE also if there are many tables. */
static gboolean
are_ascending (TallMutation *const *mutations, guint n)
{
  const TallMutation *last[USUAL_TABLES];
  guint n_tables = 0;
  for (guint i = 0; i < n; i++)
    {
      guint t = 0;
      while (t < n_tables && !is_same_table (last[t], mutations[i]))
        t++;
      if (t == USUAL_TABLES
          || (t < n_tables && tall_slice_compare (last[t]->row, mutations[i]->row) >= 0))
        return FALSE;
      n_tables = MAX (n_tables, t + 1);
      last[t] = mutations[i];
    }
  return TRUE;
}

/**
 * tall_table_check_different_rows:
 *
 * Cheap where it matters: the rows of an order, and of orders that are sorted, mostly come in
 * ascending order.
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if two of @n mutations are of one row
 */
gboolean
tall_table_check_different_rows (TallMutation *const *mutations, guint n, GError **error)
{
  if (are_ascending (mutations, n))
    return TRUE;
  g_autofree TallMutation **sorted = g_memdup2 (mutations, n * sizeof *mutations);
  qsort (sorted, n, sizeof *sorted, compare_mutations);
  for (guint i = 1; i < n; i++)
    {
      if (compare_mutations (&sorted[i - 1], &sorted[i]) != 0)
        continue;
      g_autofree char *row = tall_slice_to_debug (sorted[i]->row);
      return tall_error_fail_invalid (error, NULL, "Table %s: two mutations of row %s in one call",
                                      sorted[i]->table, row);
    }
  return TRUE;
}

static gboolean
check_splits (const TallTableSpec *spec, GError **error)
{
  for (guint i = 0; spec->splits != NULL && i < spec->splits->len; i++)
    {
      GBytes *split = g_ptr_array_index (spec->splits, i);
      if (!tall_table_check_row (spec->name, tall_slice_bytes (split), error))
        return FALSE;
      if (i == 0 || g_bytes_compare (g_ptr_array_index (spec->splits, i - 1), split) < 0)
        continue;
      return tall_error_fail_invalid (error, "splits", "Table %s: its split points do not ascend",
                                      spec->name);
    }
  return TRUE;
}

/* Of names of tables and of tokens, besides some marks. */
#define LETTERS_AND_DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

/**
 * tall_table_check_spec:
 *
 * Returns: FALSE with %TALL_ERROR_INVALID if no table can be named, split or created like that
 */
gboolean
tall_table_check_spec (const TallTableSpec *spec, GError **error)
{
  /* No dot: it separates the deployment's name from the table's. */
  gsize len = strspn (spec->name, LETTERS_AND_DIGITS "_-");
  if (len == 0 || spec->name[len] != '\0' || spec->name[0] == '-')
    return tall_error_fail_invalid (error, "name",
                                    "A table can not be named \"%s\": use letters, digits, _ and -",
                                    spec->name);
  if (spec->access != TALL_ACCESS_OPEN || spec->seal != NULL)
    return tall_error_fail_invalid (
        error, "access", "Table %s: a table is created open; seal or close it afterwards",
        spec->name);
  return check_splits (spec, error);
}

/**
 * tall_table_is_seal:
 * @seal: (nullable):
 *
 * Returns: whether it can be the token of a seal
 */
gboolean
tall_table_is_seal (const char *seal)
{
  gsize len = seal == NULL ? 0 : strspn (seal, LETTERS_AND_DIGITS "-");
  return len > 0 && len <= TALL_MAX_SEAL && seal[len] == '\0';
}

/**
 * tall_table_spec_new:
 * @name: short name of the table: letters, digits, `_` and `-`
 *
 * Returns: (transfer full): a spec that leaves everything else to the store
 */
TallTableSpec *
tall_table_spec_new (const char *name)
{
  TallTableSpec *self = g_new0 (TallTableSpec, 1);
  self->name = g_strdup (name);
  return self;
}

/**
 * tall_table_spec_copy:
 *
 * Returns: (transfer full): a copy, its split points are shared
 */
TallTableSpec *
tall_table_spec_copy (const TallTableSpec *self)
{
  TallTableSpec *copy = tall_table_spec_new (self->name);
  copy->max_versions = self->max_versions;
  copy->ttl = self->ttl;
  copy->compression = g_strdup (self->compression);
  copy->bloom_filter = g_strdup (self->bloom_filter);
  copy->block_encoding = g_strdup (self->block_encoding);
  copy->access = self->access;
  copy->seal = g_strdup (self->seal);
  if (self->splits == NULL)
    return copy;

  copy->splits = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  for (guint i = 0; i < self->splits->len; i++)
    g_ptr_array_add (copy->splits, g_bytes_ref (g_ptr_array_index (self->splits, i)));
  return copy;
}

void
tall_table_spec_free (TallTableSpec *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_free (self->compression);
  g_free (self->bloom_filter);
  g_free (self->block_encoding);
  g_free (self->seal);
  g_clear_pointer (&self->splits, g_ptr_array_unref);
  g_free (self);
}

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
  return tall_error_fail (error, TALL_ERROR_SHUT, "Table %s is %s; nothing was %s", table,
                          tall_table_access_name (self), writes ? "written" : "read");
}
