/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#include "tall-customer.h"
#include "model/canonical.h"
#include "model/check.h"
#include "tall-error.h"
#include "tall-limits.h"

/**
 * tall_customer_new:
 *
 * Returns: (transfer full): a customer with nothing but its number, which is copied and not yet
 *   checked
 */
TallCustomer *
tall_customer_new (const char *number)
{
  TallArena *arena = tall_arena_new (1024);
  TallCustomer *self = tall_model_new_owner (&tall_model_customer, arena);
  self->number = tall_arena_strdup (arena, number);
  return self;
}

void
tall_customer_free (TallCustomer *self)
{
  if (self != NULL)
    tall_arena_free (tall_customer_get_arena (self));
}

/**
 * tall_customer_get_arena:
 * @self: a customer that a function has returned, not a struct of the caller's own
 *
 * Returns: (transfer none): where all that belongs to the customer lies
 */
TallArena *
tall_customer_get_arena (const TallCustomer *self)
{
  return tall_model_get_owner (self);
}

/* The text is copied. */
void
tall_customer_add_phone (TallCustomer *self, const char *phone)
{
  TallArena *arena = tall_customer_get_arena (self);
  tall_arena_append (arena, &self->phones, &self->n_phones, tall_arena_strdup (arena, phone));
}

/* The texts are copied. */
void
tall_customer_add_attribute (TallCustomer *self, const char *key, const char *value)
{
  TallArena *arena = tall_customer_get_arena (self);
  tall_arena_append (arena, &self->attributes, &self->n_attributes,
                     tall_attribute_new (arena, key, value));
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
         && tall_attributes_sort (self->attributes, self->n_attributes, error)
         && tall_check_size (&check, &self->base, "a customer", "");
}

/**
 * tall_customer_equal:
 *
 * Both must be normalized. Absent and empty are different.
 */
gboolean
tall_customer_equal (const TallCustomer *a, const TallCustomer *b)
{
  return tall_model_equal ((const ProtobufCMessage *)a, (const ProtobufCMessage *)b);
}
