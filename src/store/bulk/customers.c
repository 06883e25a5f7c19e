/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/bulk/customers.h"

#include "store/read/ids.h"
#include "base/workers.h"

/* Customers of a batch. */
typedef struct
{
  TallIds *ids;       /* not owned */
  GPtrArray *numbers; /* of const char *, each once */
  guint64 first;      /* id of the first of them, if it is free */
  gint64 deadline;
} Customers;

/* An error is not lost: each item asks for its customer's id again. */
static void
number_one (gpointer data, guint i)
{
  Customers *self = data;
  g_autoptr (GError) error = NULL;
  guint64 id;
  if (!tall_ids_assign_taken (self->ids, g_ptr_array_index (self->numbers, i), self->first + i, &id,
                              self->deadline, &error))
    g_debug ("%s", error->message);
}

/* Leaves those that have no id. Returns: FALSE if that cannot be found out now */
static gboolean
drop_numbered (Customers *self)
{
  guint n = self->numbers->len;
  g_autofree guint64 *ids = g_new0 (guint64, n);
  if (!tall_ids_find (self->ids, (const char *const *)self->numbers->pdata, n, ids, self->deadline,
                      NULL))
    return FALSE;
  guint n_left = 0;
  for (guint i = 0; i < n; i++)
    if (ids[i] == 0)
      self->numbers->pdata[n_left++] = self->numbers->pdata[i];
  g_ptr_array_set_size (self->numbers, (gint)n_left);
  return TRUE;
}

/**
 * tall_bulk_number_customers:
 * @items: @n_items of a batch
 *
 * Gives their customers ids, if the key strategy needs them: the counter moves once for all, and
 * the rows of many are written at once, as each waits for the disk, or for a gateway. Whatever
 * fails is left to tall_operation_identify().
 */
void
tall_bulk_number_customers (const TallStoreContext *context,
                            const TallBulkItem *items,
                            guint n_items)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) numbers = g_ptr_array_new ();
  Customers self = { .ids = context->ids, .numbers = numbers };
  if (self.ids == NULL)
    return;
  for (guint i = 0; i < n_items; i++)
    {
      const char *number = items[i].operation.customer_number;
      if (items[i].step != TALL_BULK_FRESH || !g_hash_table_add (seen, (gpointer)number))
        continue;
      g_ptr_array_add (numbers, (gpointer)number);
      self.deadline = items[i].operation.deadline;
    }
  if (numbers->len > 0 && drop_numbered (&self) && numbers->len > 1
      && tall_ids_take (self.ids, numbers->len, &self.first, self.deadline, NULL))
    tall_workers_run (number_one, &self, numbers->len);
}
