/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "load/store/item.h"

/* An item has room for so much at first. */
#define USUAL_ROWS 8
#define USUAL_BYTES 1024

TallLoadItem *
tall_load_item_new (void)
{
  TallLoadItem *self = g_new0 (TallLoadItem, 1);
  self->rows = g_array_sized_new (FALSE, FALSE, sizeof (TallItemRow), USUAL_ROWS);
  self->raw = g_byte_array_sized_new (USUAL_BYTES);
  return self;
}

void
tall_load_item_free (TallLoadItem *self)
{
  if (self == NULL)
    return;
  tall_order_free (self->order);
  tall_customer_free (self->customer);
  g_array_unref (self->rows);
  g_byte_array_unref (self->raw);
  g_clear_error (&self->unknown);
  g_free (self);
}

void
tall_load_item_add_row (TallLoadItem *self, const TallCsvRow *row)
{
  TallItemRow added = { row->file, row->line, self->raw->len, row->raw.len };
  g_array_append_val (self->rows, added);
  tall_bytes_append (self->raw, row->raw);
}

/* The line of the file where the item begins. */
guint64
tall_load_item_get_line (const TallLoadItem *self)
{
  return self->rows->len > 0 ? g_array_index (self->rows, TallItemRow, 0).line : 0;
}

guint
tall_load_item_count_rows (const TallLoadItem *self)
{
  return self->rows->len;
}

static gboolean
compare_order (TallOrder *order, TallFront *front, gboolean *same, GError **error)
{
  g_autoptr (TallOrder) stored =
      tall_front_get_order (front, order->customer_number, order->order_number, NULL, error);
  if (stored == NULL || !tall_order_normalize (order, error))
    return FALSE;
  *same = tall_order_equal (stored, order);
  return TRUE;
}

static gboolean
compare_customer (TallCustomer *customer, TallFront *front, gboolean *same, GError **error)
{
  g_autoptr (TallCustomer) stored = tall_front_get_customer (front, customer->number, NULL, error);
  if (stored == NULL || !tall_customer_normalize (customer, error))
    return FALSE;
  *same = tall_customer_equal (stored, customer);
  return TRUE;
}

/**
 * tall_load_item_compare:
 * @same: (out): what is stored is the item
 *
 * Returns: FALSE if it cannot be fetched; %TALL_ERROR_NOT_FOUND: nothing is stored
 */
gboolean
tall_load_item_compare (const TallLoadItem *self, TallFront *front, gboolean *same, GError **error)
{
  return self->order != NULL ? compare_order (self->order, front, same, error)
                             : compare_customer (self->customer, front, same, error);
}

/**
 * tall_load_item_reject:
 * @kind: what to count them under
 *
 * Rejects every row of the item, and forgets them.
 */
void
tall_load_item_reject (TallLoadItem *self,
                       TallRejects *rejects,
                       const char *kind,
                       const char *reason)
{
  for (guint i = 0; i < self->rows->len; i++)
    {
      const TallItemRow *row = &g_array_index (self->rows, TallItemRow, i);
      TallReject reject = { .file = row->file,
                            .line = row->line,
                            .kind = kind,
                            .reason = reason,
                            .raw = tall_slice (self->raw->data + row->offset, row->len) };
      tall_rejects_add (rejects, &reject);
    }
  g_array_set_size (self->rows, 0);
  g_byte_array_set_size (self->raw, 0);
}
