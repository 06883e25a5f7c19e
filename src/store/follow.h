/* SPDX-FileCopyrightText: The tallorder authors
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/operation.h"

G_BEGIN_DECLS

/* Tries once, with @operation in the tables that count as far as is known. It may have tried before
 * in others: of what it knew there, only what the operation and @data keep is left. */
typedef gboolean (*TallAttempt) (TallOperation *operation, gpointer data, GError **error);

gboolean tall_follow (TallOperation *operation, TallAttempt attempt, gpointer data, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
guint tall_follow_count (void);
void tall_follow_end (const TallStoreContext *context, GError **error);
gboolean tall_follow_is_shut (const GError *error);
gboolean tall_follow_is_of_tables (const GError *error);

G_END_DECLS
