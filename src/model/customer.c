/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-customer.h"
#include "model/canonical-private.h"
#include "model/check.h"
#include "tall-error.h"
#include "tall-limits.h"
#include "model/order.h"

/**
 * tall_customer_new:
 *
 * Returns: (transfer full): a customer with nothing but its number, which is copied and not yet
 *   checked
 */
TallCustomer *
tall_customer_new (const char *number)
{
  TallCustomer *self = tall_customer_new_in (tall_arena_new (1024));
  self->number = tall_arena_strdup (self->arena, number);
  return self;
}

/**
 * tall_customer_new_in:
 * @arena: (transfer full): for everything below the customer
 *
 * Returns: (transfer full): a customer without anything, number included
 */
TallCustomer *
tall_customer_new_in (TallArena *arena)
{
  TallCustomer *self = tall_arena_new0 (arena, TallCustomer);
  self->arena = arena;
  return self;
}

void
tall_customer_free (TallCustomer *self)
{
  if (self != NULL)
    tall_arena_free (self->arena);
}

/**
 * tall_customer_normalize:
 *
 * Checks everything that a customer promises and sorts the attributes by the bytes of the key, as
 * tall_order_normalize() does for an order.
 *
 * Returns: FALSE with %TALL_ERROR_TOO_LARGE that names the limit, or with %TALL_ERROR_INVALID and
 *   the field's path
 */
gboolean
tall_customer_normalize (TallCustomer *self, GError **error)
{
  TallCheck check = TALL_CHECK_INIT (error);
  return tall_check_fields (&check, &tall_model_customer, self)
         && tall_attributes_sort (&self->attributes, self->arena, error)
         && tall_check_size (&check, &tall_model_customer, self, "a customer", "");
}

/**
 * tall_customer_equal:
 *
 * Both must be normalized. Absent and empty are different.
 */
gboolean
tall_customer_equal (const TallCustomer *a, const TallCustomer *b)
{
  return tall_model_equal (&tall_model_customer, a, b);
}
