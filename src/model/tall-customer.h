/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-parts.h"

TALL_BEGIN_API

/**
 * TallCustomer:
 *
 * A customer. All memory below it belongs to its arena, as with #TallOrder.
 */
typedef struct
{
  TallArena *arena; /* owned */
  char *number;     /* never NULL */
  char *name;
  TallAddress *address; /* NULL: absent */
  char **phones;        /* n_phones of them, in the order given; none is NULL */
  guint n_phones;
  char *email;
  TallAttributes attributes;
} TallCustomer;

TallCustomer *tall_customer_new (const char *number);
void tall_customer_free (TallCustomer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TallCustomer, tall_customer_free)

gboolean tall_customer_normalize (TallCustomer *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean tall_customer_equal (const TallCustomer *a, const TallCustomer *b);

TALL_END_API
