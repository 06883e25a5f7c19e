/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "model/model-type.h"

#define TALL_NOWHERE G_MAXUINT

/**
 * TallCheck:
 *
 * A walk over an order or customer that checks each field. It knows its place, so that a path is
 * only built for an error, and it adds up an upper bound of the canonical form's size.
 */
typedef struct
{
  guint location;     /* position in shipping_locations, or TALL_NOWHERE */
  guint line;         /* position in its line_items, or TALL_NOWHERE */
  const char *parent; /* `address`, `attributes` … that holds the field, or NULL */
  guint index;        /* position in @parent, or TALL_NOWHERE */
  gsize size;         /* bytes of canonical form so far, at most */
  GError **error;
} TallCheck;

#define TALL_CHECK_INIT(error_)                                                                    \
  {                                                                                                \
    TALL_NOWHERE, TALL_NOWHERE, NULL, TALL_NOWHERE, 0, (error_)                                    \
  }

gboolean tall_check_fail (const TallCheck *self, const char *field, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

gboolean tall_check_number (TallCheck *self, const char *field, const char *text);
gboolean tall_check_text (TallCheck *self, const char *field, const char *text);
gboolean tall_check_field (TallCheck *self, const TallModelField *field, gpointer base);
gboolean tall_check_fields (TallCheck *self, const TallModelType *type, gpointer base);
gboolean tall_check_size (const TallCheck *self,
                          const ProtobufCMessage *message,
                          const char *what,
                          const char *advice);

gboolean tall_attributes_sort (TallAttribute **items, gsize n, GError **error);
