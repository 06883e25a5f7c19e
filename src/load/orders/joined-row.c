/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/orders/joined-row.h"
#include "load/csv/composite.h"

static void
text_free (gpointer text)
{
  g_string_free (text, TRUE);
}

void
tall_joined_row_init (TallJoinedRow *self, const TallJoin *join)
{
  *self = (TallJoinedRow){ .join = join };
  for (guint i = 0; i < join->n_kinds; i++)
    {
      self->parts[i].bytes = g_byte_array_new ();
      tall_spool_row_init (&self->parts[i].codec);
    }
  self->fields = g_ptr_array_new ();
  self->made = g_ptr_array_new_with_free_func (text_free);
  for (guint i = 0; i < join->mapping->composites->len; i++)
    g_ptr_array_add (self->made, g_string_new (NULL));
}

void
tall_joined_row_clear (TallJoinedRow *self)
{
  for (guint i = 0; i < self->join->n_kinds; i++)
    {
      g_byte_array_unref (self->parts[i].bytes);
      tall_spool_row_clear (&self->parts[i].codec);
    }
  g_ptr_array_unref (self->fields);
  g_ptr_array_unref (self->made);
}

/* There is no row of that kind. */
void
tall_joined_row_empty (TallJoinedRow *self, guint kind)
{
  self->parts[kind].present = FALSE;
}

/**
 * tall_joined_row_set:
 * @bytes: of tall_spool_row_encode(); they are copied
 * @blame: (out): as it was encoded
 *
 * Sets the row of one kind. A mark of a bad row has no fields.
 *
 * Returns: FALSE if the bytes are damaged
 */
gboolean
tall_joined_row_set (
    TallJoinedRow *self, guint kind, TallSlice bytes, char delimiter, guint64 *blame)
{
  TallCsvRow *row = &self->parts[kind].row;
  tall_bytes_set (self->parts[kind].bytes, bytes);
  gboolean ok =
      tall_spool_row_decode (&self->parts[kind].codec, tall_slice_array (self->parts[kind].bytes),
                             delimiter, row, blame);
  self->parts[kind].present = ok && row->n_fields >= self->join->kinds[kind].n_columns;
  return ok;
}

/* A field of the row of one kind; empty if there is none. */
const char *
tall_joined_row_get_field (const TallJoinedRow *self, guint kind, guint column)
{
  return self->parts[kind].present ? self->parts[kind].row.fields[column] : "";
}

/**
 * tall_joined_row_make:
 * @kind: whose line and text the row has
 * @row: (out): with the columns of all kinds; valid until the next call
 */
void
tall_joined_row_make (TallJoinedRow *self, guint kind, TallCsvRow *row)
{
  const TallJoin *join = self->join;
  g_ptr_array_set_size (self->fields, 0);
  for (guint twice = 0; twice < 2; twice++)
    for (guint i = 0; i < join->n_kinds; i++)
      for (guint k = 0; k < join->kinds[i].n_columns; k++)
        g_ptr_array_add (self->fields, (gpointer)tall_joined_row_get_field (self, i, k));
  for (guint i = 0; i < self->made->len; i++)
    {
      GString *text = g_ptr_array_index (self->made, i);
      g_string_truncate (text, 0);
      tall_csv_composite_write (g_ptr_array_index (join->mapping->composites, i),
                                (const char *const *)self->fields->pdata, text);
    }
  for (guint i = 0; i < self->made->len; i++)
    g_ptr_array_add (self->fields, ((GString *)g_ptr_array_index (self->made, i))->str);
  *row = self->parts[kind].row;
  row->fields = (const char *const *)self->fields->pdata;
  row->n_fields = self->fields->len;
}
