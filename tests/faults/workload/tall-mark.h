/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "tall-order.h"

G_BEGIN_DECLS

/* When the orders of the histories were sold: the order number is the day. It never changes, so
 * that a listing has to show every order that is there. */
#define TALL_MARK_DATE G_GINT64_CONSTANT (1700000000000)

TallOrder *tall_mark_order (const char *customer, guint order, const char *content, GRand *rand);
char *tall_mark_patch (const char *name);
gboolean tall_mark_read (const TallOrder *order,
                         gboolean is_part,
                         const char **content,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
