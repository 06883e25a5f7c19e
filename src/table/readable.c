/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "table/table.h"

#include "tall-bytes.h"
#include "tall-error.h"

/* Row keys that differ later than here are not told apart. */
#define LEAST_SIZE 256

/* A search in one table, by row keys as numbers of one size, the most significant byte first. */
typedef struct
{
  TallTable *table;
  const char *name;
  TallSlice stop;
  gint64 deadline;
} Search;

/* Adds 2^@bit. FALSE: the number is too large, so no row has such a key. */
static gboolean
add_bit (GByteArray *number, guint bit)
{
  guint carry = 1U << (bit % 8);
  for (guint i = number->len - bit / 8; i > 0 && carry > 0; i--)
    {
      carry += number->data[i - 1];
      number->data[i - 1] = (guint8)carry;
      carry >>= 8;
    }
  return carry == 0;
}

static gboolean
is_at_end (const Search *self, TallSlice key)
{
  return self->stop.len > 0 && tall_slice_compare (key, self->stop) >= 0;
}

/* Sets @readable to whether the first row from a key on can be read, or there is none. */
static gboolean
probe (const Search *self, TallSlice key, gboolean *readable, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (TallReadPlan) plan = tall_read_plan_new ();
  tall_read_plan_add_scan (plan, self->name, key, self->stop)->limit = 1;
  g_autoptr (TallReadResult) result = tall_table_read (self->table, plan, self->deadline, &cause);
  *readable = result != NULL;
  if (*readable || tall_error_is_unreadable (cause))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

/* Moves @low on by 2^@bit if nothing there can be read either; says in @moved whether it did. */
static gboolean
advance (const Search *self, GByteArray *low, guint bit, gboolean *moved, GError **error)
{
  g_autoptr (GByteArray) high = g_byte_array_new ();
  gboolean readable = TRUE;
  tall_bytes_set (high, tall_slice_array (low));
  if (add_bit (high, bit) && !is_at_end (self, tall_slice_array (high))
      && !probe (self, tall_slice_array (high), &readable, error))
    return FALSE;
  *moved = !readable;
  if (*moved)
    tall_bytes_set (low, tall_slice_array (high));
  return TRUE;
}

/* @low cannot be read. Goes ahead in steps that double until something can be read, or there is
 * nothing more; then back in halves, to the last key that cannot. */
static gboolean
find_last (const Search *self, GByteArray *low, GError **error)
{
  guint n_bits = 8 * low->len;
  guint bit = 0;
  gboolean moved = TRUE;
  for (; moved && bit < n_bits; bit++)
    if (!advance (self, low, bit, &moved, error))
      return FALSE;
  while (bit-- > 0)
    if (!advance (self, low, bit, &moved, error))
      return FALSE;
  return TRUE;
}

/* Takes away zeros at the end, as long as @next stays behind @start and behind what cannot be read:
 * all of them, or all but one. */
static gboolean
shorten (const Search *self, GByteArray *next, TallSlice start, GError **error)
{
  gboolean readable = FALSE;
  TallSlice end = tall_slice_array (next);
  while (end.len > 1 && end.data[end.len - 1] == 0
         && tall_slice_compare (tall_slice (end.data, end.len - 1), start) > 0)
    end.len--;
  gsize most = MIN (end.len + 2, next->len);
  for (; !readable && end.len < most; end.len += !readable)
    if (!probe (self, end, &readable, error))
      return FALSE;
  if (readable)
    g_byte_array_set_size (next, (guint)end.len);
  return TRUE;
}

/**
 * tall_table_find_readable:
 * @start: where a scan begins
 * @stop: the row after the last one that is wanted; empty: to the end of the table
 * @next: (out): from where on a scan finds a row, or the end, and no error of which
 *   tall_error_is_unreadable() is true: @start, or later; empty: from nowhere before @stop
 *
 * Looks for the end of what cannot be read, such as a damaged block of a file, by reading single
 * rows. Where several places are damaged, what lies between them may be taken for a part of them.
 *
 * Returns: FALSE with any other error of the table
 */
gboolean
tall_table_find_readable (TallTable *self,
                          const char *table,
                          TallSlice start,
                          TallSlice stop,
                          gint64 deadline,
                          GByteArray *next,
                          GError **error)
{
  const Search search = { self, table, stop, deadline };
  gboolean readable = FALSE;
  tall_bytes_set (next, start);
  if (!probe (&search, start, &readable, error))
    return FALSE;
  if (readable)
    return TRUE;
  while (next->len < MAX (LEAST_SIZE, start.len))
    tall_bytes_append_u8 (next, 0);
  if (!probe (&search, tall_slice_array (next), &readable, error))
    return FALSE;
  if (!readable && !find_last (&search, next, error))
    return FALSE;
  if (!readable && (!add_bit (next, 0) || is_at_end (&search, tall_slice_array (next))))
    g_byte_array_set_size (next, 0);
  return shorten (&search, next, start, error);
}
