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

/* From where on a scan finds a row, or the end: behind @start, where it does not; empty: from
 * nowhere before the stop. */
static gboolean
find_readable (const Search *self, TallSlice start, GByteArray *next, GError **error)
{
  gboolean readable = FALSE;
  tall_bytes_set (next, start);
  while (next->len < MAX (LEAST_SIZE, start.len))
    tall_bytes_append_u8 (next, 0);
  if (!probe (self, tall_slice_array (next), &readable, error))
    return FALSE;
  if (!readable && !find_last (self, next, error))
    return FALSE;
  if (!readable && (!add_bit (next, 0) || is_at_end (self, tall_slice_array (next))))
    g_byte_array_set_size (next, 0);
  return shorten (self, next, start, error);
}

void
tall_gap_clear (TallGap *self)
{
  g_clear_error (&self->cause);
  g_clear_pointer (&self->next, g_byte_array_unref);
}

/**
 * tall_table_scan_past:
 * @plan: one scan, with a limit, which is lowered if a later row cannot be read
 * @gap: (out caller-allocates): zeroed before. What cannot be read, if the scan begins with it,
 * such as a damaged block of a file
 *
 * Scans rows, and where they cannot be read finds out, by reading single rows, from where on they
 * can. Where several places are damaged, what lies between them may be taken for a part of them.
 *
 * Returns: (transfer full): rows up to what cannot be read; NULL with @gap; NULL with any other
 *   error of the table
 */
TallReadResult *
tall_table_scan_past (
    TallTable *self, TallReadPlan *plan, gint64 deadline, TallGap *gap, GError **error)
{
  TallRead *read = g_ptr_array_index (plan->reads, 0);
  const Search search = { self, read->table, read->stop, deadline };
  g_return_val_if_fail (plan->reads->len == 1 && read->limit > 0, NULL);

  g_autoptr (GError) cause = NULL;
  TallReadResult *result = tall_table_read (self, plan, deadline, &cause);
  while (result == NULL && tall_error_is_unreadable (cause) && read->limit > 1)
    {
      g_clear_error (&cause);
      read->limit /= 2;
      result = tall_table_read (self, plan, deadline, &cause);
    }
  if (result != NULL)
    return result;
  if (!tall_error_is_unreadable (cause))
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return NULL;
    }
  g_autoptr (GByteArray) next = g_byte_array_new ();
  if (find_readable (&search, read->start, next, error))
    *gap = (TallGap){ g_steal_pointer (&cause), g_steal_pointer (&next) };
  return NULL;
}
