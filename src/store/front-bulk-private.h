/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/front-bulk.h"

G_BEGIN_DECLS

struct _TallFrontBulk
{
  TallBulk parent_instance;

  TallFront *front; /* owned */
  TallBulkExisting on_existing;
  gint call; /* atomic: orders in one call */
};

void tall_front_bulk_call (TallFrontBulk *self,
                           TallOrder *const *orders,
                           guint n,
                           TallBulkResult *results);

void tall_front_bulk_refuse (TallBulkResult *result, GError **error);
void tall_front_bulk_overtake (const char *what, TallBulkResult *result);
gboolean tall_front_bulk_decide (const TallFrontBulk *self,
                                 const char *what,
                                 gint64 revision,
                                 TallBulkResult *result);

G_END_DECLS
