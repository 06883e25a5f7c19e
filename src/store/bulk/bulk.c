/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-bulk.h"

#include "tall-error.h"
#include "base/slots.h"

G_DEFINE_ABSTRACT_TYPE (TallBulk, tall_bulk, G_TYPE_OBJECT)

/* Every implementation passes here once for each object. */
static void
tall_bulk_constructed (GObject *object)
{
  static const TallSlot slots[] = {
    TALL_SLOT (TallBulkClass, put_orders),
    TALL_SLOT (TallBulkClass, put_customers),
    TALL_SLOT (TallBulkClass, sync),
    TALL_SLOT (TallBulkClass, end),
  };
  tall_slots_check (G_OBJECT_TYPE_NAME (object), "TallBulkClass", TALL_BULK_GET_CLASS (object),
                    slots, G_N_ELEMENTS (slots));

  G_OBJECT_CLASS (tall_bulk_parent_class)->constructed (object);
}

static void
tall_bulk_class_init (TallBulkClass *klass)
{
  G_OBJECT_CLASS (klass)->constructed = tall_bulk_constructed;
}

static void
tall_bulk_init (TallBulk *self G_GNUC_UNUSED)
{
}

void
tall_bulk_result_clear (TallBulkResult *self)
{
  g_clear_error (&self->error);
}

static gboolean
check_many (guint n, const char *what, GError **error)
{
  if (n <= TALL_BULK_MOST)
    return TRUE;
  g_set_error (error, TALL_ERROR, TALL_ERROR_TOO_LARGE,
               "%u %s in one call: at most %d are taken; make several calls", n, what,
               TALL_BULK_MOST);
  return FALSE;
}

/**
 * tall_bulk_put_orders:
 * @orders: @n of them, %TALL_BULK_MOST at most; their lists are sorted. Some hundred in one call
 *   are fast, and some calls at once, in different threads
 * @results: (out caller-allocates): @n of them, all zero; to be cleared
 *
 * Stores orders, each whole or not at all, independently of each other. A wrong one is an error of
 * its own result. Two of one order in one call are put one after the other, as are those of two
 * calls that follow each other; of two calls at once either may come first. What is stored is
 * readable at once, but only safe from a crash of the machine after tall_bulk_sync().
 *
 * Returns: FALSE if nothing was done at all, nor anything could be: the results are unset then
 */
gboolean
tall_bulk_put_orders (
    TallBulk *self, TallOrder *const *orders, guint n, TallBulkResult *results, GError **error)
{
  g_return_val_if_fail (TALL_IS_BULK (self), FALSE);

  return check_many (n, "orders", error)
         && TALL_BULK_GET_CLASS (self)->put_orders (self, orders, n, results, error);
}

/**
 * tall_bulk_put_customers:
 *
 * The same as tall_bulk_put_orders(), with customers.
 */
gboolean
tall_bulk_put_customers (TallBulk *self,
                         TallCustomer *const *customers,
                         guint n,
                         TallBulkResult *results,
                         GError **error)
{
  g_return_val_if_fail (TALL_IS_BULK (self), FALSE);

  return check_many (n, "customers", error)
         && TALL_BULK_GET_CLASS (self)->put_customers (self, customers, n, results, error);
}

/**
 * tall_bulk_sync:
 *
 * After it, everything whose put had returned before the call survives a crash of the machine: only
 * then does it count as stored. A load does this every few seconds by itself; but only this call,
 * and tall_bulk_end(), say so.
 *
 * Returns: FALSE if that is not certain
 */
gboolean
tall_bulk_sync (TallBulk *self, GError **error)
{
  g_return_val_if_fail (TALL_IS_BULK (self), FALSE);

  return TALL_BULK_GET_CLASS (self)->sync (self, error);
}

/**
 * tall_bulk_end:
 *
 * The load is over: syncs, and forgets that the load was begun. Nothing may be put any more. A load
 * that is let go without it counts as one that was cut short, and can simply be begun again: what
 * is stored is unchanged then.
 *
 * Returns: FALSE if it is not certain that everything survives a crash; it can be called again
 */
gboolean
tall_bulk_end (TallBulk *self, GError **error)
{
  g_return_val_if_fail (TALL_IS_BULK (self), FALSE);

  return TALL_BULK_GET_CLASS (self)->end (self, error);
}
